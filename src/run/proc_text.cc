#include "run/proc_text.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/units.h"

namespace lakegauge::run {
namespace {

constexpr double kSectorBytes = 512;
constexpr std::string_view kBlanks = " \t\r";

// The next line of `text`, which is cut by it.
std::optional<std::string_view> NextLine(std::string_view& text) {
  if (text.empty()) return std::nullopt;
  const size_t end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return line;
}

// The next word of `line`, which is cut by it; empty at its end.
std::string_view NextWord(std::string_view& line) {
  const size_t from = line.find_first_not_of(kBlanks);
  if (from == std::string_view::npos) {
    line = {};
    return {};
  }
  const size_t end = std::min(line.find_first_of(kBlanks, from), line.size());
  const std::string_view word = line.substr(from, end - from);
  line.remove_prefix(end);
  return word;
}

std::vector<double> Numbers(std::string_view line) {
  std::vector<double> numbers;
  for (std::string_view word = NextWord(line); !word.empty(); word = NextWord(line)) {
    const auto number = ParseNumber(word);
    if (!number) break;
    numbers.push_back(*number);
  }
  return numbers;
}

bool IsDigits(std::string_view text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// Values by key of lines "key value" or "key: value".
std::map<std::string_view, double> KeyValues(std::string_view text) {
  std::map<std::string_view, double> values;
  while (auto line = NextLine(text)) {
    std::string_view key = NextWord(*line);
    if (key.ends_with(':')) key.remove_suffix(1);
    if (const auto value = ParseNumber(NextWord(*line))) values.emplace(key, *value);
  }
  return values;
}

std::optional<double> Find(const std::map<std::string_view, double>& values, std::string_view key,
                           double unit = 1) {
  const auto at = values.find(key);
  if (at == values.end()) return std::nullopt;
  return at->second * unit;
}

// "sda3" of "sda", "nvme0n1p2" of "nvme0n1".
bool IsPartitionOf(std::string_view name, std::string_view whole) {
  if (name.size() <= whole.size() || !name.starts_with(whole)) return false;
  std::string_view rest = name.substr(whole.size());
  const bool needs_p = whole.back() >= '0' && whole.back() <= '9';
  if (needs_p) {
    if (rest.front() != 'p') return false;
    rest.remove_prefix(1);
  }
  return IsDigits(rest);
}

bool IsMadeOfOthers(std::string_view name) {
  for (const std::string_view kind : {"loop", "dm-", "md", "ram", "zram", "drbd", "bcache"}) {
    if (name.starts_with(kind)) return true;
  }
  return false;
}

}  // namespace

std::optional<double> ParseNumber(std::string_view text) {
  const size_t from = text.find_first_not_of(" \t\r\n");
  if (from == std::string_view::npos) return std::nullopt;
  text = text.substr(from, text.find_last_not_of(" \t\r\n") + 1 - from);
  const auto value = NumberIn<double>(text);
  return value && std::isfinite(*value) ? value : std::nullopt;
}

std::optional<CpuTimes> ParseStat(std::string_view text, double ticks_per_s) {
  std::optional<CpuTimes> seconds;
  int cores = 0;
  while (auto line = NextLine(text)) {
    const std::string_view name = NextWord(*line);
    if (!name.starts_with("cpu")) continue;
    if (name != "cpu") {
      cores += IsDigits(name.substr(3));
      continue;
    }
    const std::vector<double> ticks = Numbers(*line);
    if (ticks.empty()) continue;
    seconds.emplace();
    std::optional<double>* const fields[] = {&seconds->user,    &seconds->nice,   &seconds->system,
                                             &seconds->idle,    &seconds->iowait, &seconds->irq,
                                             &seconds->softirq, &seconds->steal};
    for (size_t i = 0; i < std::size(fields) && i < ticks.size(); ++i) {
      *fields[i] = ticks[i] / ticks_per_s;
    }
  }
  if (seconds) seconds->cores = cores;
  return seconds;
}

MemoryFacts ParseMeminfo(std::string_view text) {
  constexpr double kKilo = 1024;
  const auto values = KeyValues(text);
  MemoryFacts facts;
  facts.total_bytes = Find(values, "MemTotal", kKilo);
  facts.available_bytes = Find(values, "MemAvailable", kKilo);
  facts.free_bytes = Find(values, "MemFree", kKilo);
  facts.cached_bytes = Find(values, "Cached", kKilo);
  facts.dirty_bytes = Find(values, "Dirty", kKilo);
  facts.swap_total_bytes = Find(values, "SwapTotal", kKilo);
  facts.swap_free_bytes = Find(values, "SwapFree", kKilo);
  return facts;
}

PagingCounters ParseVmstat(std::string_view text) {
  const auto values = KeyValues(text);
  return {Find(values, "pswpin"), Find(values, "pswpout"), Find(values, "pgmajfault")};
}

std::vector<DiskCounters> ParseDiskstats(std::string_view text) {
  std::vector<DiskCounters> found;
  while (auto line = NextLine(text)) {
    NextWord(*line);
    NextWord(*line);
    const std::string_view name = NextWord(*line);
    const std::vector<double> n = Numbers(*line);
    // Fewer fields: a partition of a kernel before 2.6.25.
    if (n.size() < 11 || IsMadeOfOthers(name)) continue;
    if (n[0] == 0 && n[4] == 0) continue;
    found.push_back(
        {std::string(name), n[0], n[2] * kSectorBytes, n[4], n[6] * kSectorBytes, n[9] / 1e3});
  }
  std::vector<DiskCounters> disks;
  for (const DiskCounters& disk : found) {
    const bool partition = std::any_of(found.begin(), found.end(), [&](const DiskCounters& other) {
      return IsPartitionOf(disk.device, other.device);
    });
    if (!partition) disks.push_back(disk);
  }
  return disks;
}

std::vector<NetworkCounters> ParseNetDev(std::string_view text) {
  std::vector<NetworkCounters> found;
  while (auto line = NextLine(text)) {
    const size_t colon = line->rfind(':');
    if (colon == std::string_view::npos) continue;
    std::string_view name_part = line->substr(0, colon);
    const std::string_view name = NextWord(name_part);
    const std::vector<double> n = Numbers(line->substr(colon + 1));
    if (name.empty() || n.size() < 9 || (n[0] == 0 && n[8] == 0)) continue;
    found.push_back({std::string(name), n[0], n[8]});
  }
  return found;
}

std::optional<ProcessCounters> ParseProcessStat(std::string_view text, double ticks_per_s,
                                                double page_bytes) {
  // The name stands in parentheses and may hold anything, parentheses and blanks too.
  const size_t name_end = text.rfind(')');
  if (name_end == std::string_view::npos) return std::nullopt;
  std::string_view rest = text.substr(name_end + 1);
  NextWord(rest);                               // state
  const std::vector<double> n = Numbers(rest);  // from field 4, the parent's pid
  const auto field = [&](size_t number) -> std::optional<double> {
    return number - 4 < n.size() ? std::optional(n[number - 4]) : std::nullopt;
  };
  if (!field(15)) return std::nullopt;
  ProcessCounters c;
  c.user_s = *field(14) / ticks_per_s;
  c.system_s = *field(15) / ticks_per_s;
  c.waited_user_s = field(16).value_or(0) / ticks_per_s;
  c.waited_system_s = field(17).value_or(0) / ticks_per_s;
  c.major_faults = field(12);
  c.threads = field(20);
  if (const auto pages = field(24)) c.resident_bytes = *pages * page_bytes;
  return c;
}

ProcessIo ParseProcessIo(std::string_view text) {
  const auto values = KeyValues(text);
  return {Find(values, "read_bytes"), Find(values, "write_bytes")};
}

std::vector<int> ParseChildren(std::string_view text) {
  std::vector<int> children;
  while (auto line = NextLine(text)) {
    for (const double pid : Numbers(*line)) {
      if (pid >= 1 && pid <= 4194304) children.push_back(static_cast<int>(pid));
    }
  }
  return children;
}

std::optional<double> ParseCpuinfoMhz(std::string_view text) {
  double sum = 0;
  int cores = 0;
  while (auto line = NextLine(text)) {
    if (!line->starts_with("cpu MHz")) continue;
    const size_t colon = line->find(':');
    if (colon == std::string_view::npos) continue;
    const auto mhz = ParseNumber(line->substr(colon + 1));
    if (!mhz || *mhz <= 0) continue;
    sum += *mhz;
    ++cores;
  }
  if (cores == 0) return std::nullopt;
  return sum / cores;
}

std::optional<double> ParseThrottledSeconds(std::string_view text) {
  const auto values = KeyValues(text);
  if (const auto microseconds = Find(values, "throttled_usec", 1e-6)) return microseconds;
  return Find(values, "throttled_time", 1e-9);
}

}  // namespace lakegauge::run
