#include "record/journal.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <limits>
#include <map>
#include <mutex>
#include <optional>
#include <set>

#include "base/files.h"
#include "record/json_lines.h"

namespace lakegauge::record {
namespace {

constexpr std::array<std::pair<ExecutionStatus, std::string_view>, 5> kStatusNames{
    {{ExecutionStatus::kOk, "ok"},
     {ExecutionStatus::kFailed, "failed"},
     {ExecutionStatus::kTimeout, "timeout"},
     {ExecutionStatus::kWrongResult, "wrong_result"},
     {ExecutionStatus::kCancelled, "cancelled"}}};

OrderedJson OrNull(int64_t known) { return known < 0 ? OrderedJson() : OrderedJson(known); }

// Begin and end lines share these; what an end line adds is in EndLine.
OrderedJson BeginLine(const Execution& e, const char* type) {
  return {{"v", kFormatVersion},
          {"type", type},
          {"execution", e.id},
          {"cell", e.cell},
          {"stream", e.stream},
          {"iteration", e.iteration},
          {"position", e.position},
          {"query", e.query},
          {"warmup", e.warmup},
          {"cache", e.cache},
          {"resident_bytes", e.resident_bytes < 0 ? OrderedJson() : OrderedJson(e.resident_bytes)},
          {"session", e.session},
          {"start_ns", OrNull(e.start_ns)},
          {"start_utc_ns", OrNull(e.start_utc_ns)}};
}

OrderedJson EndLine(const Execution& e) {
  OrderedJson line = BeginLine(e, "end");
  line["status"] = ExecutionStatusName(e.status);
  line["end_ns"] = OrNull(e.end_ns);
  line["elapsed_ns"] = OrNull(e.elapsed_ns);
  line["cpu_ns"] = OrNull(e.cpu_ns);
  line["rows"] = OrNull(e.rows);
  line["result_fingerprint"] = e.result_fingerprint;
  line["answer_check"] = e.answer_check;
  line["requests"] = OrNull(e.requests);
  line["bytes_read"] = OrNull(e.bytes_read);
  line["blocked_ns"] = OrNull(e.blocked_ns);
  line["wait_lane_ns"] = OrNull(e.wait_lane_ns);
  line["main_thread"] = e.main_thread;
  line["threads"] = OrderedJson::array();
  for (const auto& t : e.threads) {
    line["threads"].push_back(
        {{"thread", t.thread}, {"cpu_start_ns", t.start_ns}, {"cpu_end_ns", t.end_ns}});
  }
  line["machine_busy_s"] = e.machine_busy_s;
  line["error"] = e.error;
  line["metrics"] = OrderedJson::array();
  for (const auto& m : e.metrics) {
    line["metrics"].push_back({{"name", m.name}, {"value", m.value}, {"unit", m.unit}});
  }
  return line;
}

// Reads one line's members; the first that is missing or of another type is remembered.
class Fields {
 public:
  explicit Fields(const Json& line) : line_(line) {}
  template <typename T>
  T Get(const char* key) {
    const auto at = line_.find(key);
    if (at == line_.end()) return Wrong<T>(key, "is missing");
    if constexpr (std::is_same_v<T, bool>) {
      if (!at->is_boolean()) return Wrong<T>(key, "is no boolean");
      return at->template get<T>();
    } else if constexpr (std::is_integral_v<T>) {
      if (!at->is_number_integer()) return Wrong<T>(key, "is no integer");
      const auto wide = at->template get<int64_t>();
      if (at->is_number_unsigned() && wide < 0) return Wrong<T>(key, "is too large");
      if (wide < std::numeric_limits<T>::min() || wide > std::numeric_limits<T>::max()) {
        return Wrong<T>(key, "is too large");
      }
      return static_cast<T>(wide);
    } else if constexpr (std::is_floating_point_v<T>) {
      if (at->is_null()) return std::numeric_limits<T>::quiet_NaN();  // how JSON has NaN
      if (!at->is_number()) return Wrong<T>(key, "is no number");
      return at->template get<T>();
    } else {
      if (!at->is_string()) return Wrong<T>(key, "is no text");
      return at->template get<T>();
    }
  }
  int64_t GetOrNull(const char* key) {
    const auto at = line_.find(key);
    return at != line_.end() && at->is_null() ? -1 : Get<int64_t>(key);
  }
  // Of a field that earlier versions did not write: absent is null.
  int64_t GetOrAbsent(const char* key) { return line_.contains(key) ? GetOrNull(key) : -1; }
  const Json& Facts() {
    static const Json kNone = Json::object();
    const auto at = line_.find("facts");
    return at == line_.end() ? kNone : *at;
  }
  const Json& Array(const char* key) {
    static const Json kNone = Json::array();
    const auto at = line_.find(key);
    if (at == line_.end() || !at->is_array()) {
      Wrong<int>(key, "is no list");
      return kNone;
    }
    return *at;
  }
  void Fail(std::string why) {
    if (problem_.empty()) problem_ = std::move(why);
  }
  const std::string& problem() const { return problem_; }

