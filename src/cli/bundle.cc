// lakegauge bundle: a run, its report and the means to repeat it in one archive with checksums, as
// one attaches to a paper.

#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <map>
#include <memory>

#include "base/descriptor.h"
#include "base/files.h"
#include "cli/command.h"
#include "dataset/hashed_file.h"
#include "report/report.h"
#include "run/runs.h"

extern char** environ;

namespace lakegauge::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSums = "SHA256SUMS";
constexpr const char* kReadMe = "README.txt";
constexpr size_t kMostTarSays = 4096;

// Regular files below `dir`, relative, in order. A run that was stopped has the requests of its
// last cell in spool/ still.
Result<std::vector<std::string>> FilesOf(const fs::path& dir) {
  std::vector<std::string> files;
  std::error_code failed;
  for (fs::recursive_directory_iterator at(dir, failed), end; !failed && at != end;
       at.increment(failed)) {
    if (at->is_regular_file()) files.push_back(at->path().lexically_relative(dir).string());
  }
  if (failed) return ErrnoError(dir.string(), failed.value());
  std::sort(files.begin(), files.end());
  return files;
}

// What the bundle makes anew, and what is no record.
bool IsLeftOut(const std::string& file) {
  return file == kSums || file == kReadMe || file == ".lock" || file.starts_with("report/");
}

std::string HowToRepeat(const std::string& name) {
  return fmt::format(
      "{0}: a lakegauge run with everything that is needed to check and repeat it.\n\n"
      "Check:    sha256sum -c {1}\n"
      "Read:     report/index.html (opens from disk), report/summary.md, report/queries.csv\n"
      "Rebuild:  lakegauge report {0}\n"
      "Repeat:   lakegauge run {0}/resolved.yaml     (what the experiment came to)\n"
      "          lakegauge run {0}/experiment.yaml   (as it was given, without what the command\n"
      "          line changed). Both name files of the user's by their paths where it ran.\n"
      "The lakegauge version, machine and engine configuration are in environment.json.\n",
      name, kSums);
}

// `archive` stands in errors.
Status RunTar(const std::vector<std::string>& arguments, const std::string& archive) {
  std::vector<char*> argv;
  for (const auto& a : arguments) argv.push_back(const_cast<char*>(a.c_str()));
  argv.push_back(nullptr);
  // This process waits for its signals in a thread and has them blocked; tar should not.
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
  // What it complains of becomes our one line.
  const Descriptor said(memfd_create("tar", MFD_CLOEXEC));
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  if (said.get() >= 0) {
    posix_spawn_file_actions_adddup2(&actions, said.get(), STDERR_FILENO);
  }
  pid_t pid = 0;
  const int failed = posix_spawnp(&pid, "tar", &actions, &attributes, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  if (failed != 0) return ErrnoError("tar", failed);
  int status = 0;
  waitpid(pid, &status, 0);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return {};
  std::string words(kMostTarSays, '\0');
  const ssize_t n = pread(said.get(), words.data(), words.size(), 0);
  words.resize(static_cast<size_t>(std::max<ssize_t>(0, n)));
  words.erase(0, words.find_first_not_of('\n'));  // gzip begins with an empty line
  words.resize(std::min(words.size(), words.find('\n')));
  return MakeError(
      words.find("No space left") != std::string::npos ? ErrorCode::kOutOfSpace
                                                       : ErrorCode::kInternal,
      fmt::format("{} could not be written{}{}", archive, words.empty() ? "" : ": ", words));
}

// A folder beside the archive, for what is packed and is not the run's; deleted in the end.
class Staging {
 public:
  explicit Staging(std::string path) : path_(std::move(path)) { Clear(); }
  ~Staging() { Clear(); }
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;
  const std::string& path() const { return path_; }

 private:
  void Clear() const {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  const std::string path_;
};

// Nothing is written to the run, which may be an archive that nobody may write to.
Status Bundle(const std::string& run_dir, const std::string& archive) {
  const fs::path run = fs::canonical(run_dir);
  const std::string name = run.filename().string();
  const fs::path parent = fs::absolute(archive).parent_path();
  LG_RETURN_IF_ERROR(MakeDirs(parent.string()));
  if (access(parent.c_str(), W_OK) != 0) {
    return ErrnoError(parent.string() + " (for the archive; --out names another place)", errno);
  }
  const Staging staging(fmt::format("{}.part-{}", archive, getpid()));
  const fs::path made = fs::path(staging.path()) / name;
  LG_RETURN_IF_ERROR(WriteFileAtomically(made / kReadMe, HowToRepeat(name)));
  LG_RETURN_IF_ERROR(report::WriteReports(run_dir, report::ReportDir(made.string())));
  LG_ASSIGN_OR_RETURN(std::vector<std::string> files, FilesOf(run));
  std::erase_if(files, IsLeftOut);
  LG_ASSIGN_OR_RETURN(const std::vector<std::string> added, FilesOf(made));
  std::map<std::string, fs::path> below;  // each file's folder
  for (const auto& file : files) below[file] = run;
  for (const auto& file : added) below[file] = made;
  std::string sums;
  for (const auto& [file, dir] : below) {
    LG_ASSIGN_OR_RETURN(const auto hashes, dataset::HashFile((dir / file).string()));
    sums += hashes.sha256 + "  " + file + "\n";
  }
  LG_RETURN_IF_ERROR(WriteFileAtomically(made / kSums, sums));
  // Sorted, without owners: the same run packs to the same list wherever it is packed.
  const std::string partial = staging.path() + "/archive";
  std::vector<std::string> tar = {"tar",
                                  "--create",
                                  "--gzip",
                                  "--file=" + partial,
                                  "--owner=0",
                                  "--group=0",
                                  "--numeric-owner",
                                  "--directory=" + fs::canonical(staging.path()).string(),
                                  "--add-file=" + name + "/" + kSums};
  for (const auto& file : added) tar.push_back("--add-file=" + name + "/" + file);
  tar.push_back("--directory=" + run.parent_path().string());
  for (const auto& file : files) tar.push_back("--add-file=" + name + "/" + file);
  LG_RETURN_IF_ERROR(RunTar(tar, archive));
  std::error_code failed;
  fs::rename(partial, archive, failed);
  if (failed) return ErrnoError(archive, failed.value());
  return {};
}

}  // namespace

void AddBundle(CLI::App& app, Context& context) {
  auto* command = app.add_subcommand(
      "bundle", "Pack a run, its report and the means to repeat it into one archive");
  auto run = std::make_shared<std::string>();
  auto out = std::make_shared<std::string>();
  command->add_option("run", *run, "A run, by path, by name, or 'latest'")->required();
  command->add_option("--out", *out, "The archive (default: <run>.tar.gz here)");
  AddResultsOption(*command, context);
  command->callback([&context, run, out] {
    context.action = [&context, run, out] {
      const auto dir = FindRun(context, *run);
      if (!dir.ok()) return Fail(dir.error());
      const std::string archive =
          out->empty() ? fs::canonical(*dir).filename().string() + ".tar.gz" : *out;
      if (const auto done = Bundle(*dir, archive); !done.ok()) {
        return Fail(done.error());
      }
      Print("{}\n", archive);
      return kExitOk;
    };
  });
}

}  // namespace lakegauge::cli
