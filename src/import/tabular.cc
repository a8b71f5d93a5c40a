#include "import/tabular.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "import/delimited.h"
#include "import/values.h"

namespace lakegauge::imports {
namespace {

// jmeter.save.saveservice.* as JMeter 5 ships them, in the order CSVSaveService writes.
constexpr std::string_view kJmeterColumns[] = {
    "timeStamp",  "elapsed", "label",          "responseCode", "responseMessage", "threadName",
    "dataType",   "success", "failureMessage", "bytes",        "sentBytes",       "grpThreads",
    "allThreads", "URL",     "Latency",        "IdleTime",     "Connect"};

// Columns of one field; several are joined by '-'.
using Places = std::vector<size_t>;

class Columns {
 public:
  Columns(const Record& header, std::string path) : names_(header.fields), path_(std::move(path)) {
    for (std::string& name : names_) {
      while (!name.empty() && (name.back() == ' ' || name.back() == '\t')) name.pop_back();
      name.erase(0, std::min(name.find_first_not_of(" \t"), name.size()));
      plain_.push_back(PlainName(name));
    }
  }
  size_t size() const { return names_.size(); }
  const std::vector<std::string>& names() const { return names_; }
  bool IsHeader(const Record& record) const { return record.fields == names_; }

  std::optional<size_t> Find(std::string_view name) const {
    auto at = std::find(names_.begin(), names_.end(), name);
    if (at != names_.end()) return static_cast<size_t>(at - names_.begin());
    at = std::find(plain_.begin(), plain_.end(), PlainName(name));
    if (at == plain_.end()) return std::nullopt;
    return static_cast<size_t>(at - plain_.begin());
  }
  Result<Places> Named(const std::vector<std::string>& columns) const {
    Places places;
    for (const std::string& column : columns) {
      const auto at = Find(column);
      if (!at) {
        return MakeError(ErrorCode::kInvalidArgument,
                         fmt::format("{}: no column '{}'; there are {}", path_, column,
                                     fmt::join(names_, ", ")));
      }
      places.push_back(*at);
    }
    return places;
  }
  // What the user named, else the first known column that no other field was given.
  Result<Places> Of(const std::string& field, const Mapping& mapping) const {
    if (!mapping.Columns(field).empty()) return Named(mapping.Columns(field));
    for (const std::string& known : KnownColumns(field)) {
      const auto at = std::find(plain_.begin(), plain_.end(), known);
      if (at == plain_.end()) continue;
      const auto place = static_cast<size_t>(at - plain_.begin());
      if (!Taken(place, mapping)) return Places{place};
    }
    return Places{};
  }
  const std::vector<std::string>& plain() const { return plain_; }
  bool Taken(size_t place, const Mapping& mapping) const {
    for (const std::string& field : FieldNames()) {
      for (const std::string& column : mapping.Columns(field)) {
        if (Find(column) == place) return true;
      }
    }
    return false;
  }

 private:
  std::vector<std::string> names_;
  std::vector<std::string> plain_;
  std::string path_;
};

struct TimeColumn {
  Places places;
  double ns_per_unit = 0;
};

Error BadColumns(const std::string& path, const std::string& what, const Columns& columns) {
  return MakeError(
      ErrorCode::kInvalidArgument,
      fmt::format("{}: {}; its columns are {}", path, what, fmt::join(columns.names(), ", ")));
}

Result<TimeColumn> FindTime(const Columns& columns, const Mapping& mapping,
                            const std::string& path) {
  for (const auto& [field, ns] : {std::pair("seconds", 1e9), std::pair("ms", 1e6)}) {
    if (mapping.Columns(field).empty()) continue;
    LG_ASSIGN_OR_RETURN(const Places places, columns.Named(mapping.Columns(field)));
    if (places.size() > 1) {
      return MakeError(ErrorCode::kInvalidArgument, "a time comes from one column");
    }
    return TimeColumn{places, ns};
  }
  std::string without_unit;
  for (size_t i = 0; i < columns.size(); ++i) {
    const auto ns = NsPerUnitOf(columns.plain()[i]);
    if (!ns || columns.Taken(i, mapping)) continue;
    if (*ns > 0) return TimeColumn{{i}, *ns};
    without_unit = columns.names()[i];
  }
  if (!without_unit.empty()) {
    return MakeError(ErrorCode::kInvalidArgument,
                     fmt::format("{}: column '{}' does not say its unit; --map seconds={} or --map "
                                 "ms={} does",
                                 path, without_unit, without_unit, without_unit));
  }
  return BadColumns(path, "no column is a time in a known unit (--map seconds=COLUMN or ms=COLUMN)",
                    columns);
}

// Where each field of a sample stands in a row.
class RowReader {
 public:
  static Result<RowReader> Make(const Columns& columns, const TimeColumn& time,
                                const Mapping& mapping, const std::string& path) {
    RowReader reader;
    reader.time_ = time;
    for (const std::string& field : FieldNames()) {
      if (field == "seconds" || field == "ms") continue;
      LG_ASSIGN_OR_RETURN(reader.places_[field], columns.Of(field, mapping));
      if (const auto constant = mapping.Constant(field, path)) reader.constants_[field] = *constant;
    }
    if (reader.places_["query"].empty() && !reader.constants_.contains("query")) {
      return BadColumns(path,
                        "no column is the query (--map query=COLUMN, or COLUMN+COLUMN; or --set "
                        "query=NAME where there is but one)",
                        columns);
    }
    return reader;
  }

