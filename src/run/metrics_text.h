#pragma once
// The text in which Prometheus exporters tell their metrics, read into samples. Takes version 0.0.4
// and OpenMetrics' text, which differ in little that matters here.
//
// Threads: pure functions. Errors: none; a line that is not understood is counted and skipped,
// since one odd exporter line must not cost the rest. Source:
// https://prometheus.io/docs/instrumenting/exposition_formats/

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "record/samples.h"

namespace lakegauge::run {

struct MetricsText {
  struct Value {
    std::string name;
    std::string labels;  // "device=sda,mode=idle": sorted by name
    record::SampleKind kind = record::SampleKind::kGauge;
    double value = 0;
  };
  std::vector<Value> values;
  int64_t bad_lines = 0;
};

// Only metrics that `wanted` takes. Values that are no finite number are left out. A metric without
// a TYPE line counts as a counter where its name ends as counters' do ("_total", "_count", "_sum",
// "_bucket").
MetricsText ParseMetricsText(std::string_view text,
                             const std::function<bool(std::string_view)>& wanted);

}  // namespace lakegauge::run
