#include <fmt/format.h>

#include <map>
#include <set>
#include <span>

#include "dataset/dataset.h"
#include "dataset/hashed_file.h"

namespace lakegauge::dataset {
namespace {

constexpr size_t kChunkBytes = 1 << 20;

// Reads an object to its end and tells its hashes.
Result<FileHashes> HashObject(store::Store& target, const store::RequestContext& context,
                              const std::string& key, int64_t size) {
  LG_ASSIGN_OR_RETURN(const auto reader, target.OpenRead(context, key, store::Known{size}));
  Hasher hasher;
  std::string buffer(kChunkBytes, '\0');
  int64_t offset = 0;
  for (;;) {
    LG_ASSIGN_OR_RETURN(
        const size_t n,
        reader->ReadAt(context, offset,
                       std::as_writable_bytes(std::span(buffer.data(), buffer.size()))));
    if (n == 0) break;
    hasher.Update({buffer.data(), n});
    offset += static_cast<int64_t>(n);
    if (offset >= size) break;
  }
  return hasher.Finish();
}

Status CopyFile(const std::string& path, store::Store& target, const store::RequestContext& context,
                const std::string& key) {
  LG_ASSIGN_OR_RETURN(const auto writer, target.OpenWrite(context, key));
  LG_RETURN_IF_ERROR(ReadThrough(path, [&](std::string_view piece) -> Status {
    if (context.stop.stop_requested()) return MakeError(ErrorCode::kCancelled, "stopped");
    return writer->Append(std::as_bytes(std::span(piece.data(), piece.size())));
  }));
  return writer->Commit();
}

std::string Join(const std::string& prefix, const std::string& key) {
  if (prefix.empty()) return key;
  return prefix.ends_with('/') ? prefix + key : prefix + "/" + key;
}

}  // namespace

Status PlaceLayout(const Manifest& manifest, const std::string& layout_dir, store::Store& target,
                   const std::string& prefix, const PrepareOptions& options) {
  store::RequestContext context;
  context.stop = options.stop;
  LG_ASSIGN_OR_RETURN(const auto listed, store::ListAll(target, context, Join(prefix, "")));
  std::map<std::string, int64_t> there;
  for (const auto& object : listed) there[object.key] = object.size;

  // An object that the manifest does not know would be read by engines as well.
  std::set<std::string> keys;
  for (const auto& file : manifest.files) keys.insert(Join(prefix, file.key));
  for (const auto& [key, size] : there) {
    if (keys.contains(key) || key == Join(prefix, "manifest.json")) continue;
    return MakeError(
        ErrorCode::kAlreadyExists,
        fmt::format("{} holds {}, which is not of layout {}; choose an empty prefix or "
                    "delete it",
                    target.Describe().uri, key, manifest.layout));
  }

  const int64_t total = std::max<int64_t>(1, manifest.bytes());
  int64_t done = 0;
  for (const auto& file : manifest.files) {
    if (options.stop.stop_requested()) {
      return MakeError(ErrorCode::kCancelled, "placing " + manifest.layout + " was stopped");
    }
    const std::string key = Join(prefix, file.key);
    const auto found = there.find(key);
    bool good = found != there.end() && found->second == file.size;
    if (good && options.verify_existing) {
      LG_ASSIGN_OR_RETURN(const auto hashes, HashObject(target, context, key, file.size));
      good = hashes.sha256 == file.sha256 && hashes.xxh3 == file.xxh3;
    }
    if (!good) {
      auto copied = CopyFile(layout_dir + "/" + file.key, target, context, key);
      if (!copied.ok()) return copied.error().WithContext("place " + key);
      LG_ASSIGN_OR_RETURN(const auto hashes, HashObject(target, context, key, file.size));
      if (hashes.size != file.size || hashes.sha256 != file.sha256) {
        return MakeError(ErrorCode::kCorrupt,
                         fmt::format("{} read back from {} is not what was written", key,
                                     target.Describe().uri));
      }
    }
    done += file.size;
    if (options.progress) {
      options.progress(
          {manifest.layout, static_cast<double>(done) / static_cast<double>(total), done});
    }
  }
  return {};
}

}  // namespace lakegauge::dataset
