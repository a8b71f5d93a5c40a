#include "store/shaping.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <mutex>
#include <utility>

#include "base/units.h"
#include "profile/draw.h"
#include "record/request.h"

namespace lakegauge::store {
namespace {

using profile::Operation;
using profile::Profile;
using profile::Purpose;

static_assert(static_cast<int>(Operation::kGet) == static_cast<int>(record::Operation::kGet) &&
              static_cast<int>(Operation::kCopy) == static_cast<int>(record::Operation::kCopy));

// A slice of the shared pipe is at least this large and takes at least this long.
constexpr double kSliceBytes = 256 * 1024;
constexpr double kSliceSeconds = 0.002;

// Lets requests through at a rate, with a burst, as GCRA (ITU-T I.371): `due_ns_` is when the next
// one would come if all came evenly.
class RateGate {
 public:
  RateGate(double per_second, int64_t burst)
      : interval_ns_(per_second > 0 ? kNsPerS / per_second : 0),
        tolerance_ns_(interval_ns_ * static_cast<double>(burst - 1)) {}
  bool Admit(int64_t now_ns) {
    if (interval_ns_ == 0) return true;
    std::lock_guard lock(mutex_);
    // A thread that was held up on its way here comes when it comes, not when it set out: else what
    // the others were let through meanwhile would count against it.
    seen_ns_ = std::max(seen_ns_, now_ns);
    const auto now = static_cast<double>(seen_ns_);
    if (due_ns_ - tolerance_ns_ > now) return false;
    due_ns_ = std::max(due_ns_, now) + interval_ns_;
    return true;
  }

 private:
  const double interval_ns_;
  const double tolerance_ns_;
  std::mutex mutex_;
  double due_ns_ = 0;
  int64_t seen_ns_ = 0;
};

// The bandwidth all streams share: when a slice that is ready at some time will have come through.
class Pipe {
 public:
  explicit Pipe(double bytes_per_s)
      : ns_per_byte_(bytes_per_s > 0 ? kNsPerS / bytes_per_s : 0),
        slice_bytes_(std::max(kSliceBytes, bytes_per_s * kSliceSeconds)) {}
  bool limited() const { return ns_per_byte_ > 0; }
  double slice_bytes() const { return slice_bytes_; }
  double Through(double ready_ns, double bytes) {
    std::lock_guard lock(mutex_);
    free_at_ns_ = std::max(free_at_ns_, ready_ns) + bytes * ns_per_byte_;
    return free_at_ns_;
  }

 private:
  const double ns_per_byte_;
  const double slice_bytes_;
  std::mutex mutex_;
  double free_at_ns_ = 0;
};

// What one request is, for its draws.
struct Subject {
  Operation operation;
  std::string_view key;
  uint64_t key_hash;
  int64_t offset;
};

class Shaper {
 public:
  Shaper(Profile profile, uint64_t seed, Clock& clock)
      : profile_(std::move(profile)),
        seed_(seed),
        clock_(clock),
        reads_(profile_.reads_per_s, profile_.rate_burst),
        writes_(profile_.writes_per_s, profile_.rate_burst),
        pipe_(profile_.total_bytes_per_s) {}

  const Profile& profile() const { return profile_; }

  // Runs `work`, which gives a Result<T>, as one request; `bytes_of` says how many bytes a T
  // carries.
  template <typename Work, typename BytesOf>
  auto Run(const RequestContext& context, const Subject& subject, const Work& work,
           const BytesOf& bytes_of) -> decltype(work()) {
    RequestTiming ignored;
    RequestTiming& timing = context.timing != nullptr ? *context.timing : ignored;
    const int64_t start_ns = clock_.NowNs();
    int64_t attempt_ns = start_ns;  // when the attempt is due
    const profile::DrawKey draw{seed_, context.execution, static_cast<uint64_t>(subject.operation),
                                subject.key_hash, subject.offset};
    for (int attempt = 1;; ++attempt) {
      timing.attempts = attempt;
      const int64_t first_ns =
          profile_.latency(subject.operation)
              .QuantileNs(profile::Uniform(draw, attempt, Purpose::kFirstByte));
      const int refused = Refuse(draw, attempt, subject.operation, attempt_ns);
      if (refused == 0) {
        auto result = work();
        LG_RETURN_IF_ERROR(Deliver(context, start_ns, attempt_ns, first_ns,
                                   result.ok() ? bytes_of(*result) : 0, timing));
        return result;
      }
      const int64_t answered_ns = attempt_ns + first_ns;
      if (attempt >= profile_.retry.attempts) {
        LG_RETURN_IF_ERROR(Wait(context, start_ns, answered_ns, timing));
        return Refusal(refused, subject, attempt);
      }
      attempt_ns = answered_ns + profile_.retry.WaitNs(
                                     attempt, profile::Uniform(draw, attempt, Purpose::kBackoff));
      LG_RETURN_IF_ERROR(Wait(context, start_ns, attempt_ns, timing));
    }
  }

