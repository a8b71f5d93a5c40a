#include "dataset/generators.h"

namespace lakegauge::dataset {

Result<Generated> GenerateTpcdsByTpcgen(const DatasetSpec&, const PrepareOptions&,
                                        const std::string&) {
  return MakeError(ErrorCode::kUnsupported,
                   "generator tpcgen needs tpcgen-cli: pip install tpcgen-cli==4.0.0");
}

}  // namespace lakegauge::dataset
