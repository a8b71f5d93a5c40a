#pragma once
// A store for tests of engines: objects in memory, everything asked of it written down with its
// tags, and faults and holds on request.
//
// Threads: any. Errors: as store.h says, and those asked for.

#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "record/request.h"
#include "store/store.h"

namespace lakegauge::engine::testing {

struct Seen {
  record::Operation operation = record::Operation::kGet;
  std::string key;
  int64_t offset = 0;
  int64_t length = 0;
  int64_t execution = -1;
  int32_t lane = 0;
};

class SpyStore : public store::Store {
 public:
  // Keys a page of List holds.
  explicit SpyStore(size_t page_keys = store::kListPageKeys) : page_keys_(page_keys) {}

  void Put(const std::string& key, std::string content);
  void Remove(const std::string& key);
  std::string Content(const std::string& key) const;
  // What was asked since the last call, in the order it came.
  std::vector<Seen> Take();
  // Every read that begins from now on gives this error; nullopt: none.
  void FailReads(std::optional<Error> error);
  // Reads that begin from now on wait until let go or stopped; a stopped one gives kCancelled.
  void HoldReads();
  void LetGo();
  // Returns once at least `n` reads are held.
  void AwaitHeld(int n);

  Result<std::optional<store::ObjectInfo>> Stat(const store::RequestContext& context,
                                                std::string_view key) override;
  Result<store::ListPage> List(const store::RequestContext& context, std::string_view prefix,
                               std::string_view continuation) override;
  Result<std::unique_ptr<store::Reader>> OpenRead(const store::RequestContext& context,
                                                  std::string_view key,
                                                  const store::Known& known) override;
  Result<std::unique_ptr<store::Writer>> OpenWrite(const store::RequestContext& context,
                                                   std::string_view key) override;
  Status Delete(const store::RequestContext& context, std::string_view key) override;
  Status CopyWithin(const store::RequestContext& context, std::string_view from,
                    std::string_view to) override;
  store::StoreDescription Describe() const override;

 private:
  class SpyReader;
  using Object = std::shared_ptr<const std::string>;

  Object Find(std::string_view key) const;
  void Note(record::Operation operation, const store::RequestContext& context, std::string_view key,
            int64_t offset, int64_t length);
  Status PassGate(const store::RequestContext& context);

  const size_t page_keys_;
  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  std::map<std::string, Object, std::less<>> objects_;
  std::vector<Seen> seen_;
  std::optional<Error> failure_;
  bool holding_ = false;
  int held_ = 0;
};

}  // namespace lakegauge::engine::testing
