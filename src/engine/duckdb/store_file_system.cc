#include "engine/duckdb/store_file_system.h"

#include <algorithm>
#include <cstddef>
#include <span>

#include "engine/duckdb/lane_state.h"
#include "sql/sql.h"

namespace lakegauge::engine {
namespace {

// The keys under which DuckDB's file systems hand what a listing said on to whoever opens the file.
constexpr const char* kSizeOption = "file_size";
constexpr const char* kModifiedOption = "last_modified";
constexpr const char* kTagOption = "etag";

constexpr int64_t kNsPerMicro = 1000;

using AskingPtr = std::shared_ptr<const Asking>;

store::RequestContext ContextOf(const AskingPtr& asking) {
  store::RequestContext context;
  context.execution = asking->execution;
  context.lane = asking->lane;
  context.stop = asking->stop;
  return context;
}

[[noreturn]] void Throw(const Error& error) {
  if (error.code == ErrorCode::kCancelled) throw duckdb::InterruptException();
  throw duckdb::IOException("%s", error.message);
}

[[noreturn]] void ThrowReadOnly(const std::string& path) {
  throw duckdb::NotImplementedException("queries cannot write to a store: %s", path);
}

void ThrowIfStopped(const AskingPtr& asking) {
  if (asking->stop.stop_requested()) throw duckdb::InterruptException();
}

class StoreFileHandle : public duckdb::FileHandle {
 public:
  StoreFileHandle(duckdb::FileSystem& fs, const std::string& path, duckdb::FileOpenFlags flags,
                  AskingPtr asking, std::unique_ptr<store::Reader> reader)
      : FileHandle(fs, path, flags),
        asking_(std::move(asking)),
        reader_(std::move(reader)),
        size_(reader_->size()) {}
  ~StoreFileHandle() override = default;
  void Close() override { reader_.reset(); }

  void ReadExactly(void* buffer, int64_t length, int64_t offset) {
    const int64_t got = ReadUpTo(buffer, length, offset);
    if (got != length) {
      throw duckdb::IOException("%s ends at byte %lld, but bytes %lld to %lld were wanted", path,
                                static_cast<long long>(offset + got),
                                static_cast<long long>(offset),
                                static_cast<long long>(offset + length));
    }
  }

  int64_t ReadUpTo(void* buffer, int64_t length, int64_t offset) {
    if (length <= 0) return 0;
    ThrowIfStopped(asking_);
    if (!reader_) throw duckdb::IOException("%s was closed", path);
    const auto got =
        reader_->ReadAt(ContextOf(asking_), offset,
                        std::span(static_cast<std::byte*>(buffer), static_cast<size_t>(length)));
    if (!got.ok()) Throw(got.error());
    return static_cast<int64_t>(*got);
  }

  int64_t size() const { return size_; }

  duckdb::idx_t position = 0;
  duckdb::timestamp_t modified = duckdb::timestamp_t(0);
  std::string tag;

 private:
  const AskingPtr asking_;
  std::unique_ptr<store::Reader> reader_;
  const int64_t size_;
};

class StoreFileSystem : public duckdb::FileSystem {
 public:
  explicit StoreFileSystem(std::shared_ptr<const StorePaths> paths) : paths_(std::move(paths)) {}

  std::string GetName() const override { return "lakegauge_stores"; }
  bool CanHandleFile(const std::string& path) override { return path.starts_with(kStoreScheme); }
  // Without it DuckDB shortens "//" and takes the path for a local one.
  std::string CanonicalizePath(const std::string& path,
                               duckdb::optional_ptr<duckdb::FileOpener>) override {
    return path;
  }
  std::string PathSeparator(const std::string&) override { return "/"; }
  bool CanSeek() override { return true; }
  // Not a local disk: DuckDB then gathers column chunks into few larger reads.
  bool OnDiskFile(duckdb::FileHandle&) override { return false; }
  bool IsPipe(const std::string&, duckdb::optional_ptr<duckdb::FileOpener>) override {
    return false;
  }

  bool FileExists(const std::string& path,
                  duckdb::optional_ptr<duckdb::FileOpener> opener) override {
    const auto place = Find(path);
    const auto found = place.store->Stat(ContextOf(LaneState::AskingOf(opener.get())), place.key);
    if (!found.ok()) Throw(found.error());
    return found->has_value();
  }

  bool DirectoryExists(const std::string& path,
                       duckdb::optional_ptr<duckdb::FileOpener> opener) override {
    auto place = Find(path);
    if (!place.key.empty() && !place.key.ends_with('/')) place.key += '/';
    const auto page =
        place.store->List(ContextOf(LaneState::AskingOf(opener.get())), place.key, "");
    if (!page.ok()) Throw(page.error());
    return !page->objects.empty();
  }

  duckdb::vector<duckdb::OpenFileInfo> Glob(const std::string& path,
                                            duckdb::FileOpener* opener) override {
    duckdb::vector<duckdb::OpenFileInfo> files;
    if (!sql::HasGlob(path)) {
      files.emplace_back(path);  // its opening will show whether it is there
      return files;
    }
    const auto place = Find(path);
    const auto asking = LaneState::AskingOf(opener);
    const std::string prefix = LiteralPrefix(place.key);
    std::string next;
    do {
      ThrowIfStopped(asking);
      auto page = place.store->List(ContextOf(asking), prefix, next);
      if (!page.ok()) Throw(page.error());
      for (const auto& object : page->objects) {
        if (GlobMatches(place.key, object.key)) files.push_back(Describe(place.root, object));
      }
      next = page->next;
    } while (!next.empty());
    return files;
  }

