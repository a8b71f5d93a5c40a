#include "columnar/content_fingerprint.h"

#include <gtest/gtest.h>
#include <xxhash.h>

#include "columnar/csv_encoder.h"

namespace lakegauge::columnar {
namespace {

ColumnType Type(const std::string& name, const std::string& sql) {
  return *ColumnType::FromSql(name, sql);
}

// Rows (1, 'a'), (NULL, ''), built by hand.
struct TwoColumns {
  std::vector<ColumnType> types{Type("n", "INTEGER"), Type("t", "VARCHAR")};
  std::vector<ColumnValues> columns{2};
  explicit TwoColumns(bool swapped) {
    const int32_t one = 1;
    columns[0].rows = columns[1].rows = 2;
    columns[0].nulls = 1;
    columns[0].fixed.Append(&one, 4);
    columns[1].valid = {1, 1};
    columns[1].bytes.Append("a", 1);
    columns[0].valid = swapped ? std::vector<uint8_t>{0, 1} : std::vector<uint8_t>{1, 0};
    columns[1].ends = swapped ? std::vector<uint32_t>{0, 1} : std::vector<uint32_t>{1, 1};
  }
};

std::string TextOf(const TwoColumns& rows) {
  ContentFingerprint f;
  f.Add(rows.types, rows.columns);
  return f.Text();
}

TEST(ContentFingerprint, IsTheSumAndXorOfXxh64OverCanonicalRowBytes) {
  const std::string first("\1\0\0\0\0\0\0\0\1\1\0\0\0\0\0\0\0\1a", 19);
  const std::string second("\0\1\0\0\0\0\0\0\0\0", 10);
  const uint64_t a = XXH64(first.data(), first.size(), 0);
  const uint64_t b = XXH64(second.data(), second.size(), 0);
  char expected[64];
  std::snprintf(expected, sizeof expected, "xxh64:%016lx:%016lx:2", a + b, a ^ b);
  EXPECT_EQ(TextOf(TwoColumns(false)), expected);
}

TEST(ContentFingerprint, DoesNotDependOnTheOrderOfRowsNorOnHowTheyAreSplit) {
  EXPECT_EQ(TextOf(TwoColumns(false)), TextOf(TwoColumns(true)));
  const TwoColumns rows(false);
  ContentFingerprint halves;
  for (int r = 0; r < 2; ++r) {
    std::vector<ColumnValues> one;
    one.push_back(rows.columns[0].Slice(Physical::kInt32, r, 1));
    one.push_back(rows.columns[1].Slice(Physical::kBytes, r, 1));
    ContentFingerprint half;
    half.Add(rows.types, one);
    halves.Merge(half);
  }
  EXPECT_EQ(halves.Text(), TextOf(rows));
}

TEST(ContentFingerprint, TellsNullFromEmptyText) {
  std::vector<ColumnType> types{Type("t", "VARCHAR")};
  std::vector<ColumnValues> null(1);
  null[0].rows = null[0].nulls = 1;
  null[0].valid = {0};
  std::vector<ColumnValues> empty(1);
  empty[0].rows = 1;
  empty[0].valid = {1};
  empty[0].ends = {0};
  ContentFingerprint a;
  ContentFingerprint b;
  a.Add(types, null);
  b.Add(types, empty);
  EXPECT_NE(a.Text(), b.Text());
}

template <typename T>
std::string Csv(const std::string& sql, std::vector<T> values) {
  ColumnValues column;
  column.rows = static_cast<int64_t>(values.size());
  column.valid.assign(values.size(), 1);
  column.fixed.Append(values.data(), values.size() * sizeof(T));
  std::string out;
  EncodeCsv({Type("c", sql)}, {&column}, &out);
  return out;
}

TEST(Csv, NumbersDatesAndTimesAsSqlReadsThem) {
  EXPECT_EQ(Csv<int32_t>("DECIMAL(7,2)", {0, 5, -5, 123456}), "0.00\n0.05\n-0.05\n1234.56\n");
  EXPECT_EQ(Csv<int32_t>("DATE", {0, -1, 11016, 19782}),
            "1970-01-01\n1969-12-31\n2000-02-29\n2024-02-29\n");
  EXPECT_EQ(Csv<int64_t>("TIMESTAMP", {0, -1, 1'000'001}),
            "1970-01-01 00:00:00\n1969-12-31 23:59:59.999999\n1970-01-01 00:00:01.000001\n");
  EXPECT_EQ(Csv<int32_t>("UINTEGER", {-1}), "4294967295\n");
  EXPECT_EQ(Csv<uint8_t>("BOOLEAN", {1, 0}), "true\nfalse\n");
  EXPECT_EQ(Csv<double>("DOUBLE", {0.1, 1e300}), "0.1\n1e+300\n");
}

TEST(Csv, TextIsQuotedWhereItMustBeAndEmptyTextIsNotNull) {
  ColumnValues column;
  std::vector<std::string> values = {"plain", "a,b", "say \"x\"", "two\nlines", "", " led"};
  for (const auto& v : values) {
    column.bytes.Append(v.data(), v.size());
    column.ends.push_back(static_cast<uint32_t>(column.bytes.size()));
  }
  column.rows = 7;
  column.nulls = 1;
  column.valid = {1, 1, 1, 1, 1, 1, 0};
  std::string out;
  EncodeCsv({Type("c", "VARCHAR")}, {&column}, &out);
  EXPECT_EQ(out, "plain\n\"a,b\"\n\"say \"\"x\"\"\"\n\"two\nlines\"\n\"\"\n\" led\"\n\n");
}

}  // namespace
}  // namespace lakegauge::columnar