 private:
  // 0, or the HTTP status this attempt is answered with.
  int Refuse(const profile::DrawKey& draw, int attempt, Operation operation, int64_t now_ns) {
    const bool reads = operation == Operation::kGet || operation == Operation::kHead ||
                       operation == Operation::kList;
    if (!(reads ? reads_ : writes_).Admit(now_ns)) return 503;
    if (profile_.error_rate > 0 &&
        profile::Uniform(draw, attempt, Purpose::kError) < profile_.error_rate) {
      return 500;
    }
    return 0;
  }

  Error Refusal(int status, const Subject& subject, int attempts) const {
    Error error = MakeError(
        status == 503 ? ErrorCode::kThrottled : ErrorCode::kUnavailable,
        fmt::format("{} {}: the emulated store {} answered {} to {}",
                    OperationName(subject.operation), subject.key, profile_.name,
                    status == 503 ? "503 slow down" : "500",
                    attempts == 1 ? "the one attempt" : fmt::format("all {} attempts", attempts)));
    error.retryable = true;
    error.http_status = status;
    return error;
  }

  // First byte, then transfer.
  Status Deliver(const RequestContext& context, int64_t start_ns, int64_t attempt_ns,
                 int64_t first_ns, int64_t bytes, RequestTiming& timing) {
    timing.asked_first_ns = first_ns;
    timing.first_byte_ns = attempt_ns + first_ns;
    auto ready_ns = static_cast<double>(timing.first_byte_ns);
    const double stream_ns_per_byte =
        profile_.stream_bytes_per_s > 0 ? kNsPerS / profile_.stream_bytes_per_s : 0;
    if (!pipe_.limited() || bytes == 0) {
      ready_ns += static_cast<double>(bytes) * stream_ns_per_byte;
      return Wait(context, start_ns, std::llround(ready_ns), timing);
    }
    // The pipe is taken when a slice is ready to go, not before: a slow first byte holds nobody up.
    auto left = static_cast<double>(bytes);
    while (left > 0) {
      LG_RETURN_IF_ERROR(Wait(context, start_ns, std::llround(ready_ns), timing));
      const double slice = std::min(left, pipe_.slice_bytes());
      ready_ns = std::max(pipe_.Through(ready_ns, slice), ready_ns + slice * stream_ns_per_byte);
      left -= slice;
    }
    return Wait(context, start_ns, std::llround(ready_ns), timing);
  }

  Status Wait(const RequestContext& context, int64_t start_ns, int64_t deadline_ns,
              RequestTiming& timing) {
    timing.asked_ns = deadline_ns - start_ns;
    const bool whole = clock_.WaitUntil(deadline_ns, context.stop);
    timing.lateness_ns = std::max<int64_t>(0, clock_.NowNs() - deadline_ns);
    if (!whole) return MakeError(ErrorCode::kCancelled, "stopped while waiting for storage");
    return {};
  }

  const Profile profile_;
  const uint64_t seed_;
  Clock& clock_;
  RateGate reads_;
  RateGate writes_;
  Pipe pipe_;
};

constexpr auto kNoBytes = [](const auto&) -> int64_t { return 0; };

class ShapingReader : public Reader {
 public:
  ShapingReader(std::unique_ptr<Reader> inner, Shaper& shaper, std::string_view key)
      : inner_(std::move(inner)), shaper_(shaper), key_(key), key_hash_(profile::HashKey(key)) {}
  int64_t size() const override { return inner_->size(); }
  Result<size_t> ReadAt(const RequestContext& context, int64_t offset,
                        std::span<std::byte> out) override {
    return shaper_.Run(
        context, {Operation::kGet, key_, key_hash_, offset},
        [&] { return inner_->ReadAt(context, offset, out); },
        [](size_t n) { return static_cast<int64_t>(n); });
  }