  void Read(duckdb::FileHandle& handle, void* buffer, int64_t length,
            duckdb::idx_t offset) override {
    handle.Cast<StoreFileHandle>().ReadExactly(buffer, length, static_cast<int64_t>(offset));
  }
  int64_t Read(duckdb::FileHandle& handle, void* buffer, int64_t length) override {
    auto& file = handle.Cast<StoreFileHandle>();
    const int64_t left = file.size() - static_cast<int64_t>(file.position);
    const int64_t wanted = std::min(length, left);
    if (wanted <= 0) return 0;
    file.ReadExactly(buffer, wanted, static_cast<int64_t>(file.position));
    file.position += static_cast<duckdb::idx_t>(wanted);
    return wanted;
  }
  void Seek(duckdb::FileHandle& handle, duckdb::idx_t position) override {
    handle.Cast<StoreFileHandle>().position = position;
  }
  void Reset(duckdb::FileHandle& handle) override { Seek(handle, 0); }
  duckdb::idx_t SeekPosition(duckdb::FileHandle& handle) override {
    return handle.Cast<StoreFileHandle>().position;
  }

  int64_t GetFileSize(duckdb::FileHandle& handle) override {
    return handle.Cast<StoreFileHandle>().size();
  }
  duckdb::timestamp_t GetLastModifiedTime(duckdb::FileHandle& handle) override {
    return handle.Cast<StoreFileHandle>().modified;
  }
  std::string GetVersionTag(duckdb::FileHandle& handle) override {
    return handle.Cast<StoreFileHandle>().tag;
  }
  duckdb::FileType GetFileType(duckdb::FileHandle&) override {
    return duckdb::FileType::FILE_TYPE_REGULAR;
  }

  void CreateDirectory(const std::string& path, duckdb::optional_ptr<duckdb::FileOpener>) override {
    ThrowReadOnly(path);
  }
  void RemoveDirectory(const std::string& path, duckdb::optional_ptr<duckdb::FileOpener>) override {
    ThrowReadOnly(path);
  }
  void MoveFile(const std::string& from, const std::string&,
                duckdb::optional_ptr<duckdb::FileOpener>) override {
    ThrowReadOnly(from);
  }
  void RemoveFile(const std::string& path, duckdb::optional_ptr<duckdb::FileOpener>) override {
    ThrowReadOnly(path);
  }
  bool TryRemoveFile(const std::string& path, duckdb::optional_ptr<duckdb::FileOpener>) override {
    ThrowReadOnly(path);
  }

 protected:
  bool SupportsOpenFileExtended() const override { return true; }

  duckdb::unique_ptr<duckdb::FileHandle> OpenFileExtended(
      const duckdb::OpenFileInfo& file, duckdb::FileOpenFlags flags,
      duckdb::optional_ptr<duckdb::FileOpener> opener) override {
    if (flags.OpenForWriting()) ThrowReadOnly(file.path);
    const auto place = Find(file.path);
    const auto asking = LaneState::AskingOf(opener.get());
    ThrowIfStopped(asking);
    store::Known known;
    if (const auto* size = Option(file, kSizeOption)) known.size = size->GetValue<int64_t>();
    auto reader = place.store->OpenRead(ContextOf(asking), place.key, known);
    if (!reader.ok()) {
      if (reader.error().code == ErrorCode::kNotFound && flags.ReturnNullIfNotExists()) {
        return nullptr;
      }
      Throw(reader.error());
    }
    auto handle =
        duckdb::make_uniq<StoreFileHandle>(*this, file.path, flags, asking, std::move(*reader));
    if (const auto* modified = Option(file, kModifiedOption)) {
      handle->modified = modified->GetValue<duckdb::timestamp_t>();
    }
    if (const auto* tag = Option(file, kTagOption)) handle->tag = tag->GetValue<std::string>();
    return handle;
  }

 private:
  StorePaths::Place Find(const std::string& path) const {
    auto place = paths_->Find(path);
    if (!place) throw duckdb::IOException("no store is known as %s", path);
    return *std::move(place);
  }

  static const duckdb::Value* Option(const duckdb::OpenFileInfo& file, const char* name) {
    if (!file.extended_info) return nullptr;
    const auto found = file.extended_info->options.find(name);
    return found == file.extended_info->options.end() ? nullptr : &found->second;
  }

  static duckdb::OpenFileInfo Describe(const std::string& root, const store::ObjectInfo& object) {
    duckdb::OpenFileInfo file(root + object.key);
    auto info = duckdb::make_shared_ptr<duckdb::ExtendedOpenFileInfo>();
    info->options.emplace(kSizeOption, duckdb::Value::BIGINT(object.size));
    if (object.mtime_ns > 0) {
      info->options.emplace(
          kModifiedOption,
          duckdb::Value::TIMESTAMP(duckdb::timestamp_t(object.mtime_ns / kNsPerMicro)));
    }
    if (!object.etag.empty()) info->options.emplace(kTagOption, duckdb::Value(object.etag));
    file.extended_info = std::move(info);
    return file;
  }

  const std::shared_ptr<const StorePaths> paths_;
};

}  // namespace

duckdb::unique_ptr<duckdb::FileSystem> MakeStoreFileSystem(
    std::shared_ptr<const StorePaths> paths) {
  return duckdb::make_uniq<StoreFileSystem>(std::move(paths));
}

}  // namespace lakegauge::engine
