// lakegauge bundle: a run, its report and the means to repeat it in one archive with checksums, as
// one attaches to a paper.

#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>

#include <algorithm>
#include <filesystem>
#include <memory>

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

// Regular files of the run below `dir`, relative, in order. A run that was stopped has the requests
// of its last cell in spool/ still.
std::vector<std::string> FilesOf(const fs::path& dir) {
  std::vector<std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(dir)) {
    const std::string relative = fs::relative(entry.path(), dir).string();
    if (!entry.is_regular_file() || relative == kSums || relative == ".lock") continue;
    files.push_back(relative);
  }
  std::sort(files.begin(), files.end());
  return files;
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

Status RunTar(const std::vector<std::string>& arguments) {
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
  pid_t pid = 0;
  const int failed = posix_spawnp(&pid, "tar", nullptr, &attributes, argv.data(), environ);
  posix_spawnattr_destroy(&attributes);
  if (failed != 0) return ErrnoError("tar", failed);
  int status = 0;
  waitpid(pid, &status, 0);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    return MakeError(ErrorCode::kInternal, "tar could not write the archive");
  }
  return {};
}

Status Bundle(const std::string& run_dir, const std::string& archive) {
  LG_RETURN_IF_ERROR(report::WriteReports(run_dir));
  const fs::path run = fs::canonical(run_dir);
  const std::string name = run.filename().string();
  LG_RETURN_IF_ERROR(WriteFileAtomically((run / "README.txt").string(), HowToRepeat(name)));
  const auto files = FilesOf(run);
  std::string sums;
  for (const auto& file : files) {
    LG_ASSIGN_OR_RETURN(const auto hashes, dataset::HashFile((run / file).string()));
    sums += hashes.sha256 + "  " + file + "\n";
  }
  LG_RETURN_IF_ERROR(WriteFileAtomically((run / kSums).string(), sums));
  // Sorted, without owners: the same run packs to the same list wherever it is packed.
  const std::string partial = archive + ".part";
  std::vector<std::string> tar = {"tar",
                                  "--create",
                                  "--gzip",
                                  "--file=" + partial,
                                  "--owner=0",
                                  "--group=0",
                                  "--numeric-owner",
                                  "--directory=" + run.parent_path().string(),
                                  "--",
                                  name + "/" + kSums};
  for (const auto& file : files) tar.push_back(name + "/" + file);
  auto packed = RunTar(tar);
  std::error_code failed;
  if (packed.ok()) fs::rename(partial, archive, failed);
  if (!packed.ok() || failed) fs::remove(partial);
  if (failed) return ErrnoError(archive, failed.value());
  return packed;
}

}  // namespace

void AddBundle(CLI::App& app, Context& context) {
  auto* command = app.add_subcommand(
      "bundle", "Pack a run, its report and the means to repeat it into one archive");
  auto run = std::make_shared<std::string>();
  auto out = std::make_shared<std::string>();
  command->add_option("run", *run, "A run, by path or by name")->required();
  command->add_option("--out", *out, "The archive (default: <run>.tar.gz here)");
  AddResultsOption(*command, context);
  command->callback([&context, run, out] {
    context.action = [&context, run, out] {
      const auto dir = run::FindRun(*run, context.results_dir);
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
