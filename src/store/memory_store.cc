#include "store/memory_store.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <map>
#include <mutex>
#include <shared_mutex>

namespace lakegauge::store {
namespace {

using Content = std::vector<std::byte>;

struct Objects {
  std::shared_mutex mutex;
  std::map<std::string, std::shared_ptr<const Content>, std::less<>> by_key;
};

Error NotFound(std::string_view key) { return ErrnoError(key, ENOENT); }

class MemoryReader : public Reader {
 public:
  explicit MemoryReader(std::shared_ptr<const Content> content) : content_(std::move(content)) {}
  int64_t size() const override { return static_cast<int64_t>(content_->size()); }
  Result<size_t> ReadAt(const RequestContext&, int64_t offset, std::span<std::byte> out) override {
    if (offset < 0) return ErrnoError("reading at a negative offset", EINVAL);
    if (offset >= size()) return size_t{0};
    const size_t n = std::min(out.size(), content_->size() - static_cast<size_t>(offset));
    if (n > 0) std::memcpy(out.data(), content_->data() + offset, n);
    return n;
  }

 private:
  std::shared_ptr<const Content> content_;
};

class MemoryWriter : public Writer {
 public:
  MemoryWriter(std::shared_ptr<Objects> objects, std::string key)
      : objects_(std::move(objects)), key_(std::move(key)), content_(std::make_shared<Content>()) {}
  Status Append(std::span<const std::byte> data) override {
    if (content_ == nullptr)
      return MakeError(ErrorCode::kInternal, key_ + ": append after the end");
    content_->insert(content_->end(), data.begin(), data.end());
    return {};
  }
  Status Commit() override {
    if (content_ == nullptr)
      return MakeError(ErrorCode::kInternal, key_ + ": commit after the end");
    std::unique_lock lock(objects_->mutex);
    objects_->by_key[key_] = std::move(content_);
    content_ = nullptr;
    return {};
  }
  void Abort() override { content_ = nullptr; }

 private:
  std::shared_ptr<Objects> objects_;
  std::string key_;
  std::shared_ptr<Content> content_;
};

class MemoryStore : public Store {
 public:
  MemoryStore(std::shared_ptr<Objects> objects, std::string name)
      : objects_(std::move(objects)), name_(std::move(name)) {}

  Result<std::optional<ObjectInfo>> Stat(const RequestContext&, std::string_view key) override {
    LG_RETURN_IF_ERROR(CheckKey(key));
    std::shared_lock lock(objects_->mutex);
    const auto at = objects_->by_key.find(key);
    if (at == objects_->by_key.end()) return std::optional<ObjectInfo>();
    return std::optional<ObjectInfo>(Info(*at));
  }
  Result<ListPage> List(const RequestContext&, std::string_view prefix,
                        std::string_view continuation) override {
    LG_RETURN_IF_ERROR(CheckPrefix(prefix));
    std::shared_lock lock(objects_->mutex);
    ListPage page;
    auto at = continuation.empty() ? objects_->by_key.lower_bound(prefix)
                                   : objects_->by_key.upper_bound(continuation);
    for (; at != objects_->by_key.end() && at->first.starts_with(prefix); ++at) {
      if (page.objects.size() == kListPageKeys) {
        page.next = page.objects.back().key;
        break;
      }
      page.objects.push_back(Info(*at));
    }
    return page;
  }
  Result<std::unique_ptr<Reader>> OpenRead(const RequestContext&, std::string_view key,
                                           const Known&) override {
    LG_RETURN_IF_ERROR(CheckKey(key));
    std::shared_lock lock(objects_->mutex);
    const auto at = objects_->by_key.find(key);
    if (at == objects_->by_key.end()) return NotFound(key);
    return std::unique_ptr<Reader>(std::make_unique<MemoryReader>(at->second));
  }
  Result<std::unique_ptr<Writer>> OpenWrite(const RequestContext&, std::string_view key) override {
    LG_RETURN_IF_ERROR(CheckKey(key));
    return std::unique_ptr<Writer>(std::make_unique<MemoryWriter>(objects_, std::string(key)));
  }
  Status Delete(const RequestContext&, std::string_view key) override {
    LG_RETURN_IF_ERROR(CheckKey(key));
    std::unique_lock lock(objects_->mutex);
    if (const auto at = objects_->by_key.find(key); at != objects_->by_key.end()) {
      objects_->by_key.erase(at);
    }
    return {};
  }
  Status CopyWithin(const RequestContext&, std::string_view from, std::string_view to) override {
    LG_RETURN_IF_ERROR(CheckKey(from));
    LG_RETURN_IF_ERROR(CheckKey(to));
    std::unique_lock lock(objects_->mutex);
    const auto at = objects_->by_key.find(from);
    if (at == objects_->by_key.end()) return NotFound(from);
    objects_->by_key[std::string(to)] = at->second;
    return {};
  }
  StoreDescription Describe() const override { return {"mem:" + name_, "mem", false, ""}; }

 private:
  static ObjectInfo Info(const std::pair<const std::string, std::shared_ptr<const Content>>& at) {
    return {at.first, static_cast<int64_t>(at.second->size()), "", 0};
  }
  std::shared_ptr<Objects> objects_;
  std::string name_;
};

}  // namespace

std::unique_ptr<Store> MakeMemoryStore() {
  return std::make_unique<MemoryStore>(std::make_shared<Objects>(), "");
}

std::unique_ptr<Store> OpenNamedMemoryStore(const std::string& name) {
  static std::mutex mutex;
  static std::map<std::string, std::shared_ptr<Objects>> named;
  std::lock_guard lock(mutex);
  auto& objects = named[name];
  if (objects == nullptr) objects = std::make_shared<Objects>();
  return std::make_unique<MemoryStore>(objects, name);
}

}  // namespace lakegauge::store
