#include "run/testing/tiny_experiment.h"

#include <map>
#include <sstream>
#include <vector>

namespace lakegauge::run {

std::string TinyExperiment(const std::string& changes) {
  const std::vector<std::pair<std::string, std::string>> lines = {
      {"name", "name: tiny"},
      {"datasets", "datasets: {tpcds: {kind: tpcds, scale: 0.01}}"},
      {"layouts", "layouts: {unlimited: {file_size: unlimited}, 256KiB: {file_size: 256KiB}}"},
      {"stores", "stores: {local: {uri: 'file:'}}"},
      {"engines", "engines: {duckdb: {threads: 2}}"},
      {"workload", "workload: {queries: [3, 42, 96], iterations: 2}"},
      {"compare", ""},
      {"limits", ""},
      {"cross", ""},
      {"quick", ""}};
  std::map<std::string, std::string> changed;
  std::istringstream in(changes);
  for (std::string line; std::getline(in, line);) changed[line.substr(0, line.find(':'))] = line;
  std::string text;
  for (const auto& [key, line] : lines) {
    const auto own = changed.find(key);
    text += (own == changed.end() ? line : own->second) + "\n";
  }
  return text;
}

const std::string& SharedTinyData() {
  static const TemporaryFolder folder;
  return folder.path();
}

}  // namespace lakegauge::run
