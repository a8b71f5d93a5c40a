#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "base/files.h"
#include "base/json.h"
#include "record/journal.h"
#include "run/metrics_http.h"
#include "run/metrics_poller.h"
#include "run/metrics_spec.h"
#include "run/runner.h"
#include "run/testing/metrics_server.h"
#include "run/testing/tiny_experiment.h"

namespace lakegauge::run {
namespace {

using record::Sample;
using record::SampleKind;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

TEST(MetricsSpec, KindsTakeTheirOwnMetricsAndThoseNamedBesides) {
  MetricsItem item;
  item.kind = "minio";
  item.names = {"go_*"};
  EXPECT_TRUE(Wants(item, "minio_s3_traffic_sent_bytes"));
  EXPECT_TRUE(Wants(item, "go_goroutines"));
  EXPECT_FALSE(Wants(item, "node_load1"));
}

TEST(MetricsSpec, AnAddressWithASecretInItIsRefused) {
  EXPECT_EQ(UrlProblem("http://10.0.0.1:9100/metrics"), "");
  EXPECT_EQ(UrlProblem("https://minio:9000/minio/metrics/v3/api?buckets=a,b"), "");
  EXPECT_THAT(UrlProblem("http://me:secret@host/metrics"), HasSubstr("password"));
  EXPECT_THAT(UrlProblem("http://host/metrics?access_TOKEN=x"), HasSubstr("secret"));
  EXPECT_THAT(UrlProblem("file:///etc/passwd"), HasSubstr("no http"));
  EXPECT_THAT(UrlProblem("http:///metrics"), HasSubstr("no host"));
}

TEST(MetricsSpec, GoesThroughAPlanUnchanged) {
  MetricsItem item{"w1", "http://h/m", "presto", {"a", "b*"}, "TOKEN", "worker 1", 5, 7};
  EXPECT_EQ(ToJson(MetricsItemFromJson(ToJson(item))), ToJson(item));
}

TEST(ExperimentMetrics, AreReadWithTheirDefaults) {
  const auto e = ParseExperiment(
      TinyExperiment() + "metrics: {w1: {url: 'http://h:9100/metrics', kind: node_exporter}}\n",
      "tiny.yaml");
  ASSERT_TRUE(e.ok()) << e.error().message;
  ASSERT_EQ(e->metrics.size(), 1u);
  EXPECT_EQ(e->metrics[0].every_ns, 1'000'000'000);
  EXPECT_EQ(e->metrics[0].timeout_ns, 900'000'000);
}

TEST(ExperimentMetrics, MistakesAreNamedWithoutTheAddress) {
  const TemporaryFolder home;
  const auto problem = [&home](const std::string& metrics) {
    const std::string path = home.path() + "/tiny.yaml";
    EXPECT_TRUE(WriteFileAtomically(path, TinyExperiment() + "metrics: " + metrics + "\n").ok());
    const auto e = LoadExperiment(path);
    return e.ok() ? std::string() : e.error().message;
  };
  EXPECT_THAT(problem("{w1: {url: 'http://me:hush@h/metrics', kind: minio}}"),
              AllOf(HasSubstr("password"), Not(HasSubstr("hush"))));
  EXPECT_THAT(problem("{w1: {url: 'http://h/metrics'}}"), HasSubstr("neither a kind nor names"));
  EXPECT_THAT(problem("{engine: {url: 'http://h/metrics', kind: minio}}"),
              HasSubstr("samples of this machine"));
}

class Watching : public testing::Test {
 protected:
  MetricsItem Item(const std::string& path) const {
    MetricsItem item;
    item.id = "w1";
    item.url = server_.url(path);
    item.names = {"node_load1", "answers_*"};
    item.timeout_ns = 5'000'000'000;
    return item;
  }
  std::vector<Sample> Look(const MetricsItem& item) {
    MetricsPoller poller({item}, 3, RealClock(), {}, [](const std::string& name) {
      return name == "THE_TOKEN" ? "let-me-in" : "";
    });
    auto samples = poller.Look(item);
    problem_ = poller.gaps()["w1"].first_problem;
    return samples;
  }

  MetricsServer server_;
  std::string problem_;
};

auto Up(double value) { return AllOf(Field(&Sample::metric, "up"), Field(&Sample::value, value)); }

TEST_F(Watching, WhatAServerSaysBecomesSamples) {
  const auto samples = Look(Item("/metrics"));
  ASSERT_EQ(samples.size(), 3u);
  EXPECT_EQ(samples[0].session, 3);
  EXPECT_EQ(samples[0].source, "w1");
  EXPECT_EQ(samples[0].metric, "node_load1");
  EXPECT_EQ(samples[0].value, 0.5);
  EXPECT_EQ(samples[1].metric, "answers_total");
  EXPECT_EQ(samples[1].kind, SampleKind::kCounter);
  EXPECT_THAT(samples[2], Up(1));
}

TEST_F(Watching, AServerThatIsGoneIsAGap) {
  const MetricsItem item = Item("/metrics");
  server_.Stop();
  EXPECT_THAT(Look(item), ElementsAre(Up(0)));
  EXPECT_THAT(problem_, AllOf(Not(IsEmpty()), Not(HasSubstr("127.0.0.1"))));
}

TEST_F(Watching, AServerThatDoesNotAnswerInTimeIsAGap) {
  MetricsItem item = Item("/slow");
  item.timeout_ns = 20'000'000;
  EXPECT_THAT(Look(item), ElementsAre(Up(0)));
  EXPECT_EQ(problem_, "no answer in time");
}

TEST_F(Watching, AnswersOfOtherKindsAreGaps) {
  EXPECT_THAT(Look(Item("/missing")), ElementsAre(Up(0)));
  EXPECT_EQ(problem_, "answered with status 404");
  EXPECT_THAT(Look(Item("/page")), ElementsAre(Up(0)));
  EXPECT_THAT(problem_, HasSubstr("none of the metrics"));
  EXPECT_THAT(Look(Item("/gone")), ElementsAre(Up(0)));
}

TEST_F(Watching, ATokenComesFromTheEnvironmentAndIsNeverRecorded) {
  MetricsItem item = Item("/token");
  EXPECT_THAT(Look(item), ElementsAre(Up(0)));
  EXPECT_EQ(problem_, "answered with status 401");
  item.token_env = "NOT_SET";
  EXPECT_THAT(Look(item), ElementsAre(Up(0)));
  EXPECT_THAT(problem_, HasSubstr("NOT_SET is not set"));
  item.token_env = "THE_TOKEN";
  const auto samples = Look(item);
  EXPECT_THAT(samples, Contains(Up(1)));
  EXPECT_THAT(ToJson(item).dump(), Not(HasSubstr("let-me-in")));
}

TEST_F(Watching, ARunKeepsWhatItsServersSaidAndSurvivesThoseThatSayNothing) {
  TemporaryFolder home;
  RunOptions options;
  options.results_dir = home.path() + "/results";
  options.data_dir = SharedTinyData();
  const auto experiment = ParseExperiment(
      TinyExperiment() + "metrics: {w1: {url: '" + server_.url("/metrics") +
          "', kind: node_exporter}, w2: {url: '" + server_.url("/missing") + "', kind: minio}}\n",
      "tiny.yaml");
  ASSERT_TRUE(experiment.ok()) << experiment.error().message;
  const auto outcome = run::Run(*experiment, options);
  ASSERT_TRUE(outcome.ok()) << outcome.error().message;
  EXPECT_TRUE(outcome->clean());
  const auto stored = record::ReadSamples(outcome->run_dir + "/samples.parquet");
  ASSERT_TRUE(stored.ok()) << stored.error().message;
  EXPECT_THAT(stored->samples,
              Contains(AllOf(Field(&Sample::source, "w1"), Field(&Sample::metric, "node_load1"))));
  EXPECT_THAT(stored->samples, Contains(AllOf(Field(&Sample::source, "w2"), Up(0))));
  const auto journal = record::ReadJournal(outcome->run_dir + "/journal.jsonl");
  ASSERT_TRUE(journal.ok());
  for (const auto& [name, facts] : journal->events) {
    if (name != "sampling_end") continue;
    EXPECT_EQ(facts["servers"][1]["first_problem"], "answered with status 404");
  }
}

TEST(RealNodeExporter, IsWatched) {
  const std::string program = "/usr/bin/prometheus-node-exporter";
  if (!std::filesystem::exists(program)) GTEST_SKIP() << "prometheus-node-exporter is not there";
  const int port = FreePort();
  const std::string address = "127.0.0.1:" + std::to_string(port);
  const ServingProcess process({program, "--web.listen-address=" + address}, port);
  ASSERT_TRUE(process.serving());
  MetricsItem item;
  item.id = "node";
  item.kind = "node_exporter";
  item.url = "http://" + address + "/metrics";
  item.timeout_ns = 20'000'000'000;
  MetricsPoller poller({item}, 0, RealClock(), {});
  const auto samples = poller.Look(item);
  EXPECT_THAT(samples, Contains(Up(1)));
  for (const char* metric : {"node_cpu_seconds_total", "node_memory_MemAvailable_bytes",
                             "node_network_receive_bytes_total", "node_load1"}) {
    EXPECT_THAT(samples, Contains(Field(&Sample::metric, metric)));
  }
  EXPECT_THAT(samples, Contains(AllOf(Field(&Sample::labels, HasSubstr("mode=idle")),
                                      Field(&Sample::kind, SampleKind::kCounter))));
}

}  // namespace
}  // namespace lakegauge::run
