#include "dataset/workplace.h"

#include <fcntl.h>
#include <sys/file.h>

#include <cerrno>
#include <filesystem>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/files.h"
#include "base/units.h"

namespace lakegauge::dataset {
namespace {

namespace fs = std::filesystem;
constexpr char kTemporary[] = ".tmp";
constexpr int64_t kLockPollNs = 50 * kNsPerMs;

}  // namespace

Result<Workplace> Workplace::Enter(const std::string& folder, const std::stop_token& stop) {
  LG_RETURN_IF_ERROR(MakeDirs(folder));
  const std::string path = folder + "/.lock";
  Descriptor file(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
  if (file.get() < 0) return ErrnoError(path, errno);
  while (flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK && errno != EINTR) return ErrnoError(path, errno);
    if (!RealClock().WaitUntil(RealClock().NowNs() + kLockPollNs, stop)) {
      return MakeError(ErrorCode::kCancelled, "stopped while another process prepares " + folder);
    }
  }
  std::vector<fs::path> leftovers;
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(folder, failed)) {
    if (entry.path().extension() == kTemporary) leftovers.push_back(entry.path());
  }
  for (const auto& path_left : leftovers) fs::remove_all(path_left, failed);
  return Workplace(folder, std::move(file));
}

Result<std::string> Workplace::Begin(const std::string& name) const {
  const std::string path = folder_ + "/" + name + kTemporary;
  std::error_code failed;
  fs::remove_all(path, failed);
  LG_RETURN_IF_ERROR(MakeDirs(path));
  return path;
}

Status Workplace::Publish(const std::string& name) const {
  const std::string path = folder_ + "/" + name;
  std::error_code failed;
  fs::remove_all(path, failed);
  fs::rename(path + kTemporary, path, failed);
  if (failed) return ErrnoError(path, failed.value());
  return {};
}

void Workplace::Discard(const std::string& name) const {
  std::error_code failed;
  fs::remove_all(folder_ + "/" + name + kTemporary, failed);
}

}  // namespace lakegauge::dataset
