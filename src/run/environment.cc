#include "run/environment.h"

#include <fmt/format.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

#include "base/clock.h"
#include "record/journal.h"
#include "run/cell_profile.h"
#include "run/machine_facts.h"

namespace lakegauge::run {
namespace {

Json TextOrNull(const std::string& text) { return text.empty() ? Json() : Json(text); }

template <typename T>
Json OrNull(const std::optional<T>& value) {
  return value ? Json(*value) : Json();
}

std::string CpuModel() {
  std::string model = ValueIn("/proc/cpuinfo", "model name");
  if (model.empty()) model = ValueIn("/proc/cpuinfo", "CPU part");
  return model;
}

int64_t MemoryBytes() {
  return static_cast<int64_t>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE);
}

Json FileSystemOf(const std::string& path) {
  const MountFacts mount = MountOf(path);
  Json json{{"file_system", TextOrNull(mount.file_system)},
            {"mount_options", TextOrNull(mount.options)},
            {"mount_point", TextOrNull(mount.mount_point)}};
  const auto space = SpaceOf(path);
  json["free_bytes"] = space ? Json(space->free_bytes) : Json();
  json["total_bytes"] = space ? Json(space->total_bytes) : Json();
  return json;
}

Json LoadAverage() {
  double load[3];
  if (getloadavg(load, 3) != 3) return nullptr;
  return {load[0], load[1], load[2]};
}

}  // namespace

std::string LakegaugeVersion() { return LAKEGAUGE_VERSION; }
std::string BuildType() { return LAKEGAUGE_BUILD_TYPE; }

Json CaptureEnvironment(const EnvironmentInputs& inputs) {
  struct utsname kernel {};
  uname(&kernel);
  Json engines = Json::array();
  for (const engine::EngineDescription& e : inputs.engines) {
    engines.push_back({{"name", e.name},
                       {"version", e.version},
                       {"embedded", e.embedded},
                       {"formats", e.formats},
                       {"configuration", e.configuration}});
  }
  Json generators = Json::array();
  for (const auto& [name, version] : inputs.generators) {
    generators.push_back({{"name", name}, {"version", version}});
  }
  const std::string product = FirstLine("/sys/class/dmi/id/product_name");
  return {{"v", record::kFormatVersion},
          {"captured_utc", FormatUtc(RealClock().UtcNs())},
          {"machine",
           {{"product", TextOrNull(product)},
            {"architecture", kernel.machine},
            {"cpu_model", TextOrNull(CpuModel())},
            {"cores", MachineCores()},
            {"memory_bytes", MemoryBytes()},
            {"cgroup_cpus", OrNull(CgroupCpus())},
            {"cgroup_memory_bytes", OrNull(CgroupMemoryBytes())},
            {"load_average", LoadAverage()}}},
          {"os",
           {{"name", TextOrNull(ValueIn("/etc/os-release", "PRETTY_NAME"))},
            {"kernel", kernel.release},
            {"clock_source", TextOrNull(CurrentClockSource())},
            {"cpu_governor", TextOrNull(FrequencyGovernor())},
            {"transparent_huge_pages", TextOrNull(TransparentHugePages())}}},
          {"file_systems",
           {{"data", FileSystemOf(inputs.data_dir)}, {"results", FileSystemOf(inputs.run_dir)}}},
          {"engines", engines},
          {"generators", generators},
          {"build",
           {{"lakegauge", LakegaugeVersion()},
            {"commit", LAKEGAUGE_COMMIT},
            {"type", BuildType()},
            {"compiler", LAKEGAUGE_COMPILER},
            {"record_version", record::kFormatVersion}}}};
}

std::vector<std::string> EnvironmentDifferences(const Json& before, const Json& now) {
  std::vector<std::string> differences;
  const auto compare = [&](const char* pointer, const char* what) {
    const Json::json_pointer at(pointer);
    const Json a = before.contains(at) ? before.at(at) : Json();
    const Json b = now.contains(at) ? now.at(at) : Json();
    if (a != b) differences.push_back(fmt::format("{} was {}, is {}", what, a.dump(), b.dump()));
  };
  compare("/machine/cpu_model", "CPU model");
  compare("/machine/cores", "cores");
  compare("/machine/memory_bytes", "memory");
  compare("/machine/cgroup_cpus", "CPU limit");
  compare("/machine/cgroup_memory_bytes", "memory limit");
  compare("/os/kernel", "kernel");
  compare("/os/clock_source", "clock source");
  compare("/file_systems/data/file_system", "file system of the data");
  compare("/file_systems/data/mount_options", "mount options of the data");
  compare("/build/lakegauge", "lakegauge version");
  compare("/build/commit", "lakegauge commit");
  compare("/build/type", "build type");
  const auto engines = [](const Json& environment) {
    Json versions = Json::object();
    for (const Json& e : environment.value("engines", Json::array())) {
      versions[JsonOr<std::string>(e, "name", "")] = JsonOr<std::string>(e, "version", "");
    }
    return versions;
  };
  if (const Json a = engines(before), b = engines(now); a != b) {
    differences.push_back(fmt::format("engines were {}, are {}", a.dump(), b.dump()));
  }
  return differences;
}

}  // namespace lakegauge::run
