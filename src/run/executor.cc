#include "run/executor.h"

#include <fmt/format.h>

#include <algorithm>
#include <thread>

#include "engine/blocked.h"
#include "run/cell_profile.h"

namespace lakegauge::run {
namespace {

using record::ExecutionStatus;

WatchLimits ToWatchLimits(const Limits& limits, int64_t now_ns) {
  return {limits.max_time_ns > 0 ? now_ns + limits.max_time_ns : 0, limits.max_requests,
          limits.max_cost};
}

double CostOf(const record::Request& r, const RequestPrice& price) {
  const double bytes = static_cast<double>(r.bytes) / 1e9 * price.read_per_gb;
  switch (r.operation) {
    case record::Operation::kGet:
    case record::Operation::kHead:
      return price.get_per_1000 / 1000 * r.attempt + bytes;
    case record::Operation::kList:
      return price.list_per_1000 / 1000 * r.attempt;
    default:
      return 0;
  }
}

ProgressEvent EventOf(ProgressEvent::Kind kind) {
  ProgressEvent event;
  event.kind = kind;
  return event;
}

ProgressEvent QueryFinished(const record::Execution& e) {
  ProgressEvent event = EventOf(ProgressEvent::Kind::kQueryFinished);
  event.status = e.status;
  event.elapsed_ns = e.elapsed_ns;
  event.error = e.error;
  return event;
}

}  // namespace

Executor::Executor(const Plan& plan, const Preparation& preparation, Recorder& recorder,
                   AnswerBook& answers, const RunOptions& options, const Limits& limits,
                   Clock& clock)
    : plan_(plan),
      preparation_(preparation),
      recorder_(recorder),
      answers_(answers),
      options_(options),
      clock_(clock),
      start_ns_(clock.NowNs()),
      page_cache_(options.drop_all_caches),
      left_(plan),
      watch_(
          options.stop, ToWatchLimits(limits, start_ns_), clock, [this] { return RequestsSoFar(); },
          [this] { return CostSoFar(); }) {
  for (const PlanExecution& e : plan.executions) {
    if (!recorder.IsFinished(e.id)) continue;
    ++done_;
    left_.Skip(e);
  }
}

Executor::~Executor() { DropStage(); }

std::vector<Executor::Pass> Executor::PassesLeft() const {
  std::vector<Pass> passes;
  for (const PlanExecution& e : plan_.executions) {
    if (recorder_.IsFinished(e.id)) continue;
    const bool same = !passes.empty() && passes.back().cell == e.cell &&
                      passes.back().iteration == e.iteration && passes.back().warmup == e.warmup;
    if (!same) passes.push_back({e.cell, e.iteration, e.warmup, {}});
    passes.back().executions.push_back(&e);
  }
  return passes;
}

Result<StopReason> Executor::Run() {
  for (const Pass& pass : PassesLeft()) {
    if (watch_.reason() != StopReason::kNone) break;
    const PlanCell& cell = plan_.cells[static_cast<size_t>(pass.cell)];
    if (stores_gone_.contains(cell.store) && StoreIsGone(cell)) continue;  // else it came back
    gone_ = false;
    LG_RETURN_IF_ERROR(RunPass(pass));
    if (gone_) DropStage();
    LG_RETURN_IF_ERROR(recorder_.MaybeEndCell(cell.id));
  }
  DropStage();
  const bool all = done_ == static_cast<int64_t>(plan_.executions.size());
  if (all) return StopReason::kNone;
  const StopReason reason = watch_.reason();
  return reason == StopReason::kNone && !stores_gone_.empty() ? StopReason::kStoreGone : reason;
}

Status Executor::RunPass(const Pass& pass) {
  const PlanCell& cell = plan_.cells[static_cast<size_t>(pass.cell)];
  if (!stage_ || &stage_->cell() != &cell) {
    const Status set = SetStage(pass.cell);
    if (!set.ok()) {
      DropStage();
      return FailPass(pass, set.error());
    }
  }
  std::vector<int> streams;
  for (const PlanExecution* e : pass.executions) {
    if (std::find(streams.begin(), streams.end(), e->stream) == streams.end()) {
      streams.push_back(e->stream);
    }
  }
  if (plan_.streams == 1) return RunStream(pass, streams.front(), {});
  // While others run, nothing can be proved cold: only what starts with the pass is.
  const CacheProof cold = plan_.cache == CachePolicy::kCold ? MakeCold(nullptr) : CacheProof{};
  std::vector<Status> outcomes(streams.size());
  {
    std::vector<std::jthread> threads;
    for (size_t i = 0; i < streams.size(); ++i) {
      threads.emplace_back([&, i] { outcomes[i] = RunStream(pass, streams[i], cold); });
    }
  }
  for (const Status& outcome : outcomes) LG_RETURN_IF_ERROR(outcome);
  return {};
}

Status Executor::RunStream(const Pass& pass, int stream, const CacheProof& at_start) {
  bool first = true;
  for (const PlanExecution* e : pass.executions) {
    if (e->stream != stream) continue;
    if (gone_ || watch_.reason() != StopReason::kNone) return {};
    LG_RETURN_IF_ERROR(RunOne(*e, at_start, first));
    first = false;
    if (!session_gone_ || plan_.streams > 1) continue;
    session_gone_ = false;
    if (const Status set = SetStage(pass.cell); !set.ok()) {
      DropStage();
      return FailPass(pass, set.error());
    }
  }
  return {};
}

Status Executor::RunOne(const PlanExecution& planned, const CacheProof& at_start, bool first) {
  const PlanCell& cell = plan_.cells[static_cast<size_t>(planned.cell)];
  const PlanQuery& query = plan_.queries[static_cast<size_t>(planned.query)];
  engine::Session& session = stage_->session(planned.stream);
  const int64_t whole_start_ns = clock_.NowNs();
  record::Execution e = BeginRecord(planned);
  if (plan_.cache == CachePolicy::kCold && plan_.streams == 1) {
    SetCache(MakeCold(&session), &e);
  } else if (plan_.cache == CachePolicy::kCold && session.DropCaches().ok() && first) {
    SetCache(at_start, &e);
  }
  if (gone_ || !watch_.Enter(&session)) return {};
  e.start_ns = clock_.NowNs();
  e.start_utc_ns = clock_.UtcNs();
  if (Status begun = recorder_.Begin(e); !begun.ok()) {
    watch_.Leave(&session);
    return begun;
  }
  Tell(EventOf(ProgressEvent::Kind::kQueryStarted), &planned);

  engine::Task task;
  task.execution = planned.id;
  task.stream = planned.stream;
  task.query = query.name;
  task.sql = query.SqlFor(cell.dataset);
  if (plan_.timeout_ns > 0) task.deadline_ns = clock_.NowNs() + plan_.timeout_ns;
  auto ran = session.Execute(task);
  watch_.Leave(&session);

  engine::Outcome outcome;
  if (ran.ok()) {
    outcome = std::move(*ran);
  } else {
    outcome.status = ExecutionStatus::kFailed;
    outcome.error = ran.error().message;
    outcome.start_ns = e.start_ns;
    outcome.end_ns = clock_.NowNs();
  }
  const std::vector<record::Request> requests = stage_->TakeRequests(planned.id);
  e.status = outcome.status;
  e.error = outcome.error;
  e.start_ns = outcome.start_ns;
  e.end_ns = outcome.end_ns;
  e.elapsed_ns = outcome.end_ns - outcome.start_ns;
  e.cpu_ns = plan_.streams == 1 ? outcome.cpu_ns : -1;
  e.rows = outcome.rows;
  e.main_thread = outcome.main_thread;
  e.threads = outcome.threads;
  e.machine_busy_s = outcome.machine_busy_s;
  e.metrics = outcome.metrics;
  CountRequests(requests, &e);
  const engine::Blocked blocked =
      engine::BlockedTime(requests, outcome.threads, e.start_ns, e.end_ns, MachineCores());
  e.blocked_ns = blocked.blocked_ns;
  e.wait_lane_ns = blocked.wait_lane_ns;
  if (e.status == ExecutionStatus::kOk) LG_RETURN_IF_ERROR(JudgeAnswer(cell, query, outcome, e));
  // Cancelled by nobody here: a failure, not something to run again for ever.
  if (e.status == ExecutionStatus::kCancelled && watch_.reason() == StopReason::kNone) {
    e.status = ExecutionStatus::kFailed;
    if (e.error.empty()) e.error = "the engine cancelled it";
  }
  // It runs again when the run is resumed.
  const bool gone = e.status == ExecutionStatus::kFailed && StoreIsGone(cell);
  if (gone) e.status = ExecutionStatus::kCancelled;
  LG_RETURN_IF_ERROR(recorder_.Finish(e, requests, stage_->log()));
  if (e.status != ExecutionStatus::kCancelled) {
    const std::scoped_lock lock(progress_mutex_);
    ++done_;
    left_.Finished(planned, clock_.NowNs() - whole_start_ns);
  }
  if (!gone) Tell(QueryFinished(e), &planned);
  if (!ran.ok()) session_gone_ = true;
  return {};
}

Status Executor::JudgeAnswer(const PlanCell& cell, const PlanQuery& query,
                             const engine::Outcome& outcome, record::Execution& e) {
  LG_ASSIGN_OR_RETURN(const AnswerVerdict verdict, answers_.Check(cell, query, outcome.answer));
  e.result_fingerprint = verdict.fingerprint;
  e.answer_check = verdict.check;
  if (!verdict.difference.empty()) {
    e.status = ExecutionStatus::kWrongResult;
    e.error = verdict.difference;
  }
  return {};
}

record::Execution Executor::BeginRecord(const PlanExecution& planned) const {
  record::Execution e;
  e.id = planned.id;
  e.cell = plan_.cells[static_cast<size_t>(planned.cell)].id;
  e.stream = planned.stream;
  e.iteration = planned.iteration;
  e.position = planned.position;
  e.query = plan_.queries[static_cast<size_t>(planned.query)].name;
  e.warmup = planned.warmup;
  e.cache = "warm";  // until it is proved cold
  e.session = recorder_.session();
  return e;
}

Status Executor::SetStage(int index) {
  DropStage();
  const PlanCell& cell = plan_.cells[static_cast<size_t>(index)];
  const CellData& data = preparation_.data(cell.id);
  ProgressEvent event = EventOf(ProgressEvent::Kind::kCellStarted);
  event.cell = cell.id;
  event.cell_number = index + 1;
  Tell(std::move(event), nullptr);
  stage_ = std::make_unique<Stage>(cell, data, CellSeed(plan_.seed, cell.id),
                                   static_cast<int>(plan_.streams));
  {
    const std::scoped_lock lock(counts_mutex_);
    live_log_ = &stage_->log();
    requests_taken_ = 0;
    live_get_price_ = cell.price.get_per_1000 / 1000;
  }
  Status started = stage_->Start();
  cache_problem_.clear();
  if (plan_.cache == CachePolicy::kCold) {
    if (data.files.empty()) {
      cache_problem_ = "the store " + cell.store_uri + " has no cache that could be dropped";
    } else if (const Status seen = page_cache_.Calibrate(data.files); !seen.ok()) {
      cache_problem_ = seen.error().message;
    }
    if (!cache_problem_.empty() && started.ok() && noted_.insert(cache_problem_).second) {
      Note("runs are recorded as warm: " + cache_problem_);
    }
  }
  LG_RETURN_IF_ERROR(recorder_.CellStart(
      cell.id, {{"store", data.store->Describe().uri},
                {"emulated", cell.emulated},
                {"threads", cell.threads},
                {"seed", CellSeed(plan_.seed, cell.id)},
                {"manifest", "manifests/" + cell.dataset_name + "/" + cell.layout_name + ".json"},
                {"files", data.files.size()},
                {"cold_can_be_proved", cache_problem_.empty() && plan_.cache == CachePolicy::kCold},
                {"cold_problem", cache_problem_},
                {"engine", stage_->description().configuration},
                {"error", started.ok() ? "" : started.error().message}}));
  const auto requests = stage_->TakeRequests(-1);
  CountRequests(requests, nullptr);
  LG_RETURN_IF_ERROR(recorder_.Spool(cell.id, requests, stage_->log()));
  return started;
}

void Executor::DropStage() {
  const std::scoped_lock lock(counts_mutex_);
  if (live_log_ != nullptr) requests_before_ += live_log_->count();
  live_log_ = nullptr;
  requests_taken_ = 0;
  stage_.reset();
}

Status Executor::FailPass(const Pass& pass, const Error& why) {
  if (why.code == ErrorCode::kOutOfSpace) return why;
  if (StoreIsGone(plan_.cells[static_cast<size_t>(pass.cell)])) return {};
  const record::RequestLog no_keys;
  for (const PlanExecution* planned : pass.executions) {
    if (recorder_.IsFinished(planned->id)) continue;
    record::Execution e = BeginRecord(*planned);
    e.start_ns = e.end_ns = clock_.NowNs();
    e.start_utc_ns = clock_.UtcNs();
    e.status = ExecutionStatus::kFailed;
    e.error = "the cell could not start: " + why.message;
    LG_RETURN_IF_ERROR(recorder_.Begin(e));
    LG_RETURN_IF_ERROR(recorder_.Finish(e, {}, no_keys));
    ++done_;
    Tell(QueryFinished(e), planned);
  }
  return {};
}

bool Executor::StoreIsGone(const PlanCell& cell) {
  const Status answers = StillAnswers(preparation_.data(cell.id));
  if (answers.ok()) return false;
  gone_ = true;
  {
    const std::scoped_lock lock(gone_mutex_);
    if (!stores_gone_.insert(cell.store).second) return true;
  }
  Note(fmt::format("store {} no longer answers ({}): what is left of its cells is not run",
                   cell.store, answers.error().message));
  return true;
}

CacheProof Executor::MakeCold(engine::Session* session) {
  CacheProof none;
  none.resident_bytes = -1;
  if (session != nullptr && !session->DropCaches().ok()) return none;
  const std::vector<std::string>& files = stage_->data().files;
  // Where it cannot be dropped, what lies there is recorded all the same.
  if (files.empty()) return none;
  auto proof = cache_problem_.empty() ? page_cache_.DropAndProve(files) : LookAtResidency(files);
  if (proof.ok() && (proof->cold || !cache_problem_.empty())) return *proof;
  if (!proof.ok() && StoreIsGone(stage_->cell())) return none;
  const std::string why =
      proof.ok() ? fmt::format("{} keeps pages in the page cache", proof->first_resident)
                 : proof.error().message;
  if (noted_.insert(why).second) Note("recorded as warm: " + why);
  return proof.ok() ? *proof : none;
}

void Executor::SetCache(const CacheProof& proof, record::Execution* e) {
  e->cache = proof.cold ? "cold" : "warm";
  e->resident_bytes = proof.resident_bytes;
}

void Executor::CountRequests(const std::vector<record::Request>& requests, record::Execution* e) {
  double cost = 0;
  for (const record::Request& r : requests) {
    if (e != nullptr) {
      ++e->requests;
      if (r.operation == record::Operation::kGet) e->bytes_read += r.bytes;
    }
    cost += CostOf(r, stage_->cell().price);
  }
  const std::scoped_lock lock(counts_mutex_);
  requests_taken_ += static_cast<int64_t>(requests.size());
  cost_taken_ += cost;
}

int64_t Executor::RequestsSoFar() {
  const std::scoped_lock lock(counts_mutex_);
  return requests_before_ + (live_log_ != nullptr ? live_log_->count() : 0);
}

double Executor::CostSoFar() {
  const std::scoped_lock lock(counts_mutex_);
  const int64_t untaken = live_log_ != nullptr ? live_log_->count() - requests_taken_ : 0;
  return cost_taken_ + static_cast<double>(std::max<int64_t>(0, untaken)) * live_get_price_;
}

void Executor::Tell(ProgressEvent event, const PlanExecution* planned) {
  if (options_.progress == nullptr) return;
  const std::scoped_lock lock(progress_mutex_);
  event.cells = static_cast<int>(plan_.cells.size());
  event.iterations = plan_.iterations;
  if (planned != nullptr) {
    event.cell = plan_.cells[static_cast<size_t>(planned->cell)].id;
    event.cell_number = planned->cell + 1;
    event.iteration = planned->iteration;
    event.warmup = planned->warmup;
    if (planned->warmup) event.iterations = plan_.warmup;
    event.stream = planned->stream;
    event.query = plan_.queries[static_cast<size_t>(planned->query)].name;
  }
  event.done = done_;
  event.total = static_cast<int64_t>(plan_.executions.size());
  event.run_elapsed_ns = clock_.NowNs() - start_ns_;
  event.left_ns = left_.left_ns();
  options_.progress->On(event);
}

void Executor::Note(const std::string& text) {
  ProgressEvent event = EventOf(ProgressEvent::Kind::kNote);
  event.text = text;
  Tell(std::move(event), nullptr);
}

}  // namespace lakegauge::run