 private:
  template <typename T>
  T Wrong(const char* key, const char* what) {
    Fail(fmt::format("'{}' {}", key, what));
    return T{};
  }
  const Json& line_;
  std::string problem_;
};

Execution ReadBegin(Fields& f) {
  Execution e;
  e.id = f.Get<int64_t>("execution");
  e.cell = f.Get<std::string>("cell");
  e.stream = f.Get<int32_t>("stream");
  e.iteration = f.Get<int32_t>("iteration");
  e.position = f.Get<int32_t>("position");
  e.query = f.Get<std::string>("query");
  e.warmup = f.Get<bool>("warmup");
  e.cache = f.Get<std::string>("cache");
  e.resident_bytes = f.GetOrAbsent("resident_bytes");
  e.session = f.Get<int64_t>("session");
  e.start_ns = f.GetOrNull("start_ns");
  e.start_utc_ns = f.GetOrNull("start_utc_ns");
  return e;
}

Execution ReadEnd(Fields& f) {
  Execution e = ReadBegin(f);
  const auto status = f.Get<std::string>("status");
  const auto known = std::find_if(kStatusNames.begin(), kStatusNames.end(),
                                  [&](const auto& s) { return s.second == status; });
  if (known == kStatusNames.end()) {
    f.Fail(fmt::format("'status' is '{}'; allowed ok, failed, timeout, wrong_result, cancelled",
                       status));
  } else {
    e.status = known->first;
  }
  e.end_ns = f.GetOrNull("end_ns");
  e.elapsed_ns = f.GetOrNull("elapsed_ns");
  e.cpu_ns = f.GetOrNull("cpu_ns");
  e.rows = f.GetOrNull("rows");
  e.result_fingerprint = f.Get<std::string>("result_fingerprint");
  e.answer_check = f.Get<std::string>("answer_check");
  e.requests = f.GetOrNull("requests");
  e.bytes_read = f.GetOrNull("bytes_read");
  e.blocked_ns = f.GetOrNull("blocked_ns");
  e.wait_lane_ns = f.GetOrNull("wait_lane_ns");
  e.main_thread = f.Get<int64_t>("main_thread");
  for (const Json& item : f.Array("threads")) {
    Fields t(item);
    e.threads.push_back(
        {t.Get<int32_t>("thread"), t.Get<int64_t>("cpu_start_ns"), t.Get<int64_t>("cpu_end_ns")});
    if (!t.problem().empty()) f.Fail("threads: " + t.problem());
  }
  e.machine_busy_s = f.Get<double>("machine_busy_s");
  e.error = f.Get<std::string>("error");
  for (const Json& item : f.Array("metrics")) {
    Fields m(item);
    e.metrics.push_back(
        {m.Get<std::string>("name"), m.Get<double>("value"), m.Get<std::string>("unit")});
    if (!m.problem().empty()) f.Fail("metrics: " + m.problem());
  }
  return e;
}

// The journal's lines put together, one by one.
class Assembler {
 public:
  Status Take(const Json& line) {
    if (!line.is_object()) return Bad("no JSON object");
    Fields f(line);
    const auto version = f.Get<int64_t>("v");
    if (!f.problem().empty()) return Bad(f.problem());
    if (version > kFormatVersion) {
      return MakeError(
          ErrorCode::kUnsupported,
          fmt::format("version {}; this lakegauge reads up to {}", version, kFormatVersion));
    }
    const auto type = f.Get<std::string>("type");
    if (type == "session") {
      journal_.session_infos.push_back({f.Get<int64_t>("session"), f.Get<int64_t>("monotonic_ns"),
                                        f.Get<int64_t>("utc_ns"), f.Facts()});
      ++journal_.sessions;
    } else if (type == "cell_begin") {
      journal_.cell_facts[f.Get<std::string>("cell")] = f.Facts();
    } else if (type == "cell_end") {
      journal_.cells_ended.push_back(f.Get<std::string>("cell"));
    } else if (type == "begin") {
      const Execution e = ReadBegin(f);
      if (const auto end = ended_.find(e.id); end != ended_.end() && !RunsAgain(end->second, e)) {
        f.Fail(fmt::format("execution {} begins after its end", e.id));
      }
      begun_.insert(e.id);
    } else if (type == "end") {
      Execution e = ReadEnd(f);
      // Whatever runs again does so from a begin line of its own.
      if (begun_.erase(e.id) == 0) {
        f.Fail(fmt::format("execution {} {}", e.id,
                           ended_.contains(e.id) ? "ends twice" : "ends without a begin"));
      }
      if (e.status != ExecutionStatus::kCancelled) ended_[e.id] = {e.status, e.session};
      if (f.problem().empty()) journal_.finished.push_back(std::move(e));
    } else if (type == "event") {
      journal_.events.emplace_back(f.Get<std::string>("name"), f.Facts());
    } else {
      f.Fail(fmt::format("'type' is '{}'; allowed session, cell_begin, cell_end, begin, end, event",
                         type));
    }
    if (!f.problem().empty()) return Bad(f.problem());
    return {};
  }
  Journal Finish() {
    journal_.begun_only.assign(begun_.begin(), begun_.end());
    std::vector<Execution> finished;
    for (Execution& e : journal_.finished) {
      const bool newest =
          e.status == ExecutionStatus::kCancelled || e.session == ended_[e.id].session;
      (newest ? finished : journal_.retried).push_back(std::move(e));
    }
    journal_.finished = std::move(finished);
    return std::move(journal_);
  }

