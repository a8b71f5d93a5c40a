#pragma once
// What a run was made on and with, as environment.json keeps it: machine, kernel, file systems,
// limits, engines, build. Never environment variables, user names or secrets.
//
// Threads: any. Errors: none; what cannot be found out is null.

#include <string>
#include <vector>

#include "base/json.h"
#include "engine/engine.h"

namespace lakegauge::run {

struct EnvironmentInputs {
  std::string data_dir;
  std::string run_dir;
  std::vector<engine::EngineDescription> engines;
  std::vector<std::pair<std::string, std::string>> generators;  // name, version
};
Json CaptureEnvironment(const EnvironmentInputs& inputs);

std::string LakegaugeVersion();  // "0.1.0"
std::string BuildType();         // "Release": only its results count
// One line for each fact that differs and matters to a comparison (cores, kernel, engine versions,
// ...).
std::vector<std::string> EnvironmentDifferences(const Json& before, const Json& now);

}  // namespace lakegauge::run
