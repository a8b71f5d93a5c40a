#include "store/table_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lakegauge::store {
namespace {

using testing::HasSubstr;
using testing::UnorderedElementsAre;

const RequestContext kNobody;

TableSchema Readings() {
  return {"readings",
          {{"id", "VARCHAR"}, {"timestamp", "BIGINT"}, {"c0", "INTEGER"}},
          {"id"},
          {"timestamp"}};
}

std::vector<std::string> Rows(TableStore& store, const std::vector<std::string>& columns = {}) {
  std::vector<std::string> rows;
  const auto scanned = store.Scan(kNobody, "readings", columns, [&](const TableBatch& batch) {
    for (const auto& row : batch) {
      std::string text;
      for (const auto& value : row) text += (text.empty() ? "" : "|") + value.value_or("NULL");
      rows.push_back(text);
    }
    return Status();
  });
  EXPECT_TRUE(scanned.ok()) << scanned.error().message;
  return rows;
}

TEST(TableStore, RowsComeBackOnceAndTheLastOfAKeyWins) {
  const auto store = MakeMemoryTableStore();
  ASSERT_TRUE(store->Create(kNobody, Readings()).ok());
  ASSERT_TRUE(store->Load(kNobody, "readings", {{"a", "1", "5"}, {"a", "2", std::nullopt}}).ok());
  ASSERT_TRUE(store->Load(kNobody, "readings", {{"a", "1", "7"}, {"b", "1", "9"}}).ok());
  ASSERT_TRUE(store->Settle(kNobody, "readings").ok());
  EXPECT_THAT(Rows(*store), UnorderedElementsAre("a|1|7", "a|2|NULL", "b|1|9"));
  EXPECT_THAT(Rows(*store, {"c0"}), UnorderedElementsAre("7", "NULL", "9"));
  EXPECT_EQ((*store->Counters("readings"))["rows"], 3);
  EXPECT_EQ((*store->Counters("readings"))["partitions"], 2);
}

TEST(TableStore, ManyRowsComeInBatches) {
  const auto store = MakeMemoryTableStore();
  ASSERT_TRUE(store->Create(kNobody, Readings()).ok());
  TableBatch batch;
  for (int i = 0; i < 3000; ++i) batch.push_back({"p", std::to_string(i), "1"});
  ASSERT_TRUE(store->Load(kNobody, "readings", batch).ok());
  EXPECT_EQ(Rows(*store).size(), 3000u);
}

TEST(TableStore, WhatIsWrongIsNamed) {
  const auto store = MakeMemoryTableStore();
  EXPECT_EQ(store->Load(kNobody, "none", {}).error().code, ErrorCode::kNotFound);
  TableSchema schema = Readings();
  schema.partition_key = {"no_such"};
  EXPECT_THAT(store->Create(kNobody, schema).error().message, HasSubstr("no_such"));
  schema.partition_key = {};
  EXPECT_EQ(store->Create(kNobody, schema).error().code, ErrorCode::kInvalidArgument);
  ASSERT_TRUE(store->Create(kNobody, Readings()).ok());
  EXPECT_EQ(store->Create(kNobody, Readings()).error().code, ErrorCode::kAlreadyExists);
  EXPECT_EQ(store->Load(kNobody, "readings", {{"short"}}).error().code,
            ErrorCode::kInvalidArgument);
  EXPECT_TRUE(store->Drop(kNobody, "readings").ok());
  EXPECT_TRUE(store->Drop(kNobody, "readings").ok()) << "dropping what is not there is fine";
}

}  // namespace
}  // namespace lakegauge::store
