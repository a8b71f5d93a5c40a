#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/files.h"
#include "base/testing/temporary_folder.h"
#include "base/units.h"
#include "dataset/dataset.h"
#include "dataset/testing/tpcds.h"

namespace lakegauge::dataset {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

TEST(Manifests, ComeBackFromJsonAsTheyWere) {
  Manifest m;
  m.dataset = "d";
  m.layout = "l";
  m.generator = "g";
  m.generator_version = "1";
  m.writer_version = "2";
  m.same_as = "k";
  m.tables = {{"t", {{"c", "INTEGER"}}, 3, 9, "xxh64:0:0:3"}};
  m.files = {{"t/part-00000.parquet", "t", 9, 3, "aa", "bb", {4}, {3}}};
  const auto back = Manifest::FromJson(m.ToJson());
  ASSERT_OK(back);
  EXPECT_EQ(back->ToJson(), m.ToJson());
}

TEST(Manifests, OfAnUnknownVersionAreRefused) {
  Json json = Manifest().ToJson();
  json["version"] = 99;
  const auto m = Manifest::FromJson(json);
  ASSERT_FALSE(m.ok());
  EXPECT_EQ(m.error().code, ErrorCode::kUnsupported);
}

TEST_F(Tpcds001, VerifyNamesTheFirstFileThatDiffers) {
  const auto layout = Layout(256 * kKiB);
  const auto m = Prepare(layout);
  ASSERT_OK(m);
  const std::string file = Dir(layout) + "/" + m->files[3].key;
  const std::string bytes = *ReadFile(file);
  const auto expect_corrupt = [&](bool deep) {
    const auto verified = VerifyLayout(Dir(layout), deep);
    ASSERT_FALSE(verified.ok());
    EXPECT_EQ(verified.error().code, ErrorCode::kCorrupt);
    EXPECT_THAT(verified.error().message, HasSubstr(m->files[3].key));
  };
  std::string flipped = bytes;
  flipped[flipped.size() / 2] ^= 1;
  std::ofstream(file, std::ios::binary) << flipped;
  ASSERT_OK(VerifyLayout(Dir(layout), false));
  expect_corrupt(true);
  std::ofstream(file, std::ios::binary) << bytes.substr(1);
  expect_corrupt(false);
  fs::remove(file);
  expect_corrupt(false);
  std::ofstream(file, std::ios::binary) << bytes;
  ASSERT_OK(VerifyLayout(Dir(layout), true));
  std::ofstream(Dir(layout) + "/item/stray.parquet") << "x";
  EXPECT_THAT(VerifyLayout(Dir(layout), false).error().message, HasSubstr("stray.parquet"));
}

TEST_F(Tpcds001, WhatIsReadIsNotWrittenAnewNorDoesItGoWithItsBase) {
  const auto layout = Layout(0);
  std::vector<LayoutUse> uses;
  ASSERT_OK(PrepareLayouts(Tpcds(), {layout, layout}, options_, &uses));
  ASSERT_EQ(uses.size(), 1u);
  ASSERT_OK(PrepareLayouts(Tpcds(), {layout}, options_, &uses));
  const std::string manifest = *ReadFile(Dir(layout) + "/manifest.json");
  const auto expect_refused = [&](const auto& done) {
    ASSERT_FALSE(done.ok());
    EXPECT_EQ(done.error().code, ErrorCode::kUnavailable);
    EXPECT_THAT(done.error().message, HasSubstr("tpcds-sf0.01/parquet-snappy-unlimited is in use"));
    EXPECT_EQ(*ReadFile(Dir(layout) + "/manifest.json"), manifest);
  };
  std::ofstream(Dir(layout) + "/stray.parquet") << "x";
  expect_refused(Prepare(layout));
  fs::remove(Dir(layout) + "/stray.parquet");
  fs::resize_file(DatasetDir() + "/base/base.duckdb", 4096);
  expect_refused(PrepareBase(Tpcds(), options_));
  uses.clear();
  ASSERT_OK(PrepareBase(Tpcds(), options_));
  EXPECT_FALSE(fs::exists(Dir(layout)));
}

TEST(Verify, NoManifestIsNotFound) {
  const TemporaryFolder folder;
  EXPECT_EQ(VerifyLayout(folder.path(), false).error().code, ErrorCode::kNotFound);
}

TEST_F(Tpcds001, PlacedObjectsAreTheLayoutsBytesAndAreNotCopiedTwice) {
  const auto layout = Layout(256 * kKiB);
  const auto m = Prepare(layout);
  ASSERT_OK(m);
  const auto target = store::OpenStore("mem:");
  ASSERT_OK(target);
  ASSERT_OK(PlaceLayout(*m, Dir(layout), **target, "data", options_));
  const auto objects = store::ListAll(**target, {}, "data/");
  ASSERT_OK(objects);
  EXPECT_EQ(objects->size(), m->files.size());
  EXPECT_EQ(*store::ReadObject(**target, {}, "data/" + m->files[0].key),
            *ReadFile(Dir(layout) + "/" + m->files[0].key));

  // What is there already is left alone, so a placing that broke off goes on; what is missing or
  // damaged is copied.
  ASSERT_OK((*target)->Delete({}, "data/" + m->files[1].key));
  const std::string damaged(static_cast<size_t>(m->files[0].size), 'x');
  ASSERT_OK(store::WriteObject(**target, {}, "data/" + m->files[0].key, damaged));
  ASSERT_OK(PlaceLayout(*m, Dir(layout), **target, "data", options_));
  EXPECT_EQ(*store::ReadObject(**target, {}, "data/" + m->files[0].key), damaged);
  EXPECT_EQ(*store::ReadObject(**target, {}, "data/" + m->files[1].key),
            *ReadFile(Dir(layout) + "/" + m->files[1].key));
  options_.verify_existing = true;
  ASSERT_OK(PlaceLayout(*m, Dir(layout), **target, "data", options_));
  EXPECT_EQ(*store::ReadObject(**target, {}, "data/" + m->files[0].key),
            *ReadFile(Dir(layout) + "/" + m->files[0].key));
}

TEST_F(Tpcds001, PlacingAmongStrangersIsRefused) {
  const auto m = Prepare(Layout(0));
  ASSERT_OK(m);
  const auto target = store::OpenStore("mem:");
  ASSERT_OK(target);
  ASSERT_OK(store::WriteObject(**target, {}, "data/item/mine.parquet", "x"));
  const auto placed = PlaceLayout(*m, Dir(Layout(0)), **target, "data", options_);
  ASSERT_FALSE(placed.ok());
  EXPECT_EQ(placed.error().code, ErrorCode::kAlreadyExists);
  EXPECT_THAT(placed.error().message, HasSubstr("mine.parquet"));
}

}  // namespace
}  // namespace lakegauge::dataset
