#include "store/local_store.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <filesystem>
#include <mutex>
#include <set>
#include <utility>
#include <vector>

#include "base/descriptor.h"
#include "base/files.h"
#include "base/units.h"

namespace lakegauge::store {
namespace {

constexpr std::string_view kTemporaryPrefix = ".lg-tmp-";
constexpr size_t kWriteBufferBytes = size_t{256} << 10;
constexpr size_t kCopyBufferBytes = size_t{1} << 20;

ObjectInfo ToInfo(std::string key, const struct stat& s) {
  return {std::move(key), s.st_size, "",
          static_cast<int64_t>(s.st_mtim.tv_sec) * kNsPerS + s.st_mtim.tv_nsec};
}

// A new file to write to, locked as long as it is open: that is how others know that its writer
// lives.
Result<int> CreateTemporary(const std::string& folder, std::string* path) {
  static std::atomic<uint64_t> counter{0};
  for (;;) {
    *path = fmt::format("{}/{}{}-{}", folder, kTemporaryPrefix, getpid(), counter.fetch_add(1));
    Descriptor file(open(path->c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644));
    if (file.get() < 0) {
      if (errno == EEXIST) continue;  // left by a killed process of the same number
      return ErrnoError(*path, errno);
    }
    // Where a file system has no locks, nothing is swept either.
    while (flock(file.get(), LOCK_EX) != 0 && errno == EINTR) {
    }
    struct stat s {};
    if (fstat(file.get(), &s) == 0 && s.st_nlink == 0) continue;  // swept before it was locked
    return file.Release();
  }
}

// Deletes what killed writers left in a folder.
void SweepLeftovers(const std::string& folder) {
  std::error_code failed;
  std::vector<std::string> found;
  for (const auto& entry : std::filesystem::directory_iterator(folder, failed)) {
    if (entry.path().filename().string().starts_with(kTemporaryPrefix)) {
      found.push_back(entry.path().string());
    }
  }
  for (const auto& path : found) {
    const Descriptor file(open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
    if (file.get() >= 0 && flock(file.get(), LOCK_EX | LOCK_NB) == 0) unlink(path.c_str());
  }
}

class LocalReader : public Reader {
 public:
  LocalReader(int fd, int64_t size, std::string path)
      : fd_(fd), size_(size), path_(std::move(path)) {}
  int64_t size() const override { return size_; }
  Result<size_t> ReadAt(const RequestContext&, int64_t offset, std::span<std::byte> out) override {
    size_t done = 0;
    while (done < out.size()) {
      const ssize_t n = pread(fd_.get(), out.data() + done, out.size() - done,
                              offset + static_cast<int64_t>(done));
      if (n == 0) break;
      if (n < 0) {
        if (errno == EINTR) continue;
        return ErrnoError(path_, errno);
      }
      done += static_cast<size_t>(n);
    }
    return done;
  }

 private:
  Descriptor fd_;
  const int64_t size_;
  const std::string path_;
};

class LocalWriter : public Writer {
 public:
  LocalWriter(int fd, std::string temporary, std::string path)
      : fd_(fd), temporary_(std::move(temporary)), path_(std::move(path)) {
    buffer_.reserve(kWriteBufferBytes);
  }
  ~LocalWriter() override { Abort(); }

  Status Append(std::span<const std::byte> data) override {
    LG_RETURN_IF_ERROR(Usable());
    if (buffer_.size() + data.size() > kWriteBufferBytes) LG_RETURN_IF_ERROR(Flush());
    if (data.size() >= kWriteBufferBytes) return Write(data);
    buffer_.insert(buffer_.end(), data.begin(), data.end());
    return {};
  }

  Status Commit() override {
    LG_RETURN_IF_ERROR(Usable());
    LG_RETURN_IF_ERROR(Flush());
    if (fsync(fd_.get()) != 0) return Fail(errno);
    // Closed after it has its name: until then the lock keeps it from being swept.
    if (rename(temporary_.c_str(), path_.c_str()) != 0) return Fail(errno);
    temporary_.clear();
    if (const int failed = fd_.Close(); failed != 0) return Fail(failed);
    return SyncFolder(std::filesystem::path(path_).parent_path().string());
  }

  void Abort() override {
    fd_.Close();
    if (!temporary_.empty()) unlink(temporary_.c_str());
    temporary_.clear();
  }

 private:
  Status Usable() const {
    if (!temporary_.empty()) return {};
    return MakeError(ErrorCode::kInternal, path_ + ": used after commit, abort or a failure");
  }
  Error Fail(int failed) {
    Abort();
    return ErrnoError(path_, failed);
  }
  Status Flush() {
    LG_RETURN_IF_ERROR(Write(buffer_));
    buffer_.clear();
    return {};
  }
  Status Write(std::span<const std::byte> data) {
    while (!data.empty()) {
      const ssize_t n = write(fd_.get(), data.data(), data.size());
      if (n < 0) {
        if (errno == EINTR) continue;
        return Fail(errno);
      }
      data = data.subspan(static_cast<size_t>(n));
    }
    return {};
  }

  Descriptor fd_;
  std::string temporary_;  // empty: committed, aborted or failed
  const std::string path_;
  std::vector<std::byte> buffer_;
};

// Walks the folders that can hold keys with a prefix, in byte order of the keys.
class Lister {
 public:
  Lister(const std::string& root, std::string_view prefix, std::string_view after, size_t most)
      : root_(root), prefix_(prefix), after_(after), most_(most) {}

  // `folder` is "" or ends in '/'. Stops once there are `most` objects.
  Status Walk(const std::string& folder) {
    LG_ASSIGN_OR_RETURN(const auto names, Names(folder));
    for (const std::string& name : names) {
      if (objects.size() >= most_) return {};
      const std::string key = folder + name;
      if (name.back() == '/') {
        // All of its keys begin with `key`: skip it where none has the prefix or comes after.
        const bool may_match = key.starts_with(prefix_) || prefix_.starts_with(key);
        const bool may_follow = key > after_ || after_.starts_with(key);
        if (may_match && may_follow) LG_RETURN_IF_ERROR(Walk(key));
        continue;
      }
      if (!key.starts_with(prefix_) || key <= after_) continue;
      struct stat s {};
      const std::string path = root_ + "/" + key;
      if (stat(path.c_str(), &s) != 0) {
        if (errno == ENOENT) continue;  // deleted meanwhile
        return ErrnoError(path, errno);
      }
      objects.push_back(ToInfo(key, s));
    }
    return {};
  }

  std::vector<ObjectInfo> objects;

 private:
  // Files and, with a '/' behind, folders: sorted so, they come in the byte order of their keys.
  Result<std::vector<std::string>> Names(const std::string& folder) const {
    std::vector<std::string> names;
    const std::string path = root_ + "/" + folder;
    DIR* dir = opendir(path.c_str());
    if (dir == nullptr) {
      if (errno == ENOENT || errno == ENOTDIR) return names;
      return ErrnoError(path, errno);
    }
    errno = 0;
    while (const dirent* entry = readdir(dir)) {
      const std::string_view name = entry->d_name;
      if (name == "." || name == ".." || name.starts_with(kTemporaryPrefix)) continue;
      unsigned char type = entry->d_type;
      if (type == DT_UNKNOWN || type == DT_LNK) {
        struct stat s {};
        if (fstatat(dirfd(dir), entry->d_name, &s, 0) != 0) continue;  // dangling or gone
        type = S_ISDIR(s.st_mode) ? DT_DIR : S_ISREG(s.st_mode) ? DT_REG : DT_UNKNOWN;
      }
      if (type == DT_DIR) names.push_back(std::string(name) + "/");
      if (type == DT_REG) names.emplace_back(name);
      errno = 0;
    }
    const int failed = errno;
    closedir(dir);
    if (failed != 0) return ErrnoError(path, failed);
    std::sort(names.begin(), names.end());
    return names;
  }

  const std::string& root_;
  const std::string prefix_;
  const std::string after_;
  const size_t most_;
};

class LocalStore : public Store {
 public:
  explicit LocalStore(std::string root) : root_(std::move(root)) {}

  Result<std::optional<ObjectInfo>> Stat(const RequestContext&, std::string_view key) override {
    LG_RETURN_IF_ERROR(CheckKey(key));
    struct stat s {};
    const std::string path = PathOf(key);
    if (stat(path.c_str(), &s) != 0) {
      if (errno == ENOENT || errno == ENOTDIR) return std::optional<ObjectInfo>();
      return ErrnoError(path, errno);
    }
    if (!S_ISREG(s.st_mode)) return std::optional<ObjectInfo>();
    return std::optional<ObjectInfo>(ToInfo(std::string(key), s));
  }

  Result<ListPage> List(const RequestContext&, std::string_view prefix,
                        std::string_view continuation) override {
    LG_RETURN_IF_ERROR(CheckPrefix(prefix));
    Lister lister(root_, prefix, continuation, kListPageKeys + 1);
    const size_t slash = prefix.rfind('/');
    const std::string_view folder =
        slash == std::string_view::npos ? std::string_view() : prefix.substr(0, slash + 1);
    LG_RETURN_IF_ERROR(lister.Walk(std::string(folder)));
    ListPage page;
    page.objects = std::move(lister.objects);
    if (page.objects.size() > kListPageKeys) {
      page.objects.pop_back();
      page.next = page.objects.back().key;
    }
    return page;
  }

  Result<std::unique_ptr<Reader>> OpenRead(const RequestContext&, std::string_view key,
                                           const Known& known) override {
    LG_RETURN_IF_ERROR(CheckKey(key));
    std::string path = PathOf(key);
    const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) return errno == ENOTDIR ? ErrnoError(path, ENOENT) : ErrnoError(path, errno);
    auto reader = [&](int64_t size) {
      return std::make_unique<LocalReader>(fd, size, std::move(path));
    };
    if (known.size.has_value()) return std::unique_ptr<Reader>(reader(*known.size));
    struct stat s {};
    const int failed = fstat(fd, &s) != 0 ? errno : S_ISREG(s.st_mode) ? 0 : ENOENT;
    if (failed != 0) {
      close(fd);
      return ErrnoError(path, failed);
    }
    return std::unique_ptr<Reader>(reader(s.st_size));
  }

  Result<std::unique_ptr<Writer>> OpenWrite(const RequestContext&, std::string_view key) override {
    LG_RETURN_IF_ERROR(CheckKey(key));
    const std::string path = PathOf(key);
    const std::string parent = std::filesystem::path(path).parent_path().string();
    LG_RETURN_IF_ERROR(MakeDirs(parent));
    SweepOnce(parent);
    std::string temporary;
    LG_ASSIGN_OR_RETURN(const int fd, CreateTemporary(parent, &temporary));
    return std::unique_ptr<Writer>(std::make_unique<LocalWriter>(fd, temporary, path));
  }

  Status Delete(const RequestContext&, std::string_view key) override {
    LG_RETURN_IF_ERROR(CheckKey(key));
    const std::string path = PathOf(key);
    if (unlink(path.c_str()) != 0 && errno != ENOENT && errno != ENOTDIR && errno != EISDIR) {
      return ErrnoError(path, errno);
    }
    return {};
  }

  Status CopyWithin(const RequestContext& context, std::string_view from,
                    std::string_view to) override {
    LG_ASSIGN_OR_RETURN(const auto reader, OpenRead(context, from, {}));
    LG_ASSIGN_OR_RETURN(const auto writer, OpenWrite(context, to));
    std::vector<std::byte> buffer(kCopyBufferBytes);
    for (int64_t offset = 0;;) {
      LG_ASSIGN_OR_RETURN(const size_t n, reader->ReadAt(context, offset, buffer));
      if (n == 0) return writer->Commit();
      LG_RETURN_IF_ERROR(writer->Append(std::span(buffer).first(n)));
      offset += static_cast<int64_t>(n);
    }
  }

  StoreDescription Describe() const override { return {"file:" + root_, "file", false, ""}; }

 private:
  std::string PathOf(std::string_view key) const { return root_ + "/" + std::string(key); }

  void SweepOnce(const std::string& folder) {
    {
      const std::scoped_lock lock(mutex_);
      if (!swept_.insert(folder).second) return;
    }
    SweepLeftovers(folder);
  }

  const std::string root_;  // absolute
  std::mutex mutex_;
  std::set<std::string> swept_;  // folders
};

}  // namespace

std::unique_ptr<Store> OpenLocalStore(const std::string& root) {
  std::error_code failed;
  const auto absolute = std::filesystem::absolute(root, failed);
  std::string path = failed ? root : absolute.lexically_normal().string();
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  return std::make_unique<LocalStore>(path);
}

}  // namespace lakegauge::store
