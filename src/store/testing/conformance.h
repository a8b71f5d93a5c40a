#pragma once
// What every store and every decorator must do. A test program includes this once and instantiates
// StoreConformance with its makers.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "store/store.h"

namespace lakegauge::store {

struct StoreMaker {
  std::string name;
  std::function<std::unique_ptr<Store>()> make;  // an empty store
};

class StoreConformance : public ::testing::TestWithParam<StoreMaker> {
 protected:
  void SetUp() override { store_ = GetParam().make(); }
  void Put(const std::string& key, const std::string& content) {
    const auto written = WriteObject(*store_, context_, key, content);
    ASSERT_TRUE(written.ok()) << key << ": " << written.error().message;
  }
  std::string Get(const std::string& key) {
    const auto content = ReadObject(*store_, context_, key);
    return content.ok() ? *content : "error: " + content.error().message;
  }
  std::vector<std::string> Keys(const std::string& prefix) {
    const auto objects = ListAll(*store_, context_, prefix);
    std::vector<std::string> keys;
    if (!objects.ok()) return {"error: " + objects.error().message};
    for (const auto& object : *objects) keys.push_back(object.key);
    return keys;
  }
  std::string Read(Reader& reader, int64_t offset, size_t length) {
    std::string out(length, '\0');
    const auto got = reader.ReadAt(context_, offset, std::as_writable_bytes(std::span(out)));
    if (!got.ok()) return "error: " + got.error().message;
    out.resize(*got);
    return out;
  }
  std::unique_ptr<Store> store_;
  RequestContext context_;
};

TEST_P(StoreConformance, WhatWasCommittedIsReadBack) {
  Put("t/1.parquet", "hello");
  EXPECT_EQ(Get("t/1.parquet"), "hello");
  const auto info = store_->Stat(context_, "t/1.parquet");
  ASSERT_TRUE(info.ok() && info->has_value());
  EXPECT_EQ((*info)->key, "t/1.parquet");
  EXPECT_EQ((*info)->size, 5);
  Put("empty", "");
  EXPECT_EQ(Get("empty"), "");
  EXPECT_EQ((*store_->Stat(context_, "empty"))->size, 0);
}

TEST_P(StoreConformance, AMissingObjectIsAFactForStatAndAnErrorForOpen) {
  const auto info = store_->Stat(context_, "no/such");
  ASSERT_TRUE(info.ok());
  EXPECT_FALSE(info->has_value());
  EXPECT_EQ(store_->OpenRead(context_, "no/such", {}).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(store_->CopyWithin(context_, "no/such", "x").error().code, ErrorCode::kNotFound);
  EXPECT_TRUE(store_->Delete(context_, "no/such").ok());
}

TEST_P(StoreConformance, RangesAreShortOnlyAtTheEnd) {
  Put("k", "0123456789");
  const auto reader = store_->OpenRead(context_, "k", {});
  ASSERT_TRUE(reader.ok());
  EXPECT_EQ((*reader)->size(), 10);
  EXPECT_EQ(Read(**reader, 0, 4), "0123");
  EXPECT_EQ(Read(**reader, 7, 3), "789");
  EXPECT_EQ(Read(**reader, 7, 100), "789");
  EXPECT_EQ(Read(**reader, 10, 5), "");
  EXPECT_EQ(Read(**reader, 1000, 5), "");
  EXPECT_EQ(Read(**reader, 3, 0), "");
  EXPECT_FALSE((*reader)->ReadAt(context_, -1, {}).ok() &&
               Read(**reader, -1, 1).rfind("error", 0) != 0);
}

TEST_P(StoreConformance, AKnownSizeIsTaken) {
  Put("k", "0123456789");
  const auto reader = store_->OpenRead(context_, "k", {.size = 10});
  ASSERT_TRUE(reader.ok());
  EXPECT_EQ((*reader)->size(), 10);
  EXPECT_EQ(Read(**reader, 8, 8), "89");
}

TEST_P(StoreConformance, NothingIsSeenBeforeCommitNorAfterAbort) {
  Put("k", "old");
  {
    auto writer = store_->OpenWrite(context_, "k");
    ASSERT_TRUE(writer.ok());
    ASSERT_TRUE((*writer)->Append(std::as_bytes(std::span("new", 3))).ok());
    EXPECT_EQ(Get("k"), "old");
    (*writer)->Abort();
  }
  EXPECT_EQ(Get("k"), "old");
  {
    auto writer = store_->OpenWrite(context_, "other");
    ASSERT_TRUE((*writer)->Append(std::as_bytes(std::span("new", 3))).ok());
    // dropped without Commit
  }
  EXPECT_FALSE(store_->Stat(context_, "other")->has_value());
  EXPECT_THAT(Keys(""), ::testing::ElementsAre("k"));
}

TEST_P(StoreConformance, CommitReplacesTheWholeObject) {
  Put("k", "a longer first version");
  Put("k", "short");
  EXPECT_EQ(Get("k"), "short");
}

TEST_P(StoreConformance, ManySmallAppendsMakeOneObject) {
  auto writer = store_->OpenWrite(context_, "big");
  ASSERT_TRUE(writer.ok());
  std::string expected;
  for (int i = 0; i < 3000; ++i) {
    const std::string piece(static_cast<size_t>(i % 257), static_cast<char>('a' + i % 26));
    expected += piece;
    ASSERT_TRUE((*writer)->Append(std::as_bytes(std::span(piece))).ok());
  }
  const std::string large(700'000, 'z');
  expected += large;
  ASSERT_TRUE((*writer)->Append(std::as_bytes(std::span(large))).ok());
  ASSERT_TRUE((*writer)->Commit().ok());
  EXPECT_TRUE(Get("big") == expected);
}

TEST_P(StoreConformance, ListIsInByteOrderAndByPrefix) {
  // '-' and '.' come before '/', letters after it.
  for (const char* key : {"a/b", "a-b", "a.b", "ab", "a/b/c/d", "a/b-", "b", "B", "a/\xC3\xA9"}) {
    if (std::string(key) == "a/b/c/d") continue;
    Put(key, "x");
  }
  Put("a/c/d/e", "x");
  EXPECT_THAT(Keys(""), ::testing::ElementsAre("B", "a-b", "a.b", "a/b", "a/b-", "a/c/d/e",
                                               "a/\xC3\xA9", "ab", "b"));
  EXPECT_THAT(Keys("a/"), ::testing::ElementsAre("a/b", "a/b-", "a/c/d/e", "a/\xC3\xA9"));
  EXPECT_THAT(Keys("a/b"), ::testing::ElementsAre("a/b", "a/b-"));
  EXPECT_THAT(Keys("a/c"), ::testing::ElementsAre("a/c/d/e"));
  EXPECT_THAT(Keys("nothing"), ::testing::IsEmpty());
  EXPECT_THAT(Keys("no/such/folder/"), ::testing::IsEmpty());
}

TEST_P(StoreConformance, ListGivesSizes) {
  Put("a", "12345");
  const auto page = store_->List(context_, "", "");
  ASSERT_TRUE(page.ok());
  ASSERT_EQ(page->objects.size(), 1u);
  EXPECT_EQ(page->objects[0].size, 5);
  EXPECT_TRUE(page->next.empty());
}

TEST_P(StoreConformance, OddCharactersAreJustCharacters) {
  const std::vector<std::string> keys = {"a b/c+d/%2F=&?.parquet",
                                         "ss_sold_date_sk=2450815/1",
                                         "'\"\\",
                                         "\xE2\x82\xAC.csv",
                                         "new\nline",
                                         "~",
                                         ".hidden"};
  for (const auto& key : keys) Put(key, key);
  for (const auto& key : keys) EXPECT_EQ(Get(key), key);
  EXPECT_EQ(Keys("").size(), keys.size());
}

TEST_P(StoreConformance, KeysThatWouldLeaveTheRootAreRefused) {
  for (const std::string key :
       {"", "/", "/etc/passwd", "..", "../x", "a/../../x", "a/..", "a/./b", ".", "a//b", "a/"}) {
    EXPECT_EQ(store_->OpenRead(context_, key, {}).error().code, ErrorCode::kInvalidArgument) << key;
    EXPECT_EQ(store_->OpenWrite(context_, key).error().code, ErrorCode::kInvalidArgument) << key;
    EXPECT_EQ(store_->Stat(context_, key).error().code, ErrorCode::kInvalidArgument) << key;
    EXPECT_EQ(store_->Delete(context_, key).error().code, ErrorCode::kInvalidArgument) << key;
    EXPECT_EQ(store_->CopyWithin(context_, "x", key).ok(), false) << key;
  }
  const std::string nul("a\0b", 3);
  EXPECT_EQ(store_->OpenWrite(context_, nul).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(store_->List(context_, "../", "").error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(store_->List(context_, "..", "").error().code, ErrorCode::kInvalidArgument);
}

TEST_P(StoreConformance, CopyAndDelete) {
  Put("from", "content");
  ASSERT_TRUE(store_->CopyWithin(context_, "from", "deep/er/to").ok());
  EXPECT_EQ(Get("deep/er/to"), "content");
  ASSERT_TRUE(store_->Delete(context_, "from").ok());
  EXPECT_FALSE(store_->Stat(context_, "from")->has_value());
  EXPECT_EQ(Get("deep/er/to"), "content");
}

TEST_P(StoreConformance, ListPagesOfAThousandMissAndRepeatNothing) {
  constexpr int kObjects = 2'345;
  std::vector<std::string> expected;
  for (int i = 0; i < kObjects; ++i) {
    const std::string key = "p/" + std::to_string(i % 7) + "/" + std::to_string(i);
    expected.push_back(key);
    Put(key, "");
  }
  std::sort(expected.begin(), expected.end());
  std::vector<std::string> keys;
  std::string next;
  int pages = 0;
  do {
    const auto page = store_->List(context_, "p/", next);
    ASSERT_TRUE(page.ok());
    ASSERT_LE(page->objects.size(), kListPageKeys);
    for (const auto& object : page->objects) keys.push_back(object.key);
    next = page->next;
    ++pages;
  } while (!next.empty());
  EXPECT_EQ(pages, 3);
  EXPECT_EQ(keys, expected);
}

TEST_P(StoreConformance, OneReaderServesManyThreads) {
  std::string content;
  for (int i = 0; i < 50'000; ++i) content += static_cast<char>('a' + i % 23);
  Put("k", content);
  const auto reader = store_->OpenRead(context_, "k", {});
  ASSERT_TRUE(reader.ok());
  std::vector<std::string> wrong(4);
  {
    std::vector<std::jthread> threads;
    for (size_t t = 0; t < wrong.size(); ++t) {
      threads.emplace_back([&, t] {
        for (size_t i = 0; i < 200; ++i) {
          const size_t offset = (i * 977 + t * 131) % 49'000;
          std::string out(500, '\0');
          const auto got = (*reader)->ReadAt(context_, static_cast<int64_t>(offset),
                                             std::as_writable_bytes(std::span(out)));
          if (!got.ok()) {
            wrong[t] = got.error().message;
          } else if (out != content.substr(offset, 500)) {
            wrong[t] = "differs";
          }
        }
      });
    }
  }
  for (const auto& w : wrong) EXPECT_EQ(w, "");
}

TEST_P(StoreConformance, WritersOfOneKeyDoNotMix) {
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&, t] {
        for (int i = 0; i < 10; ++i) {
          const std::string content(10'000, static_cast<char>('a' + t));
          (void)WriteObject(*store_, context_, "shared", content).ok();
        }
      });
    }
  }
  const std::string content = Get("shared");
  ASSERT_EQ(content.size(), 10'000u);
  EXPECT_EQ(std::set<char>(content.begin(), content.end()).size(), 1u);
}

TEST_P(StoreConformance, DescribesItself) {
  const StoreDescription description = store_->Describe();
  EXPECT_FALSE(description.uri.empty());
  EXPECT_FALSE(description.kind.empty());
}

}  // namespace lakegauge::store
