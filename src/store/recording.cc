#include "store/recording.h"

#include <atomic>
#include <cerrno>
#include <type_traits>
#include <utility>

namespace lakegauge::store {
namespace {

using record::Operation;
using record::Request;

std::atomic<int64_t> next_handle{1};

// Measures one request from its making to Finish.
class Recorder {
 public:
  Recorder(record::RequestLog& log, Clock& clock, const RequestContext& context,
           Operation operation)
      : log_(log), clock_(clock), given_(context.timing) {
    if (given_ != nullptr) *given_ = {};  // what an earlier request left
    request_.execution = context.execution;
    request_.lane = context.lane;
    request_.thread = record::CurrentThread();
    request_.operation = operation;
    request_.cpu_start_ns = ThreadCpuNs();
    request_.start_ns = clock.NowNs();
  }
  Request* operator->() { return &request_; }
  RequestTiming* timing() { return given_ != nullptr ? given_ : &own_; }

  void Finish(const Error* error) {
    const RequestTiming& timing = given_ != nullptr ? *given_ : own_;
    request_.end_ns = clock_.NowNs();
    request_.cpu_end_ns = ThreadCpuNs();
    request_.first_byte_ns = timing.first_byte_ns;
    request_.attempt = timing.attempts;
    request_.asked_ns = timing.asked_ns;
    request_.asked_first_ns = timing.asked_first_ns;
    request_.lateness_ns = timing.lateness_ns;
    request_.status = error == nullptr ? 0 : RecordedStatus(*error);
    log_.Put(request_);
  }
  template <typename T>
  void Finish(const Result<T>& result) {
    Finish(result.ok() ? nullptr : &result.error());
  }

 private:
  record::RequestLog& log_;
  Clock& clock_;
  RequestTiming* const given_;
  RequestTiming own_;
  Request request_;
};

RequestContext WithTiming(const RequestContext& context, RequestTiming* timing) {
  RequestContext inner = context;
  inner.timing = timing;
  return inner;
}

class RecordingReader : public Reader {
 public:
  RecordingReader(std::unique_ptr<Reader> inner, record::RequestLog& log, Clock& clock,
                  uint32_t key)
      : inner_(std::move(inner)),
        log_(log),
        clock_(clock),
        key_(key),
        handle_(next_handle.fetch_add(1, std::memory_order_relaxed)) {}
  int64_t size() const override { return inner_->size(); }
  Result<size_t> ReadAt(const RequestContext& context, int64_t offset,
                        std::span<std::byte> out) override {
    Recorder recorder(log_, clock_, context, Operation::kGet);
    auto got = inner_->ReadAt(WithTiming(context, recorder.timing()), offset, out);
    recorder->key = key_;
    recorder->handle = handle_;
    recorder->offset = offset;
    recorder->length = static_cast<int64_t>(out.size());
    recorder->bytes = got.ok() ? static_cast<int64_t>(*got) : 0;
    recorder.Finish(got);
    return got;
  }

 private:
  std::unique_ptr<Reader> inner_;
  record::RequestLog& log_;
  Clock& clock_;
  const uint32_t key_;
  const int64_t handle_;
};

class RecordingWriter : public Writer {
 public:
  RecordingWriter(record::RequestLog& log, Clock& clock, const RequestContext& context,
                  std::string_view key)
      : log_(log), clock_(clock), context_(context), key_(log.KeyId(key)) {
    if (context_.timing == nullptr) context_.timing = &timing_;
  }
  Status Open(Store& inner, std::string_view key) {
    LG_ASSIGN_OR_RETURN(inner_, inner.OpenWrite(context_, key));
    return {};
  }
  Status Append(std::span<const std::byte> data) override {
    length_ += static_cast<int64_t>(data.size());
    return inner_->Append(data);
  }
  Status Commit() override {
    Recorder recorder(log_, clock_, context_, Operation::kPut);
    auto done = inner_->Commit();
    recorder->key = key_;
    recorder->handle = next_handle.fetch_add(1, std::memory_order_relaxed);
    recorder->length = length_;
    recorder->bytes = done.ok() ? length_ : 0;
    recorder.Finish(done);
    return done;
  }
  void Abort() override { inner_->Abort(); }

 private:
  record::RequestLog& log_;
  Clock& clock_;
  RequestContext context_;
  RequestTiming timing_;  // filled by Commit of the writer below
  const uint32_t key_;
  int64_t length_ = 0;
  std::unique_ptr<Writer> inner_;
};

class RecordingStore : public Store {
 public:
  RecordingStore(std::unique_ptr<Store> inner, record::RequestLog& log, Clock& clock)
      : inner_(std::move(inner)), log_(log), clock_(clock) {}

