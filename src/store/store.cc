#include "store/store.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "store/local_store.h"
#include "store/memory_store.h"

namespace lakegauge::store {
namespace {

constexpr std::string_view kTemporaryPrefix = ".lg-tmp-";

Status CheckSegments(std::string_view what, std::string_view text, bool last_may_be_part) {
  const auto refuse = [&](std::string_view why) {
    return MakeError(ErrorCode::kInvalidArgument,
                     fmt::format("found the {} '{}', which {}; allowed are names separated by '/'",
                                 what, text, why));
  };
  if (text.find('\0') != std::string_view::npos) return refuse("holds a NUL");
  std::string_view rest = text;
  while (true) {
    const size_t slash = rest.find('/');
    const std::string_view segment = rest.substr(0, slash);
    const bool last = slash == std::string_view::npos;
    if (!(last && last_may_be_part)) {
      if (segment.empty()) return refuse("has an empty name");
      if (segment == "." || segment == "..") return refuse("has the name '.' or '..'");
      if (segment.starts_with(kTemporaryPrefix)) return refuse("has a name of unfinished objects");
    } else if (segment == "..") {
      return refuse("has the name '..'");
    }
    if (last) return {};
    rest.remove_prefix(slash + 1);
  }
}

}  // namespace

Status CheckKey(std::string_view key) { return CheckSegments("key", key, false); }
Status CheckPrefix(std::string_view prefix) { return CheckSegments("prefix", prefix, true); }

Result<std::vector<ObjectInfo>> ListAll(Store& store, const RequestContext& context,
                                        std::string_view prefix) {
  std::vector<ObjectInfo> all;
  std::string continuation;
  do {
    LG_ASSIGN_OR_RETURN(auto page, store.List(context, prefix, continuation));
    all.insert(all.end(), std::make_move_iterator(page.objects.begin()),
               std::make_move_iterator(page.objects.end()));
    continuation = std::move(page.next);
  } while (!continuation.empty());
  return all;
}

Result<std::string> ReadObject(Store& store, const RequestContext& context, std::string_view key) {
  LG_ASSIGN_OR_RETURN(const auto reader, store.OpenRead(context, key, {}));
  std::string content(static_cast<size_t>(reader->size()), '\0');
  LG_ASSIGN_OR_RETURN(const size_t got,
                      reader->ReadAt(context, 0, std::as_writable_bytes(std::span(content))));
  if (got != content.size()) {
    return MakeError(ErrorCode::kCorrupt,
                     fmt::format("{}: {} bytes came of {}", key, got, content.size()));
  }
  return content;
}

Status WriteObject(Store& store, const RequestContext& context, std::string_view key,
                   std::string_view content) {
  LG_ASSIGN_OR_RETURN(const auto writer, store.OpenWrite(context, key));
  LG_RETURN_IF_ERROR(writer->Append(std::as_bytes(std::span(content))));
  return writer->Commit();
}

Result<std::unique_ptr<Store>> OpenStore(std::string_view uri) {
  const size_t colon = uri.find(':');
  const size_t slash = uri.find('/');
  const bool bare = colon == std::string_view::npos || (slash < colon);
  const std::string_view scheme = bare ? "file" : uri.substr(0, colon);
  std::string_view rest = bare ? uri : uri.substr(colon + 1);
  if (scheme == "file") {
    if (rest.starts_with("///")) rest.remove_prefix(2);  // file:///abs
    if (rest.empty()) {
      return MakeError(ErrorCode::kInvalidArgument,
                       fmt::format("found the store '{}'; allowed file:/a/folder", uri));
    }
    return OpenLocalStore(std::string(rest));
  }
  if (scheme == "mem") {
    return rest.empty() ? MakeMemoryStore() : OpenNamedMemoryStore(std::string(rest));
  }
  return MakeError(ErrorCode::kUnsupported,
                   fmt::format("found the store '{}'; allowed file: and mem:", uri));
}

}  // namespace lakegauge::store