 private:
  struct Ended {
    ExecutionStatus status = ExecutionStatus::kOk;
    int64_t session = 0;
  };
  // What failed may run once more in a later session.
  static bool RunsAgain(const Ended& end, const Execution& begun) {
    return begun.session > end.session && MayBeRetried(end.status);
  }
  static Error Bad(std::string why) { return MakeError(ErrorCode::kCorrupt, std::move(why)); }
  Journal journal_;
  std::set<int64_t> begun_;
  std::map<int64_t, Ended> ended_;
};

// Texts come from engines and need not be UTF-8.
std::string Dump(const OrderedJson& line) {
  return line.dump(-1, ' ', false, OrderedJson::error_handler_t::replace);
}

OrderedJson Line(const char* type) { return {{"v", kFormatVersion}, {"type", type}}; }

}  // namespace

std::string_view ExecutionStatusName(ExecutionStatus status) {
  for (const auto& [value, name] : kStatusNames) {
    if (value == status) return name;
  }
  return "failed";
}

bool MayBeRetried(ExecutionStatus status) {
  return status == ExecutionStatus::kFailed || status == ExecutionStatus::kTimeout;
}

struct JournalWriter::State {
  int fd = -1;
  std::string path;
  std::mutex mutex;
  bool sync_each_line = true;
  off_t size = 0;  // of the whole lines; what a failed write left after it is cut
};

JournalWriter::JournalWriter(int fd) : state_(std::make_unique<State>()) { state_->fd = fd; }

JournalWriter::~JournalWriter() { close(state_->fd); }

Result<std::unique_ptr<JournalWriter>> JournalWriter::Open(const std::string& path, Sync sync) {
  const int fd = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (fd < 0) return ErrnoError(path, errno);
  std::unique_ptr<JournalWriter> writer(new JournalWriter(fd));
  writer->state_->path = path;
  writer->state_->sync_each_line = sync == Sync::kEachLine;
  LG_ASSIGN_OR_RETURN(const std::string text, ReadFile(path));
  const size_t whole = WholeLines(text);
  if (whole != text.size() && ftruncate(fd, static_cast<off_t>(whole)) != 0) {
    return ErrnoError(path, errno);
  }
  writer->state_->size = static_cast<off_t>(whole);
  return writer;
}

Status JournalWriter::Append(std::string line) {
  line += '\n';
  std::lock_guard lock(state_->mutex);
  std::string_view left = line;
  off_t at = state_->size;
  int failed = 0;
  while (!left.empty() && failed == 0) {
    const ssize_t n = pwrite(state_->fd, left.data(), left.size(), at);
    if (n < 0) {
      if (errno != EINTR) failed = errno;
      continue;
    }
    left.remove_prefix(static_cast<size_t>(n));
    at += n;
  }
  if (failed == 0 && state_->sync_each_line && fdatasync(state_->fd) != 0) failed = errno;
  if (failed != 0) {
    // Half a line must not stand before the next one; if even this fails, Open cuts it.
    if (ftruncate(state_->fd, state_->size) != 0) errno = 0;
    return ErrnoError(state_->path, failed);
  }
  state_->size = at;
  return {};
}

Status JournalWriter::SessionStart(int64_t session, int64_t monotonic_ns, int64_t utc_ns,
                                   const Json& facts) {
  OrderedJson line = Line("session");
  line["session"] = session;
  line["monotonic_ns"] = monotonic_ns;
  line["utc_ns"] = utc_ns;
  line["facts"] = facts;
  return Append(Dump(line));
}

Status JournalWriter::CellStart(const std::string& cell, const Json& facts) {
  OrderedJson line = Line("cell_begin");
  line["cell"] = cell;
  line["facts"] = facts;
  return Append(Dump(line));
}

Status JournalWriter::CellEnd(const std::string& cell) {
  OrderedJson line = Line("cell_end");
  line["cell"] = cell;
  return Append(Dump(line));
}

Status JournalWriter::Begin(const Execution& execution) {
  return Append(Dump(BeginLine(execution, "begin")));
}

Status JournalWriter::End(const Execution& execution) { return Append(Dump(EndLine(execution))); }

Status JournalWriter::Event(const std::string& name, const Json& facts) {
  OrderedJson line = Line("event");
  line["name"] = name;
  line["facts"] = facts;
  return Append(Dump(line));
}

Status JournalWriter::SyncNow() {
  std::lock_guard lock(state_->mutex);
  if (fdatasync(state_->fd) != 0) return ErrnoError(state_->path, errno);
  return {};
}

Result<Journal> ParseJournal(std::string_view text, const std::string& origin) {
  Assembler assembler;
  LG_RETURN_IF_ERROR(
      EachJsonLine(text, origin, [&](const Json& line) { return assembler.Take(line); }));
  Journal journal = assembler.Finish();
  journal.truncated_tail = WholeLines(text) != text.size();
  return journal;
}

Result<Journal> ReadJournal(const std::string& path) {
  LG_ASSIGN_OR_RETURN(const std::string text, ReadFile(path));
  return ParseJournal(text, path);
}

}  // namespace lakegauge::record
