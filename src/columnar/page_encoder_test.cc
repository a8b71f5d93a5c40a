// What is encoded here is read back by Arrow's own decoders: files are checked whole, page by page.
#include "columnar/page_encoder.h"

#include <arrow/io/memory.h>
#include <gtest/gtest.h>
#include <parquet/api/reader.h>
#include <parquet/encoding.h>

#include <cmath>
#include <limits>
#include <random>

#include "columnar/parquet_assembly.h"

namespace lakegauge::columnar {
namespace {

ColumnType Type(const std::string& sql) {
  auto type = ColumnType::FromSql("c", sql);
  EXPECT_TRUE(type.ok());
  return *type;
}

template <typename T>
ColumnValues Numbers(const std::vector<std::optional<T>>& values) {
  ColumnValues out;
  for (const auto& v : values) {
    ++out.rows;
    out.valid.push_back(v.has_value());
    if (v.has_value()) {
      out.fixed.Append(&*v, sizeof(T));
    } else {
      ++out.nulls;
    }
  }
  return out;
}

ColumnValues Texts(const std::vector<std::optional<std::string>>& values) {
  ColumnValues out;
  for (const auto& v : values) {
    ++out.rows;
    out.valid.push_back(v.has_value());
    if (v.has_value()) {
      out.bytes.Append(v->data(), v->size());
      out.ends.push_back(static_cast<uint32_t>(out.bytes.size()));
    } else {
      ++out.nulls;
    }
  }
  return out;
}

// A whole file of one column and the pages given.
std::string File(const ColumnPlan& plan, const std::vector<ColumnValues>& pages,
                 const std::string& compression) {
  auto codec = BlockCodec::Make(compression);
  std::string file = kParquetMagic;
  RowGroupFacts group;
  ChunkFacts chunk;
  chunk.offset = static_cast<int64_t>(file.size());
  if (plan.dictionary != nullptr) {
    auto page = MakeDictionaryPage(*plan.dictionary, *codec);
    file += page->bytes;
    chunk.dictionary_bytes = static_cast<int64_t>(page->bytes.size());
    chunk.uncompressed = page->uncompressed;
  }
  for (const auto& values : pages) {
    std::string body;
    EXPECT_TRUE(EncodePage(plan, values, &body));
    int64_t uncompressed = 0;
    EXPECT_TRUE(AppendDataPage(plan, values, body, *codec, &file, &uncompressed).ok());
    chunk.uncompressed += uncompressed;
    group.rows += values.rows;
    ++chunk.data_pages;
    Merge(plan.type, BoundsOf(plan.type, values), &chunk.bounds);
  }
  chunk.compressed = static_cast<int64_t>(file.size()) - chunk.offset;
  group.chunks.push_back(chunk);
  return file + MakeFooter({plan}, codec->parquet_number(), {group});
}

// Values as Arrow's reader finds them in the file.
template <typename DType>
std::vector<std::optional<typename DType::c_type>> Read(const std::string& file) {
  auto reader = parquet::ParquetFileReader::Open(
      std::make_shared<arrow::io::BufferReader>(arrow::Buffer::FromString(file)));
  std::vector<std::optional<typename DType::c_type>> out;
  for (int g = 0; g < reader->metadata()->num_row_groups(); ++g) {
    auto column =
        std::static_pointer_cast<parquet::TypedColumnReader<DType>>(reader->RowGroup(g)->Column(0));
    while (column->HasNext()) {
      std::vector<int16_t> levels(1000);
      const auto values = std::make_unique<typename DType::c_type[]>(1000);
      int64_t read = 0;
      const int64_t n = column->ReadBatch(1000, levels.data(), nullptr, values.get(), &read);
      int64_t next = 0;
      for (int64_t i = 0; i < n; ++i) {
        if (levels[static_cast<size_t>(i)] == 0) {
          out.push_back(std::nullopt);
        } else {
          out.push_back(values[static_cast<size_t>(next++)]);
        }
      }
    }
  }
  return out;
}

std::vector<std::optional<std::string>> ReadTexts(const std::string& file) {
  auto reader = parquet::ParquetFileReader::Open(
      std::make_shared<arrow::io::BufferReader>(arrow::Buffer::FromString(file)));
  std::vector<std::optional<std::string>> out;
  auto column = std::static_pointer_cast<parquet::ByteArrayReader>(reader->RowGroup(0)->Column(0));
  while (column->HasNext()) {
    int16_t level = 0;
    parquet::ByteArray value;
    int64_t read = 0;
    column->ReadBatch(1, &level, nullptr, &value, &read);
    if (level == 0) {
      out.push_back(std::nullopt);
    } else {
      out.push_back(std::string(reinterpret_cast<const char*>(value.ptr), value.len));
    }
  }
  return out;
}

// Numbers that stress a delta encoder: long equal runs, small steps, full-width jumps, nulls.
template <typename T>
std::vector<std::optional<T>> Awkward(size_t n, uint32_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::optional<T>> out;
  T last = 0;
  while (out.size() < n) {
    const auto kind = random() % 6;
    const size_t run = random() % 200;
    for (size_t i = 0; i < run && out.size() < n; ++i) {
      if (kind == 1) last = static_cast<T>(static_cast<std::make_unsigned_t<T>>(last) + 1);
      if (kind == 2) last = static_cast<T>(random() % 1000);
      if (kind == 3) last = static_cast<T>(random());
      if (kind == 4)
        last = i % 2 == 0 ? std::numeric_limits<T>::min() : std::numeric_limits<T>::max();
      if (kind == 5) {
        out.push_back(std::nullopt);
      } else {
        out.push_back(last);
      }
    }
  }
  return out;
}

class EveryCompression : public testing::TestWithParam<const char*> {};

TEST_P(EveryCompression, DeltaOf32BitsComesBackEqual) {
  const ColumnPlan plan{Type("INTEGER"), Encoding::kDelta, nullptr};
  for (const size_t n : {1, 2, 31, 32, 33, 128, 129, 130, 5000}) {
    const auto values = Awkward<int32_t>(n, static_cast<uint32_t>(n));
    EXPECT_EQ(Read<parquet::Int32Type>(File(plan, {Numbers(values)}, GetParam())), values) << n;
  }
}

TEST_P(EveryCompression, DeltaOf64BitsComesBackEqual) {
  const ColumnPlan plan{Type("BIGINT"), Encoding::kDelta, nullptr};
  for (const size_t n : {1, 127, 129, 5000}) {
    const auto values = Awkward<int64_t>(n, static_cast<uint32_t>(n));
    EXPECT_EQ(Read<parquet::Int64Type>(File(plan, {Numbers(values)}, GetParam())), values) << n;
  }
}

TEST_P(EveryCompression, PagesOfOneChunkFollowEachOther) {
  const ColumnPlan plan{Type("DECIMAL(7,2)"), Encoding::kDelta, nullptr};
  const auto first = Awkward<int32_t>(700, 1);
  const auto second = Awkward<int32_t>(300, 2);
  auto both = first;
  both.insert(both.end(), second.begin(), second.end());
  EXPECT_EQ(Read<parquet::Int32Type>(File(plan, {Numbers(first), Numbers(second)}, GetParam())),
            both);
}

TEST_P(EveryCompression, TextComesBackEqual) {
  const std::vector<std::optional<std::string>> values = {
      "", "a", std::nullopt, std::string(100'000, 'x'), "\xF0\x9F\x90\x9F", std::string("\0\1", 2)};
  const ColumnPlan plan{Type("VARCHAR"), Encoding::kPlain, nullptr};
  EXPECT_EQ(ReadTexts(File(plan, {Texts(values)}, GetParam())), values);
}

TEST_P(EveryCompression, NullOnlyColumnsComeBackNull) {
  const std::vector<std::optional<int32_t>> nulls(300, std::nullopt);
  for (const auto encoding : {Encoding::kDelta, Encoding::kPlain}) {
    EXPECT_EQ(Read<parquet::Int32Type>(
                  File({Type("INTEGER"), encoding, nullptr}, {Numbers(nulls)}, GetParam())),
              nulls);
  }
}

INSTANTIATE_TEST_SUITE_P(PageEncoder, EveryCompression,
                         testing::Values("none", "snappy", "zstd", "lz4"));

TEST(PageEncoder, DictionaryCodesComeBackAsTheirValuesInRunsAndMixed) {
  std::vector<std::optional<std::string>> words;
  for (int i = 0; i < 300; ++i) words.push_back("word" + std::to_string(i));
  for (const size_t distinct : {1, 2, 3, 255, 256, 257, 300}) {
    const std::vector<std::optional<std::string>> entries(
        words.begin(), words.begin() + static_cast<long>(distinct));
    const ColumnPlan plan{Type("VARCHAR"), Encoding::kDictionary,
                          std::make_shared<Dictionary>(Physical::kBytes, Texts(entries))};
    std::mt19937 random(static_cast<uint32_t>(distinct));
    std::vector<std::optional<std::string>> values;
    while (values.size() < 4000) {
      const auto& word = words[random() % distinct];
      const size_t run = random() % 3 == 0 ? random() % 50 : 1;
      for (size_t i = 0; i < run; ++i) values.push_back(random() % 20 == 0 ? std::nullopt : word);
    }
    EXPECT_EQ(ReadTexts(File(plan, {Texts(values)}, "snappy")), values) << distinct;
  }
}

TEST(PageEncoder, DictionaryOfNumbers) {
  const ColumnPlan plan{
      Type("BIGINT"), Encoding::kDictionary,
      std::make_shared<Dictionary>(Physical::kInt64, Numbers<int64_t>({-5, 0, int64_t{1} << 60}))};
  const std::vector<std::optional<int64_t>> values = {0, -5, std::nullopt, int64_t{1} << 60, 0, 0};
  EXPECT_EQ(Read<parquet::Int64Type>(File(plan, {Numbers(values)}, "none")), values);
}

TEST(PageEncoder, AValueOutsideTheDictionaryIsNoticed) {
  const ColumnPlan plan{Type("VARCHAR"), Encoding::kDictionary,
                        std::make_shared<Dictionary>(Physical::kBytes, Texts({"a", "b"}))};
  std::string body;
  EXPECT_FALSE(EncodePage(plan, Texts({"a", "c"}), &body));
}

TEST(PageEncoder, BooleansAndDoubles) {
  ColumnValues flags = Numbers<uint8_t>({1, 0, std::nullopt, 1, 1, 0, 0, 0, 1, 1});
  EXPECT_EQ(Read<parquet::BooleanType>(
                File({Type("BOOLEAN"), Encoding::kPlain, nullptr}, {std::move(flags)}, "snappy")),
            (std::vector<std::optional<bool>>{true, false, std::nullopt, true, true, false, false,
                                              false, true, true}));
  const std::vector<std::optional<double>> doubles = {1.5, std::nullopt, -0.0, 1e300};
  EXPECT_EQ(Read<parquet::DoubleType>(
                File({Type("DOUBLE"), Encoding::kPlain, nullptr}, {Numbers(doubles)}, "snappy")),
            doubles);
}

TEST(Bounds, AreLeastAndGreatestBySignAndWidth) {
  const auto signed_bounds = BoundsOf(Type("INTEGER"), Numbers<int32_t>({-1, 5, std::nullopt}));
  EXPECT_TRUE(signed_bounds.known);
  EXPECT_EQ(signed_bounds.nulls, 1);
  EXPECT_EQ(signed_bounds.min, std::string("\xFF\xFF\xFF\xFF", 4));
  EXPECT_EQ(signed_bounds.max, std::string("\5\0\0\0", 4));
  const auto unsigned_bounds = BoundsOf(Type("UINTEGER"), Numbers<int32_t>({-1, 5}));
  EXPECT_EQ(unsigned_bounds.max, std::string("\xFF\xFF\xFF\xFF", 4));
}

TEST(Bounds, TextComparesByBytesAndLongTextHasNone) {
  const auto text = BoundsOf(Type("VARCHAR"), Texts({"b", "\xC3\xA9", "a"}));
  EXPECT_EQ(text.min, "a");
  EXPECT_EQ(text.max, "\xC3\xA9");
  EXPECT_FALSE(BoundsOf(Type("VARCHAR"), Texts({std::string(65, 'a')})).known);
}

TEST(Bounds, ANanOrALongTextAnywhereLeavesTheWholeChunkWithout) {
  const auto type = Type("DOUBLE");
  Bounds all = BoundsOf(type, Numbers<double>({1, 2}));
  Merge(type, BoundsOf(type, Numbers<double>({std::nan("")})), &all);
  Merge(type, BoundsOf(type, Numbers<double>({3})), &all);
  EXPECT_FALSE(all.known);
}

TEST(Bounds, PagesOfNullsOnlyDoNotSpoilTheOthers) {
  const auto type = Type("INTEGER");
  Bounds all;
  Merge(type, BoundsOf(type, Numbers<int32_t>({std::nullopt})), &all);
  Merge(type, BoundsOf(type, Numbers<int32_t>({7, 3})), &all);
  EXPECT_TRUE(all.known);
  EXPECT_EQ(all.nulls, 1);
  EXPECT_EQ(all.min, std::string("\3\0\0\0", 4));
}

TEST(ColumnValues, ASliceHoldsItsRowsAndNoOthers) {
  const auto numbers =
      Numbers<int32_t>({1, std::nullopt, 3, 4, std::nullopt}).Slice(Physical::kInt32, 1, 3);
  EXPECT_EQ(numbers.rows, 3);
  EXPECT_EQ(numbers.nulls, 1);
  EXPECT_EQ(numbers.as<int32_t>()[0], 3);
  EXPECT_EQ(numbers.as<int32_t>()[1], 4);
  const auto texts = Texts({"ab", std::nullopt, "", "cde"}).Slice(Physical::kBytes, 1, 3);
  EXPECT_EQ(texts.count(), 2);
  EXPECT_EQ(texts.text(0), "");
  EXPECT_EQ(texts.text(1), "cde");
  EXPECT_EQ(Texts({std::nullopt}).Slice(Physical::kBytes, 0, 1).nulls, 1);
}

TEST(ColumnType, NestedTypesAreRefusedByName) {
  const auto type = ColumnType::FromSql("tags", "VARCHAR[]");
  ASSERT_FALSE(type.ok());
  EXPECT_EQ(type.error().code, ErrorCode::kUnsupported);
  EXPECT_NE(type.error().message.find("tags"), std::string::npos);
}

}  // namespace
}  // namespace lakegauge::columnar
