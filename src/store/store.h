#pragma once
// A store: a place that holds bytes under keys. What differs between a disk, S3 and a map in memory
// is hidden here; what is added to any of them (recording, shaping, faults) is a decorator with
// this same face.
//
// Keys are '/'-separated UTF-8, relative to the store's root, without a leading '/'.
// Threads: every method may be called from any number of threads at once; one Reader too; one
// Writer
//   belongs to one thread at a time.
// Owns: a Reader or Writer may outlive nothing of its Store; keep the Store alive.
// Errors: values. A missing object is a fact for Stat (nullopt) and kNotFound for OpenRead.
// Units: bytes, nanoseconds (base/clock.h).

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace lakegauge::store {

struct ObjectInfo {
  std::string key;
  int64_t size = 0;
  std::string etag;      // empty where the store has none
  int64_t mtime_ns = 0;  // since the epoch; 0 where unknown
};

// What one operation's timing was, as far as the adapter or a decorator could see it.
struct RequestTiming {
  int64_t first_byte_ns = 0;    // CLOCK_MONOTONIC; 0: not seen
  int32_t attempts = 1;         // 1: no retry
  int64_t asked_ns = -1;        // what a profile asked the request to take in all; -1: not shaped
  int64_t asked_first_ns = -1;  // what a profile drew for its first byte; -1: not shaped
  int64_t lateness_ns = 0;      // how long after its deadline a shaped request really ended
};

// Who asks, whether it was called off, and where the timing goes. Passed down through decorators.
struct RequestContext {
  int64_t execution = -1;  // id of the query execution; -1: not for a query
  int32_t lane = 0;        // stream that asked
  std::stop_token stop;    // a shaped wait ends early (kCancelled) when requested
  // Filled where not null. What OpenWrite is given is filled by Commit: it must outlive the writer.
  RequestTiming* timing = nullptr;
};

struct ListPage {
  std::vector<ObjectInfo> objects;  // ascending by key (byte order)
  std::string next;                 // continuation token; empty: this was the last page
};

// What the caller already knows of an object, so that it is not asked for again.
struct Known {
  std::optional<int64_t> size;  // with it, OpenRead makes no request of its own
};

class Reader {
 public:
  virtual ~Reader() = default;
  virtual int64_t size() const = 0;
  // Reads at most out.size() bytes at `offset`; fewer only at the object's end.
  virtual Result<size_t> ReadAt(const RequestContext& context, int64_t offset,
                                std::span<std::byte> out) = 0;
};

class Writer {
 public:
  virtual ~Writer() = default;  // without Commit, as Abort
  virtual Status Append(std::span<const std::byte> data) = 0;
  // Makes the object visible, whole and durable, under its key, replacing what was there.
  virtual Status Commit() = 0;
  virtual void Abort() = 0;
};

// What kind of place it is, for records and reports; never a secret.
struct StoreDescription {
  std::string uri;        // "file:/data/x", "mem:", "s3://bucket/prefix"
  std::string kind;       // "file", "mem", "s3", ...
  bool emulated = false;  // true when a profile shapes it
  std::string profile;    // the profile's name, or empty
};

class Store {
 public:
  virtual ~Store() = default;
  virtual Result<std::optional<ObjectInfo>> Stat(const RequestContext& context,
                                                 std::string_view key) = 0;
  // Objects whose keys begin with `prefix`, at most 1,000 a page.
  virtual Result<ListPage> List(const RequestContext& context, std::string_view prefix,
                                std::string_view continuation) = 0;
  // One request (HEAD) unless known.size is given.
  virtual Result<std::unique_ptr<Reader>> OpenRead(const RequestContext& context,
                                                   std::string_view key, const Known& known) = 0;
  virtual Result<std::unique_ptr<Writer>> OpenWrite(const RequestContext& context,
                                                    std::string_view key) = 0;
  // Deleting what is not there is fine.
  virtual Status Delete(const RequestContext& context, std::string_view key) = 0;
  virtual Status CopyWithin(const RequestContext& context, std::string_view from,
                            std::string_view to) = 0;
  virtual StoreDescription Describe() const = 0;
};

inline constexpr size_t kListPageKeys = 1000;

// All pages of List.
Result<std::vector<ObjectInfo>> ListAll(Store& store, const RequestContext& context,
                                        std::string_view prefix);
// Whole object, for small ones.
Result<std::string> ReadObject(Store& store, const RequestContext& context, std::string_view key);
Status WriteObject(Store& store, const RequestContext& context, std::string_view key,
                   std::string_view content);

// "file:/abs/or/rel/path" (or a bare path), "mem:" (a new one) and "mem:name" (the same one for all
// who open it in this process). kUnsupported names the schemes there are.
Result<std::unique_ptr<Store>> OpenStore(std::string_view uri);

// Whether a store takes this key: not empty, no leading or trailing '/', no segment that is empty,
// "." or "..", no NUL, none that begins with ".lg-tmp-" (objects being written). A prefix may also
// be empty or end in '/'.
Status CheckKey(std::string_view key);
Status CheckPrefix(std::string_view prefix);

}  // namespace lakegauge::store
