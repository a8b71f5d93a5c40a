#include "record/samples.h"

#include <fmt/format.h>

#include <unordered_map>

#include "columnar/record_table.h"
#include "record/spool_files.h"

namespace lakegauge::record {
namespace {

namespace columnar = lakegauge::columnar::records;
using columnar::ColumnType;
using columnar::Table;

constexpr spool_files::RecordKind kKind{"samples", 1};
constexpr char kSpoolName[] = "samples";
constexpr std::string_view kKinds[] = {"counter", "gauge"};  // as SampleKind

// Order of the columns on disk; docs/formats.md describes them.
enum ColumnIndex { kSession, kTime, kSource, kMetric, kLabels, kKindOf, kValue };

const std::vector<columnar::ColumnSpec>& Columns() {
  static const std::vector<columnar::ColumnSpec> columns = {
      {"session", ColumnType::kInt64, false}, {"time_ns", ColumnType::kInt64, false},
      {"source", ColumnType::kText, false},   {"metric", ColumnType::kText, false},
      {"labels", ColumnType::kText, false},   {"kind", ColumnType::kText, false},
      {"value", ColumnType::kReal, false},
  };
  return columns;
}

// Texts as indexes into those that are distinct.
template <typename Get>
void FillTexts(columnar::Column& column, const std::vector<Sample>& samples, const Get& get) {
  std::unordered_map<std::string_view, int64_t> codes;
  for (const Sample& s : samples) {
    const std::string& text = get(s);
    const auto [at, added] = codes.emplace(text, static_cast<int64_t>(codes.size()));
    if (added) column.dictionary.push_back(text);
    column.integers.push_back(at->second);
  }
}

Table ToTable(const std::vector<Sample>& samples) {
  Table table;
  table.rows = samples.size();
  table.columns.resize(Columns().size());
  auto& c = table.columns;
  FillTexts(c[kSource], samples, [](const Sample& s) -> auto& { return s.source; });
  FillTexts(c[kMetric], samples, [](const Sample& s) -> auto& { return s.metric; });
  FillTexts(c[kLabels], samples, [](const Sample& s) -> auto& { return s.labels; });
  for (const std::string_view name : kKinds) c[kKindOf].dictionary.emplace_back(name);
  for (const Sample& s : samples) {
    c[kSession].integers.push_back(s.session);
    c[kTime].integers.push_back(s.time_ns);
    c[kKindOf].integers.push_back(static_cast<int64_t>(s.kind));
    c[kValue].reals.push_back(s.value);
  }
  return table;
}

Status FromTable(const Table& table, const std::string& origin, std::vector<Sample>& out) {
  const auto& c = table.columns;
  out.reserve(out.size() + table.rows);
  for (size_t row = 0; row < table.rows; ++row) {
    Sample s;
    s.session = c[kSession].integers[row];
    s.time_ns = c[kTime].integers[row];
    s.source = c[kSource].Text(row);
    s.metric = c[kMetric].Text(row);
    s.labels = c[kLabels].Text(row);
    const std::string& kind = c[kKindOf].Text(row);
    if (kind != kKinds[0] && kind != kKinds[1]) {
      return MakeError(ErrorCode::kCorrupt,
                       fmt::format("{}: kind '{}'; allowed counter, gauge", origin, kind));
    }
    s.kind = kind == kKinds[0] ? SampleKind::kCounter : SampleKind::kGauge;
    s.value = c[kValue].reals[row];
    out.push_back(std::move(s));
  }
  return {};
}

Result<StoredSamples> ReadAll(Result<std::unique_ptr<columnar::TableReader>> opened,
                              const std::string& origin) {
  StoredSamples stored;
  LG_ASSIGN_OR_RETURN(
      const bool whole,
      spool_files::EachBatch(std::move(opened), origin, kKind, [&](const Table& table) {
        return FromTable(table, origin, stored.samples);
      }));
  stored.truncated = !whole;
  return stored;
}

class ArrowSampleWriter : public SampleWriter {
 public:
  explicit ArrowSampleWriter(std::unique_ptr<columnar::TableWriter> stream)
      : stream_(std::move(stream)) {}
  Status Append(const std::vector<Sample>& samples) override {
    if (samples.empty()) return {};
    return stream_->Append(ToTable(samples));
  }
  Status Close() override { return stream_->Close(); }

 private:
  std::unique_ptr<columnar::TableWriter> stream_;
};

}  // namespace

Result<std::unique_ptr<SampleWriter>> SampleWriter::Open(const std::string& dir, int64_t session) {
  LG_ASSIGN_OR_RETURN(
      auto stream,
      spool_files::CreateSpool(dir, fmt::format("{}.{}", kSpoolName, session), Columns(), kKind));
  return std::unique_ptr<SampleWriter>(std::make_unique<ArrowSampleWriter>(std::move(stream)));
}

Result<StoredSamples> ReadSampleSpool(const std::string& path) {
  return ReadAll(columnar::OpenStream(path, Columns()), path);
}

Result<StoredSamples> ParseSampleSpool(std::span<const std::byte> bytes,
                                       const std::string& origin) {
  return ReadAll(columnar::OpenStreamBytes(bytes, origin, Columns()), origin);
}

Result<StoredSamples> ReadSamples(const std::string& path) {
  return ReadAll(columnar::OpenParquet(path, Columns()), path);
}

Status CompactSamples(const std::string& spool_dir, const std::string& path) {
  LG_ASSIGN_OR_RETURN(const auto pending,
                      spool_files::FindPending(spool_dir, kSpoolName, path, Columns(), kKind));
  if (!pending.fresh.empty()) {
    const std::string temporary = path + ".tmp";
    LG_ASSIGN_OR_RETURN(
        const auto writer,
        columnar::CreateParquet(
            temporary,
            {Columns(), spool_files::Metadata(kKind, spool_files::kSpoolsKey, pending.holds)}));
    const auto copy = [&](Result<std::unique_ptr<columnar::TableReader>> opened,
                          const std::string& origin) -> Status {
      // Batches are as small as a second: put together, or each would be a row group of its own.
      std::vector<Sample> samples;
      auto copied = spool_files::EachBatch(
          std::move(opened), origin, kKind,
          [&](const Table& table) -> Status { return FromTable(table, origin, samples); });
      if (!copied.ok()) return copied.error();
      return samples.empty() ? Status() : writer->Append(ToTable(samples));
    };
    if (pending.there) LG_RETURN_IF_ERROR(copy(columnar::OpenParquet(path, Columns()), path));
    for (const std::string& name : pending.fresh) {
      const std::string spool = spool_dir + "/" + name;
      LG_RETURN_IF_ERROR(copy(columnar::OpenStream(spool, Columns()), spool));
    }
    LG_RETURN_IF_ERROR(writer->Close());
    LG_RETURN_IF_ERROR(spool_files::PutInPlace(temporary, path));
  }
  return spool_files::Remove(spool_dir, pending.all);
}

}  // namespace lakegauge::record
