// lakegauge doctor: what this machine can and cannot do, and how to mend it.

#include "run/doctor.h"

#include <fmt/format.h>

#include <memory>

#include "cli/command.h"

namespace lakegauge::cli {
namespace {

int Doctor(const Context& context, bool json) {
  const auto checks = run::Diagnose(context.data_dir, context.results_dir);
  bool bad = false;
  Json all = Json::array();
  for (const auto& check : checks) {
    bad = bad || check.health == run::Health::kBad;
    if (json) {
      all.push_back({{"id", check.id},
                     {"health", run::HealthName(check.health)},
                     {"text", check.text},
                     {"mend", check.mend}});
      continue;
    }
    Print("{:<5} {:<16} {}\n", run::HealthName(check.health), check.id, check.text);
    if (!check.mend.empty()) Print("{:<22} -> {}\n", "", check.mend);
  }
  if (json) PrintJson(all);
  return bad ? kExitFailed : kExitOk;
}

}  // namespace

void AddDoctor(CLI::App& app, Context& context) {
  auto* command = app.add_subcommand("doctor", "Say what this machine can and cannot do");
  auto json = std::make_shared<bool>(false);
  command->add_flag("--json", *json, "Machine-readable result");
  AddDataOption(*command, context);
  AddResultsOption(*command, context);
  command->callback(
      [&context, json] { context.action = [&context, json] { return Doctor(context, *json); }; });
}

}  // namespace lakegauge::cli
