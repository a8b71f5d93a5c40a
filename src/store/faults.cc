#include "store/faults.h"

#include <array>
#include <atomic>
#include <cerrno>
#include <utility>

#include "profile/draw.h"

namespace lakegauge::store {
namespace {

using record::Operation;

class Faults {
 public:
  Faults(FaultPlan plan, Clock& clock) : plan_(std::move(plan)), clock_(clock) {}

  // Counts one operation; an error for it, or the faults that change how it is done.
  struct Verdict {
    std::optional<Error> error;
    bool truncate = false;
    bool disk_full = false;
  };
  Verdict Next(Operation operation, const RequestContext& context) {
    const int64_t n = counts_[static_cast<size_t>(operation)].fetch_add(1) + 1;
    Verdict verdict;
    for (const Fault& fault : plan_.scripted) {
      const bool hit = fault.nth == 0 || (n >= fault.nth && n < fault.nth + fault.times);
      if (fault.operation != operation || !hit) continue;
      switch (fault.kind) {
        case Fault::Kind::kError:
          verdict.error = fault.error;
          break;
        case Fault::Kind::kTruncatedRead:
          verdict.truncate = true;
          break;
        case Fault::Kind::kDiskFull:
          verdict.disk_full = true;
          break;
        case Fault::Kind::kSlow:
          if (!clock_.WaitUntil(clock_.NowNs() + fault.slow_ns, context.stop)) {
            verdict.error = MakeError(ErrorCode::kCancelled, "stopped while waiting for storage");
          }
          break;
      }
    }
    const profile::DrawKey draw{plan_.seed, n, static_cast<uint64_t>(operation), 0, 0};
    if (plan_.error_rate > 0 &&
        profile::Uniform(draw, 1, profile::Purpose::kError) < plan_.error_rate) {
      verdict.error = Fault().error;
    }
    return verdict;
  }

 private:
  const FaultPlan plan_;
  Clock& clock_;
  std::array<std::atomic<int64_t>, 6> counts_{};
};

class FaultReader : public Reader {
 public:
  FaultReader(std::unique_ptr<Reader> inner, Faults& faults)
      : inner_(std::move(inner)), faults_(faults) {}
  int64_t size() const override { return inner_->size(); }
  Result<size_t> ReadAt(const RequestContext& context, int64_t offset,
                        std::span<std::byte> out) override {
    auto verdict = faults_.Next(Operation::kGet, context);
    if (verdict.error) return *std::move(verdict.error);
    LG_ASSIGN_OR_RETURN(const size_t n, inner_->ReadAt(context, offset, out));
    return verdict.truncate ? n / 2 : n;
  }

 private:
  std::unique_ptr<Reader> inner_;
  Faults& faults_;
};

class FaultWriter : public Writer {
 public:
  FaultWriter(std::unique_ptr<Writer> inner, Faults::Verdict verdict)
      : inner_(std::move(inner)), verdict_(std::move(verdict)) {}
  Status Append(std::span<const std::byte> data) override {
    if (verdict_.disk_full) return ErrnoError("injected fault", ENOSPC);
    return inner_->Append(data);
  }
  Status Commit() override {
    if (verdict_.error) {
      inner_->Abort();
      return *verdict_.error;
    }
    return inner_->Commit();
  }
  void Abort() override { inner_->Abort(); }

 private:
  std::unique_ptr<Writer> inner_;
  const Faults::Verdict verdict_;
};

class FaultStore : public Store {
 public:
  FaultStore(std::unique_ptr<Store> inner, FaultPlan plan, Clock& clock)
      : inner_(std::move(inner)), faults_(std::move(plan), clock) {}

  Result<std::optional<ObjectInfo>> Stat(const RequestContext& context,
                                         std::string_view key) override {
    auto verdict = faults_.Next(Operation::kHead, context);
    if (verdict.error) return *std::move(verdict.error);
    return inner_->Stat(context, key);
  }
  Result<ListPage> List(const RequestContext& context, std::string_view prefix,
                        std::string_view continuation) override {
    auto verdict = faults_.Next(Operation::kList, context);
    if (verdict.error) return *std::move(verdict.error);
    return inner_->List(context, prefix, continuation);
  }
  Result<std::unique_ptr<Reader>> OpenRead(const RequestContext& context, std::string_view key,
                                           const Known& known) override {
    if (!known.size.has_value()) {
      auto verdict = faults_.Next(Operation::kHead, context);
      if (verdict.error) return *std::move(verdict.error);
    }
    LG_ASSIGN_OR_RETURN(auto reader, inner_->OpenRead(context, key, known));
    return std::unique_ptr<Reader>(std::make_unique<FaultReader>(std::move(reader), faults_));
  }
  Result<std::unique_ptr<Writer>> OpenWrite(const RequestContext& context,
                                            std::string_view key) override {
    auto verdict = faults_.Next(Operation::kPut, context);
    LG_ASSIGN_OR_RETURN(auto writer, inner_->OpenWrite(context, key));
    return std::unique_ptr<Writer>(
        std::make_unique<FaultWriter>(std::move(writer), std::move(verdict)));
  }
  Status Delete(const RequestContext& context, std::string_view key) override {
    auto verdict = faults_.Next(Operation::kDelete, context);
    if (verdict.error) return *std::move(verdict.error);
    return inner_->Delete(context, key);
  }
  Status CopyWithin(const RequestContext& context, std::string_view from,
                    std::string_view to) override {
    auto verdict = faults_.Next(Operation::kCopy, context);
    if (verdict.error) return *std::move(verdict.error);
    return inner_->CopyWithin(context, from, to);
  }
  StoreDescription Describe() const override { return inner_->Describe(); }

 private:
  std::unique_ptr<Store> inner_;
  Faults faults_;
};

}  // namespace

std::unique_ptr<Store> InjectFaults(std::unique_ptr<Store> inner, FaultPlan plan, Clock& clock) {
  return std::make_unique<FaultStore>(std::move(inner), std::move(plan), clock);
}

}  // namespace lakegauge::store