 private:
  std::unique_ptr<Reader> inner_;
  Shaper& shaper_;
  const std::string key_;
  const uint64_t key_hash_;
};

// Result<void> has no value to ask for bytes; this one carries them.
struct Written {
  int64_t bytes = 0;
};

class ShapingWriter : public Writer {
 public:
  ShapingWriter(std::unique_ptr<Writer> inner, Shaper& shaper, const RequestContext& context,
                std::string_view key)
      : inner_(std::move(inner)), shaper_(shaper), context_(context), key_(key) {}
  Status Append(std::span<const std::byte> data) override {
    bytes_ += static_cast<int64_t>(data.size());
    return inner_->Append(data);
  }
  Status Commit() override {
    const auto done = shaper_.Run(
        context_, {Operation::kPut, key_, profile::HashKey(key_), 0},
        [&]() -> Result<Written> {
          LG_RETURN_IF_ERROR(inner_->Commit());
          return Written{bytes_};
        },
        [](const Written& written) { return written.bytes; });
    if (!done.ok()) return done.error();
    return {};
  }
  void Abort() override { inner_->Abort(); }

 private:
  std::unique_ptr<Writer> inner_;
  Shaper& shaper_;
  const RequestContext context_;
  const std::string key_;
  int64_t bytes_ = 0;
};

class ShapingStore : public Store {
 public:
  ShapingStore(std::unique_ptr<Store> inner, const Profile& profile, uint64_t seed, Clock& clock)
      : inner_(std::move(inner)), shaper_(profile, seed, clock), off_(profile.is_off()) {}

  Result<std::optional<ObjectInfo>> Stat(const RequestContext& context,
                                         std::string_view key) override {
    if (off_) return inner_->Stat(context, key);
    return shaper_.Run(
        context, About(Operation::kHead, key), [&] { return inner_->Stat(context, key); },
        kNoBytes);
  }
  Result<ListPage> List(const RequestContext& context, std::string_view prefix,
                        std::string_view continuation) override {
    if (off_) return inner_->List(context, prefix, continuation);
    Subject subject = About(Operation::kList, prefix);
    subject.offset = static_cast<int64_t>(profile::HashKey(continuation));
    return shaper_.Run(
        context, subject, [&] { return inner_->List(context, prefix, continuation); }, kNoBytes);
  }
  Result<std::unique_ptr<Reader>> OpenRead(const RequestContext& context, std::string_view key,
                                           const Known& known) override {
    if (off_) return inner_->OpenRead(context, key, known);
    const auto open = [&] { return inner_->OpenRead(context, key, known); };
    auto opened = known.size.has_value()
                      ? open()
                      : shaper_.Run(context, About(Operation::kHead, key), open, kNoBytes);
    if (!opened.ok()) return opened;
    return std::unique_ptr<Reader>(
        std::make_unique<ShapingReader>(std::move(*opened), shaper_, key));
  }
  Result<std::unique_ptr<Writer>> OpenWrite(const RequestContext& context,
                                            std::string_view key) override {
    LG_ASSIGN_OR_RETURN(auto writer, inner_->OpenWrite(context, key));
    if (off_) return writer;
    return std::unique_ptr<Writer>(
        std::make_unique<ShapingWriter>(std::move(writer), shaper_, context, key));
  }
  Status Delete(const RequestContext& context, std::string_view key) override {
    if (off_) return inner_->Delete(context, key);
    return Plain(context, About(Operation::kDelete, key),
                 [&] { return inner_->Delete(context, key); });
  }
  Status CopyWithin(const RequestContext& context, std::string_view from,
                    std::string_view to) override {
    if (off_) return inner_->CopyWithin(context, from, to);
    return Plain(context, About(Operation::kCopy, from),
                 [&] { return inner_->CopyWithin(context, from, to); });
  }
  StoreDescription Describe() const override {
    StoreDescription description = inner_->Describe();
    description.emulated = description.emulated || !off_;
    description.profile = shaper_.profile().name;
    return description;
  }

 private:
  static Subject About(Operation operation, std::string_view key) {
    return {operation, key, profile::HashKey(key), 0};
  }
  template <typename Work>
  Status Plain(const RequestContext& context, const Subject& subject, const Work& work) {
    const auto done = shaper_.Run(
        context, subject,
        [&]() -> Result<Written> {
          LG_RETURN_IF_ERROR(work());
          return Written{};
        },
        kNoBytes);
    if (!done.ok()) return done.error();
    return {};
  }

  std::unique_ptr<Store> inner_;
  Shaper shaper_;
  const bool off_;
};

}  // namespace

std::unique_ptr<Store> ShapeRequests(std::unique_ptr<Store> inner, const profile::Profile& profile,
                                     uint64_t seed, Clock& clock) {
  return std::make_unique<ShapingStore>(std::move(inner), profile, seed, clock);
}

}  // namespace lakegauge::store
