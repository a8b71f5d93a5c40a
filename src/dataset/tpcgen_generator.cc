#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "base/clock.h"
#include "base/files.h"
#include "base/units.h"
#include "dataset/generators.h"

extern char** environ;

namespace lakegauge::dataset {
namespace {

namespace fs = std::filesystem;

constexpr char kProgram[] = "tpcgen-cli";
constexpr int64_t kWaitNs = 20 * kNsPerMs;

// What LAKEGAUGE_TPCGEN names and nothing else, or what ./setup laid out, or the first on PATH.
Result<std::string> FindProgram() {
  const auto runs = [](const std::string& path) {
    return access(path.c_str(), X_OK) == 0 && fs::is_regular_file(path);
  };
  if (const char* named = std::getenv("LAKEGAUGE_TPCGEN"); named != nullptr && *named != '\0') {
    if (runs(named)) return std::string(named);
    return MakeError(
        ErrorCode::kNotFound,
        fmt::format("generator tpcgen: LAKEGAUGE_TPCGEN names {}, which is no program", named));
  }
  std::vector<std::string> places = {std::string(LAKEGAUGE_THIRD_PARTY) + "/tpcgen/" + kProgram};
  if (const char* path = std::getenv("PATH"); path != nullptr) {
    std::stringstream folders(path);
    for (std::string folder; std::getline(folders, folder, ':');) {
      places.push_back(folder + "/" + kProgram);
    }
  }
  for (const auto& place : places) {
    if (runs(place)) return place;
  }
  return MakeError(
      ErrorCode::kNotFound,
      "generator tpcgen: tpcgen-cli is not installed; run ./setup tpcgen, or put it on "
      "PATH, or name it in LAKEGAUGE_TPCGEN");
}

// Runs the program in a process group of its own; its output goes to `log`.
Status Run(const std::vector<std::string>& words, const std::string& log,
           const std::stop_token& stop) {
  std::vector<char*> argv;
  for (const auto& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, log.c_str(),
                                   O_WRONLY | O_CREAT | O_TRUNC, 0644);
  posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  posix_spawnattr_setpgroup(&attributes, 0);
  pid_t child = 0;
  const int failed = posix_spawn(&child, argv[0], &actions, &attributes, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  if (failed != 0) return ErrnoError(words[0], failed);
  int status = 0;
  for (;;) {
    const pid_t ended = waitpid(child, &status, WNOHANG);
    if (ended == child) break;
    if (ended < 0 && errno != EINTR) return ErrnoError("wait for " + words[0], errno);
    if (!RealClock().WaitUntil(RealClock().NowNs() + kWaitNs, stop)) {
      kill(-child, SIGKILL);
      waitpid(child, &status, 0);
      return MakeError(ErrorCode::kCancelled, "generation was stopped");
    }
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return {};
  std::string said = ReadFile(log).value_or("");
  std::replace(said.begin(), said.end(), '\n', ' ');
  return MakeError(ErrorCode::kInternal,
                   fmt::format("{} failed: {}", words[0], said.substr(0, 300)));
}

// "tpcgen-cli 4.0.0" -> "4.0.0".
Result<std::string> VersionOf(const std::string& program, const std::string& log,
                              const std::stop_token& stop) {
  LG_RETURN_IF_ERROR(Run({program, "--version"}, log, stop));
  LG_ASSIGN_OR_RETURN(std::string said, ReadFile(log));
  while (!said.empty() && std::isspace(static_cast<unsigned char>(said.back()))) said.pop_back();
  const size_t space = said.rfind(' ');
  return space == std::string::npos ? said : said.substr(space + 1);
}

}  // namespace

Result<Generated> GenerateTpcdsByTpcgen(const DatasetSpec& spec, const PrepareOptions& options,
                                        const std::string& database) {
  LG_ASSIGN_OR_RETURN(const std::string program, FindProgram());
  const std::string folder = fs::path(database).parent_path().string() + "/tpcgen";
  const std::string log = folder + ".log";
  LG_ASSIGN_OR_RETURN(const std::string version, VersionOf(program, log, options.stop));
  const std::string what = "generate " + spec.Name();
  if (options.progress) options.progress({what, 0, 0});
  LG_RETURN_IF_ERROR(Run(
      {program, "tpcds", "parquet", "-s", fmt::format("{}", spec.scale), "--output-dir", folder},
      log, options.stop));
  const int64_t memory = options.memory_limit_bytes > 0 ? options.memory_limit_bytes : kGiB;
  {
    LG_ASSIGN_OR_RETURN(auto opened,
                        sql::Database::Open(BaseDatabase(database, WorkerCount(options), memory)));
    LG_ASSIGN_OR_RETURN(auto connection, opened.Connect());
    std::vector<std::string> tables;
    for (const auto& entry : fs::directory_iterator(folder)) {
      if (entry.path().stem() != "dbgen_version") tables.push_back(entry.path().stem().string());
    }
    std::sort(tables.begin(), tables.end());
    for (const auto& table : tables) {
      const std::string path = folder + "/" + table + ".parquet";
      LG_RETURN_IF_ERROR(RunLong(connection,
                                 fmt::format("CREATE TABLE {} AS FROM read_parquet({})",
                                             sql::QuoteName(table), sql::QuoteFiles({path})),
                                 what, database, 0, options));
    }
    LG_RETURN_IF_ERROR(connection.Execute("CHECKPOINT"));
  }
  std::error_code ignored;
  fs::remove_all(folder, ignored);
  fs::remove(log, ignored);
  return Generated{"tpcgen-cli", version, Json::array()};
}

}  // namespace lakegauge::dataset
