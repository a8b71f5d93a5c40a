// lakegauge init: a commented experiment to start from.

#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "base/files.h"
#include "cli/command.h"
#include "run/experiment.h"

namespace lakegauge::cli {

void AddInit(CLI::App& app, Context& context) {
  auto* command = app.add_subcommand("init", "Write a commented experiment to start from");
  auto path = std::make_shared<std::string>("experiment.yaml");
  auto force = std::make_shared<bool>(false);
  command->add_option("file", *path, "Where to write it (default: experiment.yaml)");
  command->add_flag("--force", *force, "Overwrite");
  command->callback([&context, path, force] {
    context.action = [path, force] {
      if (std::filesystem::exists(*path) && !*force) {
        return Fail(MakeError(ErrorCode::kAlreadyExists,
                              fmt::format("{} exists; --force overwrites it", *path)));
      }
      if (const auto written = WriteFileAtomically(*path, run::ExampleExperiment());
          !written.ok()) {
        return Fail(written.error());
      }
      Print("{} written; next: lakegauge plan {}\n", *path, *path);
      return kExitOk;
    };
  });
}

}  // namespace lakegauge::cli
