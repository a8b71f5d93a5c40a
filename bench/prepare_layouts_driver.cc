// Prepares layouts of TPC-DS through lakegauge's own dataset room, for bench/prepare_layouts:
//   prepare_layouts_driver DIR SCALE THREADS TARGET_BYTES...
// Prints one JSON line: for each layout its bytes, files and how many of them hit their target.
#include <cstdio>
#include <cstdlib>
#include <map>

#include "dataset/dataset.h"

using namespace lakegauge;           // NOLINT
using namespace lakegauge::dataset;  // NOLINT

namespace {

// Files of each table, its last aside, that lie within 10% of the target.
std::pair<int64_t, int64_t> Hits(const Manifest& m, int64_t target) {
  std::map<std::string, const FileEntry*> last;
  int64_t hits = 0;
  int64_t files = 0;
  for (const auto& f : m.files) {
    const auto [it, fresh] = last.try_emplace(f.table, &f);
    if (fresh) continue;
    const auto size = static_cast<double>(it->second->size);
    const auto wanted = static_cast<double>(target);
    ++files;
    if (size >= 0.9 * wanted && size <= 1.1 * wanted) ++hits;
    it->second = &f;
  }
  return {hits, files};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) {
    std::fprintf(stderr, "usage: prepare_layouts_driver DIR SCALE THREADS TARGET_BYTES...\n");
    return 2;
  }
  DatasetSpec spec;
  spec.scale = std::atof(argv[2]);
  PrepareOptions options;
  options.data_dir = argv[1];
  options.threads = std::atoi(argv[3]);
  std::vector<LayoutSpec> layouts;
  for (int i = 4; i < argc; ++i) {
    layouts.push_back({});
    layouts.back().target_file_bytes = std::atoll(argv[i]);
  }
  const auto made = PrepareLayouts(spec, layouts, options);
  if (!made.ok()) {
    std::fprintf(stderr, "%s\n", made.error().message.c_str());
    return 1;
  }
  Json out = Json::array();
  for (size_t i = 0; i < made->size(); ++i) {
    const auto& m = (*made)[i];
    const auto [hits, files] = Hits(m, layouts[i].target_file_bytes);
    out.push_back({{"layout", m.layout},
                   {"target_bytes", layouts[i].target_file_bytes},
                   {"bytes", m.bytes()},
                   {"files", m.files.size()},
                   {"files_but_last", files},
                   {"within_10_percent", hits},
                   {"same_as", m.same_as}});
  }
  std::printf("%s\n", out.dump().c_str());
}