  Result<std::optional<ObjectInfo>> Stat(const RequestContext& context,
                                         std::string_view key) override {
    return Measure(context, Operation::kHead, key,
                   [&](const RequestContext& c, Request*) { return inner_->Stat(c, key); });
  }
  Result<ListPage> List(const RequestContext& context, std::string_view prefix,
                        std::string_view continuation) override {
    return Measure(context, Operation::kList, prefix, [&](const RequestContext& c, Request* r) {
      auto page = inner_->List(c, prefix, continuation);
      if (page.ok()) r->length = static_cast<int64_t>(page->objects.size());
      return page;
    });
  }
  Result<std::unique_ptr<Reader>> OpenRead(const RequestContext& context, std::string_view key,
                                           const Known& known) override {
    const auto wrap = [&](std::unique_ptr<Reader> reader) {
      return std::unique_ptr<Reader>(
          std::make_unique<RecordingReader>(std::move(reader), log_, clock_, log_.KeyId(key)));
    };
    if (known.size.has_value()) {
      LG_ASSIGN_OR_RETURN(auto reader, inner_->OpenRead(context, key, known));
      return wrap(std::move(reader));
    }
    auto opened = Measure(context, Operation::kHead, key, [&](const RequestContext& c, Request*) {
      return inner_->OpenRead(c, key, known);
    });
    if (!opened.ok()) return opened;
    return wrap(std::move(*opened));
  }
  Result<std::unique_ptr<Writer>> OpenWrite(const RequestContext& context,
                                            std::string_view key) override {
    auto writer = std::make_unique<RecordingWriter>(log_, clock_, context, key);
    LG_RETURN_IF_ERROR(writer->Open(*inner_, key));
    return std::unique_ptr<Writer>(std::move(writer));
  }
  Status Delete(const RequestContext& context, std::string_view key) override {
    return Measure(context, Operation::kDelete, key,
                   [&](const RequestContext& c, Request*) { return inner_->Delete(c, key); });
  }
  Status CopyWithin(const RequestContext& context, std::string_view from,
                    std::string_view to) override {
    return Measure(context, Operation::kCopy, from, [&](const RequestContext& c, Request*) {
      return inner_->CopyWithin(c, from, to);
    });
  }
  StoreDescription Describe() const override { return inner_->Describe(); }

 private:
  template <typename Run>
  auto Measure(const RequestContext& context, Operation operation, std::string_view key,
               const Run& run) -> std::invoke_result_t<Run, const RequestContext&, Request*> {
    const uint32_t id = log_.KeyId(key);
    Recorder recorder(log_, clock_, context, operation);
    auto result = run(WithTiming(context, recorder.timing()), recorder.operator->());
    recorder->key = id;
    recorder.Finish(result);
    return result;
  }

  std::unique_ptr<Store> inner_;
  record::RequestLog& log_;
  Clock& clock_;
};

}  // namespace

int32_t RecordedStatus(const Error& error) {
  if (error.http_status != 0) return error.http_status;
  if (error.os_errno != 0) return -error.os_errno;
  switch (error.code) {
    case ErrorCode::kInvalidArgument:
      return -EINVAL;
    case ErrorCode::kNotFound:
      return -ENOENT;
    case ErrorCode::kAlreadyExists:
      return -EEXIST;
    case ErrorCode::kPermissionDenied:
      return -EACCES;
    case ErrorCode::kUnavailable:
      return -EAGAIN;
    case ErrorCode::kThrottled:
      return 503;
    case ErrorCode::kOutOfSpace:
      return -ENOSPC;
    case ErrorCode::kTimeout:
      return -ETIMEDOUT;
    case ErrorCode::kCancelled:
      return -ECANCELED;
    case ErrorCode::kUnsupported:
      return -ENOTSUP;
    case ErrorCode::kLimitReached:
      return -EDQUOT;
    case ErrorCode::kCorrupt:
    case ErrorCode::kInternal:
      break;
  }
  return -EIO;
}

std::unique_ptr<Store> RecordRequests(std::unique_ptr<Store> inner, record::RequestLog& log,
                                      Clock& clock) {
  return std::make_unique<RecordingStore>(std::move(inner), log, clock);
}

}  // namespace lakegauge::store
