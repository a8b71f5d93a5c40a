#pragma once
// Whether an answer is right: compared with the generator's official one where there is one, and
// with the first answer of the same query on the same dataset, in whichever cell that was. Each
// distinct answer is kept once, in answers/<query>.<fingerprint>.json.
//
// Threads: one lock; Check from any thread. Errors: what kept an answer from being written or read.

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "base/result.h"
#include "dataset/dataset.h"
#include "record/journal.h"
#include "run/plan.h"

namespace lakegauge::run {

struct AnswerVerdict {
  std::string fingerprint;
  std::string check;       // "official", "cells", or "": nothing to compare with
  std::string difference;  // empty: right, as far as it could be checked
};

class AnswerBook {
 public:
  explicit AnswerBook(std::string dir) : dir_(std::move(dir)) {}

  // Takes up what earlier sessions found: the first good answer of each query and dataset.
  Status Restore(const Plan& plan, const record::Journal& journal);
  Result<AnswerVerdict> Check(const PlanCell& cell, const PlanQuery& query,
                              const workload::Answer& answer);

 private:
  using Key = std::pair<std::string, std::string>;  // dataset name, query
  struct Known {
    std::string fingerprint;
    workload::Answer answer;
    std::string check;  // how it was checked itself
  };
  Status Keep(const PlanCell& cell, const PlanQuery& query, const std::string& fingerprint,
              const workload::Answer& answer) const;
  std::string PathOf(const std::string& query, const std::string& fingerprint) const;

  const std::string dir_;
  std::mutex mutex_;
  std::map<Key, Known> known_;
};

}  // namespace lakegauge::run