  Result<Sample> Read(const Record& record) const {
    Sample s;
    s.line = record.line;
    LG_RETURN_IF_ERROR(Name(record, "engine", &s.engine));
    LG_RETURN_IF_ERROR(Name(record, "store", &s.store));
    LG_RETURN_IF_ERROR(Name(record, "layout", &s.layout));
    LG_RETURN_IF_ERROR(Name(record, "dataset", &s.dataset));
    LG_RETURN_IF_ERROR(Name(record, "query", &s.query));
    if (const std::string text = Text(record, "iteration"); Has("iteration")) {
      LG_ASSIGN_OR_RETURN(s.iteration, Of("iteration", ReadInteger(text)));
    }
    if (const std::string text = Text(record, "stream"); !text.empty()) {
      LG_ASSIGN_OR_RETURN(s.stream, Of("stream", ReadName(text)));
    }
    LG_ASSIGN_OR_RETURN(s.warmup, Of("warmup", ReadBool(Text(record, "warmup"))));
    LG_ASSIGN_OR_RETURN(s.status, Of("status", ReadStatus(Text(record, "status"))));
    if (s.status != record::ExecutionStatus::kOk) s.error = Text(record, "error");
    if (const std::string text = Text(record, "rows"); !text.empty()) {
      LG_ASSIGN_OR_RETURN(s.rows, Of("rows", ReadInteger(text)));
    }
    if (const std::string text = Text(record, "started"); !text.empty()) {
      // A date without its zone tells no moment.
      if (const auto moment = ReadMoment(text); moment.ok()) s.start_utc_ns = *moment;
    }
    const std::string& time = record.fields[time_.places[0]];
    // What failed need not have taken a time.
    if (time.find_first_not_of(" \t") != std::string::npos ||
        s.status == record::ExecutionStatus::kOk) {
      LG_ASSIGN_OR_RETURN(s.elapsed_ns, Of("time", ReadTime(time, time_.ns_per_unit)));
    }
    return s;
  }
  // Columns that no field comes from.
  std::vector<std::string> Unused(const Columns& columns) const {
    std::vector<std::string> unused;
    for (size_t i = 0; i < columns.size(); ++i) {
      bool used = i == time_.places[0];
      for (const auto& [field, places] : places_) {
        used = used || std::find(places.begin(), places.end(), i) != places.end();
      }
      if (!used && !columns.names()[i].empty()) unused.push_back(columns.names()[i]);
    }
    return unused;
  }

 private:
  template <typename T>
  static Result<T> Of(const char* field, Result<T> result) {
    if (result.ok()) return result;
    return result.error().WithContext(field);
  }
  bool Has(const std::string& field) const { return !places_.at(field).empty(); }
  std::string Text(const Record& record, const std::string& field) const {
    const auto constant = constants_.find(field);
    if (constant != constants_.end()) return constant->second;
    std::string text;
    for (const size_t place : places_.at(field)) {
      if (!text.empty()) text += '-';
      text += record.fields[place];
    }
    return text;
  }
  Status Name(const Record& record, const char* field, std::string* out) const {
    if (!Has(field) && !constants_.contains(field)) return {};
    LG_ASSIGN_OR_RETURN(*out, Of(field, ReadName(Text(record, field))));
    return {};
  }

