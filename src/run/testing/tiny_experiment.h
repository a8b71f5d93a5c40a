#pragma once
// An experiment small enough for tests (TPC-DS at scale 0.01, two cells), its data made once a
// process, and folders that go away.
//
// Threads: one.

#include <string>

namespace lakegauge::run {

class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// YAML; a line of `changes` that begins with "key:" replaces that of the same key.
std::string TinyExperiment(const std::string& changes = "");

// A data folder that lives until the process ends.
const std::string& SharedTinyData();

}  // namespace lakegauge::run
