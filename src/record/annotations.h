#pragma once
// What a person said of executions afterwards: which are invalid, and why. One JSON object a line
// in annotations.jsonl of the run's folder, only ever added to; the journal stays as it was
// written. docs/formats.md describes the fields.
//
// Threads: independent calls; writers in several processes wait for each other (flock). Errors: as
// the journal (journal.h): a truncated last line is dropped on reading and cut before appending,
// any other bad line is kCorrupt with its number, a version above ours is kUnsupported.

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace lakegauge::record {

inline constexpr const char* kAnnotationsFile = "annotations.jsonl";
inline constexpr int kAnnotationsVersion = 1;

struct Annotation {
  int64_t id = 0;  // 0, 1, 2 ... in the order they were written
  int64_t execution = 0;
  bool invalid = true;  // false: an earlier mark is taken back
  std::string reason;   // of an invalid one, never empty
  std::string at_utc;   // "2026-01-31T12:00:00.123456Z"
};

struct Annotations {
  std::vector<Annotation> all;  // in the order they were written
  bool truncated_tail = false;

  // The executions that are invalid now, by id: the last word on each counts.
  std::map<int64_t, Annotation> Invalid() const;
};

// None where there is no such file.
Result<Annotations> ReadAnnotations(const std::string& path);
// The same from memory; `origin` stands in errors.
Result<Annotations> ParseAnnotations(std::string_view text, const std::string& origin);

// Adds all of them, synced to disk, or none; gives them their ids and, where `at_utc` is empty, the
// time `utc_ns`. kInvalidArgument where an invalid one has no reason.
Result<std::vector<Annotation>> AppendAnnotations(const std::string& path,
                                                  std::vector<Annotation> annotations,
                                                  int64_t utc_ns);

}  // namespace lakegauge::record
