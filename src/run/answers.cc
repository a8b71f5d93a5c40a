#include "run/answers.h"

#include <unistd.h>

#include "base/files.h"
#include "base/json.h"
#include "workload/answer.h"
#include "workload/official.h"

namespace lakegauge::run {
namespace {

// The official answers belong to the rows of this generator alone.
bool HasOfficialAnswers(const PlanCell& cell, const PlanQuery& query) {
  return query.source == "tpcds" && cell.dataset_spec.kind == "tpcds" &&
         cell.dataset_spec.generator.empty();
}

}  // namespace

std::string AnswerBook::PathOf(const std::string& query, const std::string& fingerprint) const {
  return dir_ + "/" + query + "." + fingerprint + ".json";
}

Status AnswerBook::Restore(const Plan& plan, const record::Journal& journal) {
  std::map<std::string, const PlanCell*> cells;
  for (const PlanCell& cell : plan.cells) cells[cell.id] = &cell;
  for (const record::Execution& e : journal.finished) {
    const auto cell = cells.find(e.cell);
    if (e.status != record::ExecutionStatus::kOk || cell == cells.end()) continue;
    const Key key{cell->second->dataset_name, e.query};
    if (known_.contains(key)) continue;
    auto json = ReadJsonFile(PathOf(e.query, e.result_fingerprint));
    if (!json.ok()) return json.error();
    if (!json->contains("answer")) {
      return MakeError(ErrorCode::kCorrupt,
                       PathOf(e.query, e.result_fingerprint) + ": holds no answer");
    }
    auto answer = workload::AnswerFromJson((*json)["answer"]);
    if (!answer.ok()) return answer.error().WithContext(PathOf(e.query, e.result_fingerprint));
    known_[key] = {e.result_fingerprint, std::move(*answer), e.answer_check};
  }
  return {};
}

Result<AnswerVerdict> AnswerBook::Check(const PlanCell& cell, const PlanQuery& query,
                                        const workload::Answer& answer) {
  AnswerVerdict verdict;
  verdict.fingerprint = workload::Fingerprint(answer);
  const Key key{cell.dataset_name, query.name};
  const std::scoped_lock lock(mutex_);
  const auto known = known_.find(key);
  if (known != known_.end()) {
    verdict.check = known->second.check == "official" ? "official" : "cells";
    if (verdict.fingerprint == known->second.fingerprint) {
      // The same rows; a fingerprint does not see in which order they stand.
      verdict.difference = workload::OutOfOrder(answer, query.order);
      return verdict;
    }
    verdict.difference = workload::Difference(known->second.answer, answer, query.order);
    LG_RETURN_IF_ERROR(Keep(cell, query, verdict.fingerprint, answer));
    return verdict;
  }
  if (HasOfficialAnswers(cell, query)) {
    LG_ASSIGN_OR_RETURN(const auto official,
                        workload::OfficialAnswer(query.name, cell.dataset_spec.scale));
    if (official) {
      verdict.check = "official";
      verdict.difference = workload::OfficialDifference(*official, answer, query.order);
    }
  }
  LG_RETURN_IF_ERROR(Keep(cell, query, verdict.fingerprint, answer));
  // A wrong first answer is not what others are measured by.
  if (verdict.difference.empty()) known_[key] = {verdict.fingerprint, answer, verdict.check};
  return verdict;
}

Status AnswerBook::Keep(const PlanCell& cell, const PlanQuery& query,
                        const std::string& fingerprint, const workload::Answer& answer) const {
  const std::string path = PathOf(query.name, fingerprint);
  if (access(path.c_str(), F_OK) == 0) return {};
  const Json json{{"v", record::kFormatVersion},
                  {"query", query.name},
                  {"dataset", cell.dataset_name},
                  {"fingerprint", fingerprint},
                  {"answer", workload::ToJson(answer)}};
  return WriteFileAtomically(path, json.dump(-1, ' ', false, Json::error_handler_t::replace));
}

}  // namespace lakegauge::run
