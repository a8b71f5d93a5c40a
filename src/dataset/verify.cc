#include "dataset/verify.h"

#include <fmt/format.h>

#include <filesystem>
#include <set>

#include "base/units.h"
#include "dataset/hashed_file.h"

namespace lakegauge::dataset {

namespace fs = std::filesystem;

Status VerifyFiles(const Manifest& manifest, const std::string& folder, bool deep) {
  const auto corrupt = [](std::string text) {
    return MakeError(ErrorCode::kCorrupt, std::move(text));
  };
  std::set<std::string> known;
  for (const auto& file : manifest.files) {
    const std::string path = folder + "/" + file.key;
    known.insert(file.key);
    std::error_code failed;
    const auto size = fs::file_size(path, failed);
    if (failed) return corrupt(fmt::format("{} is missing", path));
    if (static_cast<int64_t>(size) != file.size) {
      return corrupt(fmt::format("{} has {} bytes, its manifest says {}", path, size, file.size));
    }
    if (!deep) continue;
    LG_ASSIGN_OR_RETURN(const auto hashes, HashFile(path));
    if (hashes.xxh3 != file.xxh3 || hashes.sha256 != file.sha256) {
      return corrupt(fmt::format("{} does not hash to what its manifest says", path));
    }
  }
  std::error_code failed;
  for (auto it = fs::recursive_directory_iterator(folder, failed);
       it != fs::recursive_directory_iterator(); it.increment(failed)) {
    if (!it->is_regular_file()) continue;
    const std::string key = fs::relative(it->path(), folder, failed).string();
    if (key != "manifest.json" && !known.contains(key)) {
      return corrupt(fmt::format("{} is not in the manifest", it->path().string()));
    }
  }
  return {};
}

}  // namespace lakegauge::dataset
