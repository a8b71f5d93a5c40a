// Any bytes are a spool of requests or an error, never a crash.
#include <cstddef>
#include <cstdint>
#include <span>

#include "record/spool.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto stored = lakegauge::record::ParseSpool(std::as_bytes(std::span(data, size)), "fuzz");
  (void)stored.ok();
  return 0;
}
