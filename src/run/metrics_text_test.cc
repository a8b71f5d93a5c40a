#include "run/metrics_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lakegauge::run {
namespace {

using record::SampleKind;
using testing::AllOf;
using testing::ElementsAre;
using testing::Field;
using testing::IsEmpty;

MetricsText Parse(std::string_view text) {
  return ParseMetricsText(text, [](std::string_view) { return true; });
}

auto Value(const std::string& name, const std::string& labels, SampleKind kind, double value) {
  using V = MetricsText::Value;
  return AllOf(Field(&V::name, name), Field(&V::labels, labels), Field(&V::kind, kind),
               Field(&V::value, value));
}

TEST(MetricsText, ReadsWhatAnExporterWrites) {
  const auto read = Parse(
      "# HELP node_cpu_seconds_total Seconds the CPUs spent in each mode.\n"
      "# TYPE node_cpu_seconds_total counter\n"
      "node_cpu_seconds_total{cpu=\"0\",mode=\"idle\"} 362812.78\n"
      "# TYPE node_load1 gauge\n"
      "node_load1 0.21\n");
  EXPECT_THAT(read.values, ElementsAre(Value("node_cpu_seconds_total", "cpu=0,mode=idle",
                                             SampleKind::kCounter, 362812.78),
                                       Value("node_load1", "", SampleKind::kGauge, 0.21)));
  EXPECT_EQ(read.bad_lines, 0);
}

TEST(MetricsText, LabelsAreSortedAndUnescaped) {
  EXPECT_THAT(Parse("m{z=\"1\", a=\"say \\\"hi\\\"\\\\\\n\" , } 3\n").values,
              ElementsAre(Value("m", "a=say \"hi\"\\\n,z=1", SampleKind::kGauge, 3)));
}

TEST(MetricsText, TimestampsAndExemplarsAreLeftAside) {
  EXPECT_THAT(Parse("a 1 1395066363000\nb_total 17 # {trace=\"x\"} 0.67\n").values,
              ElementsAre(Value("a", "", SampleKind::kGauge, 1),
                          Value("b_total", "", SampleKind::kCounter, 17)));
}

TEST(MetricsText, NumbersMayBeWrittenAsGoWritesThem) {
  EXPECT_THAT(
      Parse("a 1.7560473e+07\nb -3\nc +Inf\nd NaN\ne 0x10\n").values,
      ElementsAre(Value("a", "", SampleKind::kGauge, 17560473),
                  Value("b", "", SampleKind::kGauge, -3), Value("e", "", SampleKind::kGauge, 16)));
}

TEST(MetricsText, SumsCountsAndBucketsOfHistogramsAreCounters) {
  const auto read = Parse(
      "# TYPE h histogram\nh_bucket{le=\"1\"} 2\nh_sum 3\nh_count 4\n"
      "# TYPE s summary\ns{quantile=\"0.5\"} 5\ns_sum 6\n"
      "# TYPE queue_count gauge\nqueue_count 7\n");
  std::vector<SampleKind> kinds;
  for (const auto& value : read.values) kinds.push_back(value.kind);
  EXPECT_THAT(kinds, ElementsAre(SampleKind::kCounter, SampleKind::kCounter, SampleKind::kCounter,
                                 SampleKind::kGauge, SampleKind::kCounter, SampleKind::kGauge));
}

TEST(MetricsText, OpenMetricsNamesACountersTypeWithoutTotal) {
  EXPECT_THAT(
      Parse("# TYPE requests counter\nrequests_total 5\nrequests_created 1\n# EOF\n").values,
      ElementsAre(Value("requests_total", "", SampleKind::kCounter, 5),
                  Value("requests_created", "", SampleKind::kGauge, 1)));
}

TEST(MetricsText, BrokenLinesAreCountedAndTheRestIsKept) {
  const auto read = Parse("a{x=\"1} 1\nb\nc{x} 2\n{} 3\nd{x=\"1\"} four\n\n<html>\nok 1");
  EXPECT_THAT(read.values, ElementsAre(Value("ok", "", SampleKind::kGauge, 1)));
  EXPECT_EQ(read.bad_lines, 6);
}

TEST(MetricsText, WhatIsNotWantedIsNotKept) {
  const auto read =
      ParseMetricsText("a 1\nb{ 2\nc 3\n", [](std::string_view name) { return name == "c"; });
  EXPECT_THAT(read.values, ElementsAre(Value("c", "", SampleKind::kGauge, 3)));
  EXPECT_EQ(read.bad_lines, 0);
}

TEST(MetricsText, AnEmptyAnswerHoldsNothing) { EXPECT_THAT(Parse("").values, IsEmpty()); }

}  // namespace
}  // namespace lakegauge::run
