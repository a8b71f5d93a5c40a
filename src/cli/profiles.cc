// lakegauge profiles: the store profiles there are, and one of them whole.

#include <fmt/format.h>

#include <memory>

#include "base/units.h"
#include "cli/command.h"
#include "profile/profile.h"

namespace lakegauge::cli {
namespace {

int List(bool json) {
  Json all = Json::array();
  for (const auto& name : profile::BuiltInNames()) {
    const auto loaded = profile::LoadProfile(name);
    if (!loaded.ok()) return Fail(loaded.error());
    if (json) {
      all.push_back(loaded->ToJson());
    } else {
      Print("{}\n  {}\n  {}\n", loaded->name, loaded->description, loaded->ToText());
    }
  }
  if (json) {
    PrintJson(all);
  } else {
    Print("\nShow one with its source: lakegauge profiles NAME. Your own: docs/profiles.md\n");
  }
  return kExitOk;
}

int Show(const std::string& name, bool json) {
  const auto loaded = profile::LoadProfile(name);
  if (!loaded.ok()) return Fail(loaded.error());
  if (json) {
    PrintJson(loaded->ToJson());
    return kExitOk;
  }
  Print("{}\n{}\n\n", loaded->ToText(), loaded->description);
  for (size_t i = 0; i < profile::kOperations; ++i) {
    const auto operation = static_cast<profile::Operation>(i);
    Print("{:<6} first byte: {}\n", profile::OperationName(operation),
          loaded->latency(operation).ToText());
  }
  if (loaded->typical_get_bytes > 0) {
    Print("mean completed GET of {}: {}\n", FormatBytes(loaded->typical_get_bytes),
          FormatDuration(
              static_cast<int64_t>(loaded->MeanCompletedGetNs(loaded->typical_get_bytes))));
  }
  Print("retries: {}\nsource: {}\n", loaded->retry.name, loaded->source);
  return kExitOk;
}

}  // namespace

void AddProfiles(CLI::App& app, Context& context) {
  auto* command = app.add_subcommand("profiles", "Show the store profiles that can be emulated");
  auto name = std::make_shared<std::string>();
  auto json = std::make_shared<bool>(false);
  command->add_option("name", *name, "A built-in profile, or a profile file");
  command->add_flag("--json", *json, "Machine-readable result");
  command->callback([&context, name, json] {
    context.action = [name, json] { return name->empty() ? List(*json) : Show(*name, *json); };
  });
}

}  // namespace lakegauge::cli
