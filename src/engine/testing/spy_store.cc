#include "engine/testing/spy_store.h"

#include <algorithm>
#include <cstring>

namespace lakegauge::engine::testing {

class SpyStore::SpyReader : public store::Reader {
 public:
  SpyReader(SpyStore& store, std::string key, int64_t size)
      : store_(store), key_(std::move(key)), size_(size) {}
  int64_t size() const override { return size_; }
  Result<size_t> ReadAt(const store::RequestContext& context, int64_t offset,
                        std::span<std::byte> out) override {
    store_.Note(record::Operation::kGet, context, key_, offset, static_cast<int64_t>(out.size()));
    LG_RETURN_IF_ERROR(store_.PassGate(context));
    const Object object = store_.Find(key_);
    if (!object) return MakeError(ErrorCode::kNotFound, "spy:" + key_ + ": no such object");
    const auto begin = std::min(static_cast<size_t>(offset), object->size());
    const size_t length = std::min(out.size(), object->size() - begin);
    std::memcpy(out.data(), object->data() + begin, length);
    return length;
  }

 private:
  SpyStore& store_;
  const std::string key_;
  const int64_t size_;
};

void SpyStore::Put(const std::string& key, std::string content) {
  std::lock_guard lock(mutex_);
  objects_[key] = std::make_shared<const std::string>(std::move(content));
}

void SpyStore::Remove(const std::string& key) {
  std::lock_guard lock(mutex_);
  objects_.erase(key);
}

std::string SpyStore::Content(const std::string& key) const {
  const Object object = Find(key);
  return object ? *object : "";
}

std::vector<Seen> SpyStore::Take() {
  std::lock_guard lock(mutex_);
  return std::exchange(seen_, {});
}

void SpyStore::FailReads(std::optional<Error> error) {
  std::lock_guard lock(mutex_);
  failure_ = std::move(error);
}

void SpyStore::HoldReads() {
  std::lock_guard lock(mutex_);
  holding_ = true;
}

void SpyStore::LetGo() {
  {
    std::lock_guard lock(mutex_);
    holding_ = false;
  }
  changed_.notify_all();
}

void SpyStore::AwaitHeld(int n) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return held_ >= n; });
}

SpyStore::Object SpyStore::Find(std::string_view key) const {
  std::lock_guard lock(mutex_);
  const auto found = objects_.find(key);
  return found == objects_.end() ? nullptr : found->second;
}

void SpyStore::Note(record::Operation operation, const store::RequestContext& context,
                    std::string_view key, int64_t offset, int64_t length) {
  std::lock_guard lock(mutex_);
  seen_.push_back({operation, std::string(key), offset, length, context.execution, context.lane});
}

Status SpyStore::PassGate(const store::RequestContext& context) {
  std::unique_lock lock(mutex_);
  if (failure_) return *failure_;
  if (!holding_) return {};
  ++held_;
  changed_.notify_all();
  const bool let_go = changed_.wait(lock, context.stop, [&] { return !holding_; });
  --held_;
  if (!let_go) return MakeError(ErrorCode::kCancelled, "a held read was called off");
  return {};
}

Result<std::optional<store::ObjectInfo>> SpyStore::Stat(const store::RequestContext& context,
                                                        std::string_view key) {
  Note(record::Operation::kHead, context, key, 0, 0);
  const Object object = Find(key);
  if (!object) return std::optional<store::ObjectInfo>();
  return std::optional(
      store::ObjectInfo{std::string(key), static_cast<int64_t>(object->size()), "", 0});
}

Result<store::ListPage> SpyStore::List(const store::RequestContext& context,
                                       std::string_view prefix, std::string_view continuation) {
  Note(record::Operation::kList, context, prefix, 0, 0);
  std::lock_guard lock(mutex_);
  store::ListPage page;
  auto at = objects_.upper_bound(continuation);
  if (continuation < prefix) at = objects_.lower_bound(prefix);
  for (; at != objects_.end() && at->first.starts_with(prefix); ++at) {
    if (page.objects.size() == page_keys_) {
      page.next = page.objects.back().key;
      break;
    }
    page.objects.push_back({at->first, static_cast<int64_t>(at->second->size()), "", 0});
  }
  return page;
}

Result<std::unique_ptr<store::Reader>> SpyStore::OpenRead(const store::RequestContext& context,
                                                          std::string_view key,
                                                          const store::Known& known) {
  std::optional<int64_t> size = known.size;
  if (!size) {
    LG_ASSIGN_OR_RETURN(const auto info, Stat(context, key));
    if (!info) {
      return MakeError(ErrorCode::kNotFound, "spy:" + std::string(key) + ": no such object");
    }
    size = info->size;
  }
  std::unique_ptr<store::Reader> reader =
      std::make_unique<SpyReader>(*this, std::string(key), *size);
  return reader;
}

Result<std::unique_ptr<store::Writer>> SpyStore::OpenWrite(const store::RequestContext&,
                                                           std::string_view) {
  return MakeError(ErrorCode::kUnsupported, "a spy store is filled by its test");
}

Status SpyStore::Delete(const store::RequestContext&, std::string_view) {
  return MakeError(ErrorCode::kUnsupported, "a spy store is filled by its test");
}

Status SpyStore::CopyWithin(const store::RequestContext&, std::string_view, std::string_view) {
  return MakeError(ErrorCode::kUnsupported, "a spy store is filled by its test");
}

store::StoreDescription SpyStore::Describe() const { return {"spy:", "spy", false, ""}; }

}  // namespace lakegauge::engine::testing