  TimeColumn time_;
  std::map<std::string, Places> places_;
  std::map<std::string, std::string> constants_;
};

std::string_view LineAt(std::string_view text, size_t at) {
  return text.substr(at, std::min(text.find('\n', at), text.size()) - at);
}

// Where the header begins: after comments and empty lines.
size_t HeaderAt(std::string_view text, int64_t* lines) {
  size_t at = 0;
  while (at < text.size()) {
    const std::string_view line = LineAt(text, at);
    if (!line.empty() && line[0] != '#' && line != "\r") break;
    at += line.size() + 1;
    ++*lines;
  }
  return std::min(at, text.size());
}

// Reads the rows that follow `columns`; `more` looks at a sample with its record, and says whether
// it is wanted.
template <typename More>
void ReadRows(DelimitedReader reader, int64_t lines_before, const Columns& columns,
              const RowReader& rows, const std::string& path, const More& more, Parsed* parsed) {
  while (auto record = reader.Next()) {
    record->line += lines_before;
    if (columns.IsHeader(*record)) continue;  // logs that were appended to one another
    if (record->problem.empty() && record->fields.size() != columns.size()) {
      record->problem =
          fmt::format("{} fields where the header names {}", record->fields.size(), columns.size());
    }
    if (!record->problem.empty()) {
      parsed->bad.push_back({path, record->line, record->problem});
      continue;
    }
    auto sample = rows.Read(*record);
    if (!sample.ok()) {
      parsed->bad.push_back({path, record->line, sample.error().message});
    } else if (more(*record, &*sample)) {
      parsed->samples.push_back(std::move(*sample));
    }
  }
}

}  // namespace

Result<Parsed> ParseCsv(std::string_view text, const std::string& path, const Mapping& mapping) {
  int64_t lines = 0;
  const size_t header_at = HeaderAt(text, &lines);
  const std::string_view rest = text.substr(header_at);
  const char delimiter = DelimiterOf(LineAt(rest, 0));
  DelimitedReader reader(rest, delimiter);
  const auto header = reader.Next();
  if (!header) return MakeError(ErrorCode::kInvalidArgument, path + ": it is empty");
  if (!header->problem.empty()) {
    return MakeError(ErrorCode::kInvalidArgument,
                     fmt::format("{}:{}: {}", path, lines + header->line, header->problem));
  }
  const Columns columns(*header, path);
  LG_ASSIGN_OR_RETURN(const TimeColumn time, FindTime(columns, mapping, path));
  LG_ASSIGN_OR_RETURN(const RowReader rows, RowReader::Make(columns, time, mapping, path));
  Parsed parsed;
  ReadRows(
      reader, lines, columns, rows, path, [](const Record&, Sample*) { return true; }, &parsed);
  if (const auto unused = rows.Unused(columns); !unused.empty()) {
    parsed.notes.push_back(
        fmt::format("{}: columns that were not used: {}", path, fmt::join(unused, ", ")));
  }
  return parsed;
}

Result<Parsed> ParseJmeterCsv(std::string_view text, const std::string& path,
                              const Mapping& mapping) {
  const std::string_view first = LineAt(text, 0);
  const char delimiter = DelimiterOf(first);
  DelimitedReader reader(text, delimiter);
  Record header;
  const bool has_header = PlainName(first).find("timestamp_elapsed") != std::string::npos ||
                          first.find("elapsed") != std::string_view::npos;
  if (has_header) {
    auto read = reader.Next();
    if (!read) return MakeError(ErrorCode::kInvalidArgument, path + ": it is empty");
    header = std::move(*read);
  } else {
    for (const std::string_view name : kJmeterColumns) header.fields.emplace_back(name);
  }
  const Columns columns(header, path);
  const auto elapsed = columns.Find("elapsed");
  if (!elapsed) {
    return BadColumns(path, "a JMeter log has a column 'elapsed'", columns);
  }
  LG_ASSIGN_OR_RETURN(const RowReader rows,
                      RowReader::Make(columns, {{*elapsed}, 1e6}, mapping, path));
  const auto message = columns.Find("responseMessage");
  const auto code = columns.Find("responseCode");
  const std::pair<const char*, std::optional<size_t>> kept[] = {
      {"latency", columns.Find("Latency")}, {"connect", columns.Find("Connect")}};
  Parsed parsed;
  int64_t sums = 0;
  ReadRows(
      reader, 0, columns, rows, path,
      [&](const Record& record, Sample* sample) {
        const std::string said = message ? record.fields[*message] : "";
        if (said.starts_with("Number of samples in transaction")) {
          ++sums;
          return false;
        }
        if (sample->status != record::ExecutionStatus::kOk && sample->error.empty()) {
          sample->error = (code ? record.fields[*code] + " " : "") + said;
        }
        for (const auto& [name, place] : kept) {
          if (!place) continue;
          const auto ms = ReadInteger(record.fields[*place]);
          if (ms.ok()) sample->metrics.push_back({name, static_cast<double>(*ms), "ms"});
        }
        return true;
      },
      &parsed);
  if (sums > 0) {
    parsed.notes.push_back(fmt::format("{}: {} left out: their samples are there", path,
                                       sums == 1
                                           ? "1 row of transactions was"
                                           : fmt::format("{} rows of transactions were", sums)));
  }
  return parsed;
}

}  // namespace lakegauge::imports
