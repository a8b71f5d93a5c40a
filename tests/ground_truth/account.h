#pragma once
// Holds the requests that were recorded against the reads that the operating system saw.
//
// A recorded GET stands for the reads that its thread made of its object, one after another from
// its offset on: one, or several where the kernel gave fewer bytes than were asked for. Every
// read belongs to one GET at most, and every byte recorded must have been read.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "os_calls.h"
#include "record/spool.h"

namespace lakegauge::ground_truth {

struct Account {
  int64_t requests = 0;  // GETs
  int64_t reads = 0;     // of the system, that belong to them
  int64_t recorded_bytes = 0;
  int64_t read_bytes = 0;
  // Bytes the system read, by execution (-1: none).
  std::map<int64_t, int64_t> bytes_of_execution;
  std::vector<std::string> mismatches;  // recorded, but not what was read
  std::vector<OsCall> outside;          // read, but belonging to no record
};

// Keys are below `root`. `calls` and the requests of each thread are in their order.
Account Match(const record::StoredRequests& recorded, const std::vector<OsCall>& calls,
              const std::string& root);

}  // namespace lakegauge::ground_truth
