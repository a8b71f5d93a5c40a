#include "columnar/record_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "base/files.h"

namespace lakegauge::columnar::records {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TableSpec Spec() {
  return {{{"id", ColumnType::kInt64, false},
           {"lane", ColumnType::kInt32, true},
           {"share", ColumnType::kReal, true},
           {"cold", ColumnType::kBool, false},
           {"key", ColumnType::kText, true}},
          {{"lakegauge.v", "1"}}};
}

Table Rows(int64_t first) {
  Table table;
  table.rows = 3;
  table.columns.resize(5);
  table.columns[0].integers = {first, first + 1, first + 2};
  table.columns[1].integers = {1, 2, 0};
  table.columns[1].null = {false, false, true};
  table.columns[2].reals = {0.5, 0, 1.5};
  table.columns[2].null = {false, true, false};
  table.columns[3].integers = {1, 0, 1};
  table.columns[4].integers = {1, 0, 1};
  table.columns[4].dictionary = {"a" + std::to_string(first), "b"};
  return table;
}

class RecordTable : public ::testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::remove_all(dir_);
    std::filesystem::create_directories(dir_);
  }
  void TearDown() override { std::filesystem::remove_all(dir_); }
  const std::string dir_ = ::testing::TempDir() + "lg_record_table." + std::to_string(getpid());
  const std::string stream_ = dir_ + "/x.arrows";
};

void ExpectRows(const Table& table, int64_t first) {
  ASSERT_EQ(table.rows, 3u);
  EXPECT_THAT(table.columns[0].integers, ElementsAre(first, first + 1, first + 2));
  EXPECT_TRUE(table.columns[1].IsNull(2));
  EXPECT_EQ(table.columns[1].integers[1], 2);
  EXPECT_TRUE(table.columns[2].IsNull(1));
  EXPECT_EQ(table.columns[2].reals[2], 1.5);
  EXPECT_THAT(table.columns[3].integers, ElementsAre(1, 0, 1));
  EXPECT_EQ(table.columns[4].Text(0), "b");
  EXPECT_EQ(table.columns[4].Text(1), "a" + std::to_string(first));
}

TEST_F(RecordTable, AnUnclosedStreamReadsBackEachBatchWithItsOwnDictionary) {
  auto writer = CreateStream(stream_, Spec());
  ASSERT_TRUE(writer.ok());
  ASSERT_TRUE((*writer)->Append(Rows(10)).ok());
  ASSERT_TRUE((*writer)->Append(Rows(20)).ok());
  const auto reader = OpenStream(stream_, Spec().columns);  // the writer is still open
  ASSERT_TRUE(reader.ok()) << reader.error().message;
  EXPECT_EQ((*reader)->metadata().at("lakegauge.v"), "1");
  ExpectRows(**(*reader)->Next(), 10);
  ExpectRows(**(*reader)->Next(), 20);
  EXPECT_FALSE((*reader)->Next()->has_value());
  EXPECT_FALSE((*reader)->truncated());
  EXPECT_EQ(CreateStream(stream_, Spec()).error().code, ErrorCode::kAlreadyExists);
}

TEST_F(RecordTable, ParquetReadsBackTheSameAndItsFileFacts) {
  auto writer = CreateParquet(dir_ + "/x.parquet", Spec());
  ASSERT_TRUE(writer.ok());
  ASSERT_TRUE((*writer)->Append(Rows(10)).ok());
  ASSERT_TRUE((*writer)->Append(Rows(20)).ok());
  ASSERT_TRUE((*writer)->Close().ok());
  const auto reader = OpenParquet(dir_ + "/x.parquet", {Spec().columns[4], Spec().columns[0]});
  ASSERT_TRUE(reader.ok()) << reader.error().message;
  EXPECT_THAT((*reader)->metadata(), ElementsAre(std::pair("lakegauge.v", "1")));
  const auto table = (*reader)->Next();
  ASSERT_TRUE(table.ok() && table->has_value());
  ASSERT_EQ((*table)->rows, 6u);
  EXPECT_EQ((*table)->columns[0].Text(4), "a20");
  EXPECT_EQ((*table)->columns[1].integers[5], 22);
}

TEST_F(RecordTable, AStreamCutAnywhereReadsAsTheBatchesBefore) {
  auto writer = CreateStream(stream_, Spec());
  ASSERT_TRUE((*writer)->Append(Rows(10)).ok());
  const auto one_batch = std::filesystem::file_size(stream_);
  ASSERT_TRUE((*writer)->Append(Rows(20)).ok());
  const std::string bytes = *ReadFile(stream_);
  for (size_t cut = 0; cut <= bytes.size(); ++cut) {
    const std::string head = bytes.substr(0, cut);
    const auto reader = OpenStreamBytes(std::as_bytes(std::span(head)), "cut", Spec().columns);
    ASSERT_TRUE(reader.ok()) << cut << ": " << reader.error().message;
    size_t batches = 0;
    while (true) {
      const auto table = (*reader)->Next();
      ASSERT_TRUE(table.ok()) << cut << ": " << table.error().message;
      if (!table->has_value()) break;
      ExpectRows(**table, batches == 0 ? 10 : 20);
      ++batches;
    }
    EXPECT_EQ(batches, cut == bytes.size() ? 2u : cut >= one_batch ? 1u : 0u) << cut;
    if (cut == bytes.size() || cut == one_batch) {
      EXPECT_FALSE((*reader)->truncated());
    }
    if (cut == bytes.size() - 1 || cut == one_batch - 1 || cut == one_batch + 1) {
      EXPECT_TRUE((*reader)->truncated());
    }
  }
}

TEST_F(RecordTable, WhatIsNotAStreamOrLacksAColumnIsNamed) {
  const std::string garbage = "this is not an Arrow stream at all";
  EXPECT_EQ(OpenStreamBytes(std::as_bytes(std::span(garbage)), "g", {}).error().code,
            ErrorCode::kCorrupt);
  auto writer = CreateStream(stream_, Spec());
  ASSERT_TRUE((*writer)->Append(Rows(10)).ok());
  auto reader = OpenStream(stream_, {{"missing", ColumnType::kInt64, false}});
  ASSERT_TRUE(reader.ok()) << reader.error().message;
  EXPECT_THAT((*reader)->Next().error().message, HasSubstr("no column missing"));
  reader = OpenStream(stream_, {{"id", ColumnType::kReal, false}});
  EXPECT_THAT((*reader)->Next().error().message, HasSubstr("column id is int64; allowed double"));
  EXPECT_EQ(OpenStream(dir_ + "/none", {}).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(OpenParquet(stream_, {}).error().code, ErrorCode::kCorrupt);
}

}  // namespace
}  // namespace lakegauge::columnar::records
