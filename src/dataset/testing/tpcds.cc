#include "dataset/testing/tpcds.h"

#include <filesystem>

namespace lakegauge::dataset {

namespace fs = std::filesystem;

DatasetSpec Tpcds(double scale) {
  DatasetSpec spec;
  spec.scale = scale;
  return spec;
}

LayoutSpec Layout(int64_t target, const std::string& format, const std::string& compression) {
  LayoutSpec layout;
  layout.format = format;
  layout.compression = compression;
  layout.target_file_bytes = target;
  return layout;
}

std::string Describe(const Error& e) {
  return std::string(ErrorCodeName(e.code)) + ": " + e.message;
}

TemporaryFolder* Tpcds001::shared_ = nullptr;

void Tpcds001::SetUpTestSuite() {
  shared_ = new TemporaryFolder;
  PrepareOptions options;
  options.data_dir = shared_->path();
  ASSERT_OK(PrepareBase(Tpcds(), options));
}

void Tpcds001::TearDownTestSuite() {
  delete shared_;
  shared_ = nullptr;
}

void Tpcds001::SetUp() {
  options_.data_dir = own_.path();
  options_.threads = 2;
  fs::create_directories(DatasetDir());
  fs::copy(shared_->path() + "/" + Tpcds().Name() + "/base", DatasetDir() + "/base");
}

Result<Manifest> Tpcds001::Prepare(const LayoutSpec& layout) {
  auto made = PrepareLayouts(Tpcds(), {layout}, options_);
  if (!made.ok()) return made.error();
  return made->front();
}

}  // namespace lakegauge::dataset
