#include "record/request.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <deque>
#include <mutex>
#include <shared_mutex>
#include <unordered_map>

namespace lakegauge::record {
namespace {

constexpr size_t kFirstCapacity = 256;

// What one thread put and nobody took yet. The lock is its own: only Take ever contends for it.
struct Buffer {
  std::mutex mutex;
  std::vector<Request> requests;
  std::atomic<int64_t> count{0};
  std::atomic<int64_t> bytes{0};
};

std::atomic<uint64_t> next_log_id{1};

struct KeyHash {
  using is_transparent = void;
  size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
};

}  // namespace

std::string_view OperationName(Operation operation) {
  switch (operation) {
    case Operation::kGet:
      return "GET";
    case Operation::kHead:
      return "HEAD";
    case Operation::kList:
      return "LIST";
    case Operation::kPut:
      return "PUT";
    case Operation::kDelete:
      return "DELETE";
    case Operation::kCopy:
      return "COPY";
  }
  return "GET";
}

int32_t CurrentThread() {
  thread_local const int32_t id = static_cast<int32_t>(gettid());
  return id;
}

struct RequestLog::State {
  const uint64_t id = next_log_id.fetch_add(1);
  mutable std::mutex mutex;  // of `buffers` and what ended threads left
  std::vector<std::shared_ptr<Buffer>> buffers;
  int64_t ended_count = 0;
  int64_t ended_bytes = 0;

  mutable std::shared_mutex key_mutex;
  std::unordered_map<std::string, uint32_t, KeyHash, std::equal_to<>> key_ids;
  std::deque<const std::string*> keys;

  // This thread's buffer, made at its first Put into this log.
  Buffer& Mine() {
    struct Known {
      uint64_t id;
      std::shared_ptr<Buffer> buffer;
    };
    thread_local std::vector<Known> known;
    for (const auto& k : known) {
      if (k.id == id) return *k.buffer;
    }
    // Buffers of logs that are gone are held by this thread alone.
    std::erase_if(known, [](const Known& k) { return k.buffer.use_count() == 1; });
    auto buffer = std::make_shared<Buffer>();
    buffer->requests.reserve(kFirstCapacity);
    {
      std::lock_guard lock(mutex);
      buffers.push_back(buffer);
    }
    known.push_back({id, buffer});
    return *buffer;
  }
};

RequestLog::RequestLog() : state_(std::make_shared<State>()) {}
RequestLog::~RequestLog() = default;

uint32_t RequestLog::KeyId(std::string_view key) {
  {
    std::shared_lock lock(state_->key_mutex);
    const auto known = state_->key_ids.find(key);
    if (known != state_->key_ids.end()) return known->second;
  }
  std::unique_lock lock(state_->key_mutex);
  const auto [at, added] = state_->key_ids.emplace(std::string(key), state_->keys.size());
  if (added) state_->keys.push_back(&at->first);
  return at->second;
}

std::string RequestLog::Key(uint32_t id) const {
  std::shared_lock lock(state_->key_mutex);
  return id < state_->keys.size() ? *state_->keys[id] : std::string();
}

void RequestLog::Put(const Request& request) {
  Buffer& mine = state_->Mine();
  std::lock_guard lock(mine.mutex);
  mine.requests.push_back(request);
  mine.count.store(mine.count.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  mine.bytes.store(mine.bytes.load(std::memory_order_relaxed) + request.bytes,
                   std::memory_order_relaxed);
}

std::vector<Request> RequestLog::Take() {
  std::vector<Request> all;
  {
    std::lock_guard lock(state_->mutex);
    for (const auto& buffer : state_->buffers) {
      std::lock_guard buffer_lock(buffer->mutex);
      all.insert(all.end(), buffer->requests.begin(), buffer->requests.end());
      buffer->requests.clear();
    }
    // A buffer that only the log holds belongs to a thread that ended.
    std::erase_if(state_->buffers, [&](const std::shared_ptr<Buffer>& buffer) {
      if (buffer.use_count() > 1) return false;
      std::lock_guard buffer_lock(buffer->mutex);
      if (!buffer->requests.empty()) return false;
      state_->ended_count += buffer->count.load(std::memory_order_relaxed);
      state_->ended_bytes += buffer->bytes.load(std::memory_order_relaxed);
      return true;
    });
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Request& a, const Request& b) { return a.start_ns < b.start_ns; });
  return all;
}

int64_t RequestLog::count() const {
  std::lock_guard lock(state_->mutex);
  int64_t sum = state_->ended_count;
  for (const auto& buffer : state_->buffers) sum += buffer->count.load(std::memory_order_relaxed);
  return sum;
}

int64_t RequestLog::bytes() const {
  std::lock_guard lock(state_->mutex);
  int64_t sum = state_->ended_bytes;
  for (const auto& buffer : state_->buffers) sum += buffer->bytes.load(std::memory_order_relaxed);
  return sum;
}

}  // namespace lakegauge::record
