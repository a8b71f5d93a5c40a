#include "dataset/table_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <set>

#include "base/units.h"
#include "columnar/block_codec.h"

namespace lakegauge::dataset {
namespace {

using columnar::ColumnPlan;
using columnar::ColumnType;
using columnar::ColumnValues;
using columnar::Dictionary;
using columnar::Encoding;
using columnar::Physical;

// The sample: runs of rows spread evenly over the table, so that a table whose rows change along
// the way is still met.
constexpr int64_t kSampleRuns = 8;
constexpr int64_t kRunRows = 2048;
// A dictionary stands in every file, so it must be small ...
constexpr int64_t kDictionaryEntries = 1024;
constexpr size_t kDictionaryBytes = 8 * kKiB;
// ... and in a file of the usual smallest size save more than it takes there, by this factor.
constexpr double kDictionaryWorth = 2;
constexpr int64_t kUsualSmallestFile = kMiB;
// A unit's bytes: its pages are read as fast as DuckDB's own (measured; at 48 KiB engines took half
// as much CPU time again), and few are split where files end.
constexpr double kUnitBytes = 384 * kKiB;
constexpr int64_t kMostUnitRows = 65536;
constexpr double kPageOverhead = 40;  // header, levels' frame

using Sample = std::vector<std::vector<ColumnValues>>;  // runs of columns

struct Candidate {
  Encoding encoding = Encoding::kPlain;
  double bytes = 0;  // of the whole sample
};

Result<double> SampleBytes(const ColumnPlan& plan, const Sample& sample, size_t column,
                           const columnar::BlockCodec& codec) {
  std::string body;
  std::string packed;
  double bytes = 0;
  for (const auto& run : sample) {
    body.clear();
    packed.clear();
    if (!columnar::EncodePage(plan, run[column], &body)) {
      return MakeError(ErrorCode::kInternal, "a sample's value is not in its own dictionary");
    }
    LG_RETURN_IF_ERROR(codec.Append(body, &packed));
    bytes += static_cast<double>(packed.size()) + kPageOverhead;
  }
  return bytes;
}

std::vector<Encoding> EncodingsOf(const ColumnType& type) {
  switch (type.physical) {
    case Physical::kInt32:
    case Physical::kInt64:
      return {Encoding::kDelta, Encoding::kPlain};
    // Not DELTA_LENGTH_BYTE_ARRAY for text, though it is smaller: Spark 3.3 to 3.5 take a value's
    // length by its row and so read wrong text wherever a null came before
    // (VectorizedDeltaLengthByteArrayReader).
    default:
      return {Encoding::kPlain};
  }
}

bool MayHaveDictionary(const ColumnType& type) {
  return type.physical == Physical::kBytes || type.physical == Physical::kInt32 ||
         type.physical == Physical::kInt64;
}

void AppendOne(const ColumnType& type, const ColumnValues& from, size_t i, ColumnValues* to) {
  ++to->rows;
  to->valid.push_back(1);
  if (type.physical == Physical::kBytes) {
    const auto text = from.text(i);
    to->bytes.Append(text.data(), text.size());
    to->ends.push_back(static_cast<uint32_t>(to->bytes.size()));
  } else {
    const auto width = static_cast<size_t>(columnar::ValueWidth(type.physical));
    to->fixed.Append(from.fixed.data() + i * width, width);
  }
}

std::string Key(const ColumnType& type, const ColumnValues& values, size_t i) {
  if (type.physical == Physical::kBytes) return std::string(values.text(i));
  const auto width = static_cast<size_t>(columnar::ValueWidth(type.physical));
  return {values.fixed.data() + i * width, width};
}

bool Small(const ColumnType& type, const ColumnValues& distinct) {
  const size_t bytes = type.physical == Physical::kBytes
                           ? distinct.bytes.size() + 4 * distinct.ends.size()
                           : distinct.fixed.size();
  return distinct.rows <= kDictionaryEntries && bytes <= kDictionaryBytes;
}

// Distinct values of the sample, or nothing when there are too many.
std::shared_ptr<const Dictionary> SampleDictionary(const ColumnType& type, const Sample& sample,
                                                   size_t column) {
  std::set<std::string> seen;
  ColumnValues distinct;
  for (const auto& run : sample) {
    const auto n = static_cast<size_t>(run[column].count());
    for (size_t i = 0; i < n; ++i) {
      if (!seen.insert(Key(type, run[column], i)).second) continue;
      AppendOne(type, run[column], i, &distinct);
      if (!Small(type, distinct)) return nullptr;
    }
  }
  if (distinct.rows == 0) return nullptr;
  return std::make_shared<Dictionary>(type.physical, std::move(distinct));
}

// All values of the table's column in order, or nothing when they are too many after all.
Result<std::shared_ptr<const Dictionary>> TableDictionary(sql::Connection& connection,
                                                          const std::string& source,
                                                          const ColumnDef& column,
                                                          const ColumnType& type) {
  const std::string name = sql::QuoteName(column.name);
  LG_ASSIGN_OR_RETURN(
      auto stream, connection.Stream(
                       fmt::format("SELECT {0} FROM (SELECT DISTINCT {0} FROM {1} WHERE {0} IS NOT "
                                   "NULL LIMIT {2}) ORDER BY 1",
                                   name, source, kDictionaryEntries + 1)));
  LG_ASSIGN_OR_RETURN(auto reader, columnar::UnitReader::Open({type}, stream.schema, stream.next));
  std::vector<ColumnValues> values;
  LG_ASSIGN_OR_RETURN(const int64_t n, reader.Next(kDictionaryEntries + 1, &values));
  if (n == 0 || !Small(type, values[0])) return std::shared_ptr<const Dictionary>();
  return std::shared_ptr<const Dictionary>(
      std::make_shared<Dictionary>(type.physical, std::move(values[0])));
}

Result<Sample> TakeSample(sql::Connection& connection, const std::string& source,
                          const TablePlan& plan) {
  Sample sample;
  const int64_t runs = std::clamp<int64_t>(plan.rows / kRunRows, 1, kSampleRuns);
  for (int64_t i = 0; i < runs; ++i) {
    const int64_t begin = plan.rows * i / runs;
    const int64_t end = std::min(plan.rows, begin + kRunRows);
    LG_ASSIGN_OR_RETURN(auto reader,
                        ReadRows(connection, source, plan.columns, plan.types, begin, end));
    std::vector<ColumnValues> run;
    LG_ASSIGN_OR_RETURN(const int64_t n, reader.Next(end - begin, &run));
    if (n > 0) sample.push_back(std::move(run));
  }
  return sample;
}

}  // namespace

int64_t UnitRows(double row_bytes) {
  const double exponent = std::round(std::log2(kUnitBytes / std::max(row_bytes, 1e-3)));
  return std::clamp<int64_t>(int64_t{1} << static_cast<int>(std::clamp(exponent, 0.0, 40.0)), 1,
                             kMostUnitRows);
}

Result<columnar::UnitReader> ReadRows(sql::Connection& connection, const std::string& source,
                                      const std::vector<ColumnDef>& columns,
                                      const std::vector<ColumnType>& types, int64_t begin,
                                      int64_t end) {
  std::string names;
  for (const auto& column : columns) {
    if (!names.empty()) names += ", ";
    names += sql::QuoteName(column.name);
  }
  LG_ASSIGN_OR_RETURN(
      auto stream, connection.Stream(fmt::format("SELECT {} FROM {} WHERE rowid BETWEEN {} AND {}",
                                                 names, source, begin, end - 1)));
  return columnar::UnitReader::Open(types, stream.schema, stream.next);
}

Result<TablePlan> PlanTable(sql::Connection& connection, const std::string& source,
                            const TableDef& table) {
  TablePlan plan;
  plan.name = table.name;
  plan.columns = table.columns;
  for (const auto& column : table.columns) {
    LG_ASSIGN_OR_RETURN(const auto type, ColumnType::FromSql(column.name, column.type));
    plan.types.push_back(type);
  }
  LG_ASSIGN_OR_RETURN(const auto counted, connection.Query("SELECT count(*) FROM " + source));
  plan.rows = sql::ToInt(counted.rows[0][0]);
  LG_ASSIGN_OR_RETURN(const Sample sample, TakeSample(connection, source, plan));
  LG_ASSIGN_OR_RETURN(const auto codec, columnar::BlockCodec::Make("snappy"));
  double sample_rows = 0;
  for (const auto& run : sample) sample_rows += static_cast<double>(run[0].rows);

  // First the best encoding without a dictionary, which also says how many rows a small file has.
  std::vector<Candidate> best(plan.types.size());
  double total = 0;
  for (size_t c = 0; c < plan.types.size(); ++c) {
    bool first = true;
    for (const auto encoding : EncodingsOf(plan.types[c])) {
      LG_ASSIGN_OR_RETURN(const double bytes,
                          SampleBytes({plan.types[c], encoding, nullptr}, sample, c, codec));
      // The first is preferred unless the other is clearly smaller.
      if (first || bytes < 0.95 * best[c].bytes) best[c] = {encoding, bytes};
      first = false;
    }
    total += best[c].bytes;
  }
  const double sampled = std::max(sample_rows, 1.0);
  const double file_rows =
      std::min(static_cast<double>(plan.rows),
               static_cast<double>(kUsualSmallestFile) * sampled / std::max(total, 1.0));
  for (size_t c = 0; c < plan.types.size(); ++c) {
    ColumnPlan column{plan.types[c], best[c].encoding, nullptr};
    if (MayHaveDictionary(column.type)) {
      ColumnPlan tried{column.type, Encoding::kDictionary,
                       SampleDictionary(column.type, sample, c)};
      if (tried.dictionary != nullptr) {
        LG_ASSIGN_OR_RETURN(const double bytes, SampleBytes(tried, sample, c, codec));
        const double saved = (best[c].bytes - bytes) / sampled * file_rows;
        if (saved > kDictionaryWorth * static_cast<double>(tried.dictionary->page().size())) {
          LG_ASSIGN_OR_RETURN(tried.dictionary,
                              TableDictionary(connection, source, plan.columns[c], column.type));
          if (tried.dictionary != nullptr) {
            column = tried;
            total += bytes - best[c].bytes;
          }
        }
      }
    }
    plan.plans.push_back(std::move(column));
  }
  plan.row_bytes = std::max(total, 1.0) / sampled;
  plan.unit_rows = UnitRows(plan.row_bytes);
  return plan;
}

}  // namespace lakegauge::dataset
