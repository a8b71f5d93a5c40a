#include "run/runs.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>
#include <system_error>

#include "base/clock.h"
#include "base/files.h"
#include "base/json.h"
#include "base/units.h"
#include "dataset/layout_use.h"
#include "record/journal.h"
#include "run/run_folder.h"

namespace lakegauge::run {
namespace {

namespace fs = std::filesystem;

int64_t BytesBelow(const fs::path& folder) {
  int64_t bytes = 0;
  std::error_code failed;
  for (fs::recursive_directory_iterator at(folder, failed), end; !failed && at != end;
       at.increment(failed)) {
    std::error_code no_size;
    if (!at->is_regular_file(no_size) || at->is_symlink(no_size)) continue;
    const auto size = at->file_size(no_size);
    if (!no_size) bytes += static_cast<int64_t>(size);
  }
  return bytes;
}

// Real folders directly below; symbolic links are not followed.
std::vector<fs::path> Folders(const fs::path& parent) {
  std::vector<fs::path> folders;
  std::error_code failed;
  for (fs::directory_iterator at(parent, failed), end; !failed && at != end; at.increment(failed)) {
    std::error_code unknown;
    if (at->is_directory(unknown) && !at->is_symlink(unknown)) folders.push_back(at->path());
  }
  std::sort(folders.begin(), folders.end());
  return folders;
}

bool IsRun(const fs::path& folder) {
  std::error_code failed;
  return fs::exists(folder / "plan.json", failed) || fs::exists(folder / "experiment.yaml", failed);
}

RunEntry ReadRun(const fs::path& folder) {
  RunEntry entry;
  entry.id = folder.filename().string();
  entry.path = folder.string();
  entry.bytes = BytesBelow(folder);
  std::error_code failed;
  entry.has_report = fs::exists(folder / "report" / "summary.json", failed);
  const auto plan = ReadJsonFile((folder / "plan.json").string());
  if (!plan.ok()) {
    entry.problem = plan.error().code == ErrorCode::kNotFound
                        ? "stopped before its plan was written"
                        : plan.error().message;
    return entry;
  }
  entry.experiment = JsonOr<std::string>(*plan, "experiment", "");
  entry.title = JsonOr<std::string>(*plan, "title", "");
  const auto executions = plan->find("executions");
  if (executions == plan->end() || !executions->is_array()) {
    entry.problem =
        fmt::format("{}: not a plan: it lists no executions", (folder / "plan.json").string());
    return entry;
  }
  entry.planned = static_cast<int64_t>(executions->size());
  const auto journal = record::ReadJournal((folder / "journal.jsonl").string());
  if (!journal.ok()) {
    if (journal.error().code != ErrorCode::kNotFound) entry.problem = journal.error().message;
    return entry;
  }
  if (!journal->session_infos.empty()) {
    entry.started_utc = FormatUtc(journal->session_infos.front().utc_ns);
  }
  std::set<int64_t> done;
  for (const record::Execution& e : journal->finished) {
    if (e.status == record::ExecutionStatus::kCancelled) continue;
    done.insert(e.id);
    if (e.status != record::ExecutionStatus::kOk) ++entry.failures;
  }
  entry.done = static_cast<int64_t>(done.size());
  return entry;
}

// When its experiment was put there: of a run that never came to its first query.
std::string MadeUtc(const fs::path& folder) {
  struct stat info {};
  const std::string file = (folder / "experiment.yaml").string();
  if (stat(file.c_str(), &info) != 0 && stat(folder.c_str(), &info) != 0) return "";
  return FormatUtc(static_cast<int64_t>(info.st_mtim.tv_sec) * kNsPerS + info.st_mtim.tv_nsec);
}

fs::path Canonical(const fs::path& path) {
  std::error_code failed;
  const fs::path real = fs::canonical(path, failed);
  return failed ? fs::path() : real;
}

bool LiesBelow(const fs::path& path, const fs::path& folder) {
  const fs::path real = Canonical(path);
  const fs::path base = Canonical(folder);
  if (real.empty() || base.empty() || real == base) return false;
  const auto [stop, at] = std::mismatch(base.begin(), base.end(), real.begin(), real.end());
  return stop == base.end() && at != real.end();
}

}  // namespace

Result<std::vector<RunEntry>> ListRuns(const std::string& results_dir) {
  std::vector<std::pair<std::string, RunEntry>> by_start;
  for (const fs::path& folder : Folders(results_dir)) {
    if (!IsRun(folder)) continue;
    RunEntry entry = ReadRun(folder);
    std::string began = entry.started_utc.empty() ? MadeUtc(folder) : entry.started_utc;
    by_start.emplace_back(std::move(began), std::move(entry));
  }
  std::stable_sort(by_start.begin(), by_start.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<RunEntry> runs;
  for (auto& [began, entry] : by_start) runs.push_back(std::move(entry));
  return runs;
}

std::string Shortfall(const RunEntry& run) {
  if (!run.problem.empty()) return run.problem;
  std::string text;
  if (run.done < run.planned) {
    text = fmt::format("{} of {} executions are done", run.done, run.planned);
  }
  if (run.failures > 0) {
    text += fmt::format("{}{} of its {} executions {} not ok", text.empty() ? "" : ", ",
                        run.failures, run.done, run.failures == 1 ? "was" : "were");
  }
  return text;
}

Result<RunEntry> LatestRun(const std::string& results_dir) {
  LG_ASSIGN_OR_RETURN(auto runs, ListRuns(results_dir));
  if (!runs.empty()) return std::move(runs.front());
  return MakeError(ErrorCode::kNotFound, "there is no run in " + results_dir);
}

Result<std::string> FindRun(const std::string& name, const std::string& results_dir) {
  if (name == "latest") {
    LG_ASSIGN_OR_RETURN(RunEntry latest, LatestRun(results_dir));
    return std::move(latest.path);
  }
  for (const fs::path& path : {fs::path(name), fs::path(results_dir) / name}) {
    std::error_code failed;
    if (fs::is_directory(path, failed) && IsRun(path)) return path.string();
  }
  return MakeError(ErrorCode::kNotFound,
                   fmt::format("there is no run '{}': neither a run directory nor an id in {} "
                               "(lakegauge list shows them)",
                               name, results_dir));
}

Result<std::vector<Deletable>> FindDeletable(const std::string& results_dir,
                                             const std::string& data_dir) {
  std::vector<Deletable> all;
  for (const fs::path& folder : Folders(results_dir)) {
    if (!IsRun(folder)) continue;
    all.push_back(
        {Deletable::Kind::kRun, folder.filename().string(), folder.string(), BytesBelow(folder)});
  }
  for (const fs::path& dataset : Folders(data_dir)) {
    for (const fs::path& folder : Folders(dataset)) {
      const bool base = folder.filename() == "base";
      std::error_code failed;
      if (!base && !fs::exists(folder / "manifest.json", failed)) continue;
      all.push_back({base ? Deletable::Kind::kBase : Deletable::Kind::kLayout,
                     dataset.filename().string() + "/" + folder.filename().string(),
                     folder.string(), BytesBelow(folder)});
    }
  }
  return all;
}

Status Delete(const Deletable& what, const std::string& results_dir, const std::string& data_dir) {
  const fs::path path(what.path);
  std::error_code failed;
  const std::string& home = what.kind == Deletable::Kind::kRun ? results_dir : data_dir;
  const bool linked = fs::is_symlink(path, failed);
  const bool looks_right = what.kind == Deletable::Kind::kRun ? IsRun(path)
                           : what.kind == Deletable::Kind::kLayout
                               ? fs::exists(path / "manifest.json", failed)
                               : path.filename() == "base";
  if (linked || !LiesBelow(path, home) || !looks_right) {
    return MakeError(ErrorCode::kInvalidArgument,
                     fmt::format("{} is no run, layout or base that lies in {}; it is left alone",
                                 what.path, home));
  }
  // A run holds its own folder while it is executed; a dataset's is held while it is prepared.
  const bool run = what.kind == Deletable::Kind::kRun;
  const auto lock = FolderLock::Try(run ? what.path : path.parent_path().string());
  if (!lock.ok()) {
    if (lock.error().code != ErrorCode::kUnavailable) return lock.error();
    return MakeError(
        ErrorCode::kUnavailable,
        run ? fmt::format("run {} is being executed; it is left alone", what.name)
            : fmt::format("{} belongs to a dataset that is being prepared; it is left alone",
                          what.name));
  }
  std::optional<dataset::LayoutUse> alone;
  if (what.kind == Deletable::Kind::kLayout) {
    auto use = dataset::LayoutUse::Alone(what.path);
    if (!use.ok()) {
      return MakeError(use.error().code, use.error().message + "; it is left alone");
    }
    alone = std::move(*use);
  }
  // What is half deleted must not look whole.
  for (const char* mark : {"manifest.json", "plan.json"}) fs::remove(path / mark, failed);
  fs::remove_all(path, failed);
  if (failed) return ErrnoError(what.path, failed.value());
  return {};
}

}  // namespace lakegauge::run
