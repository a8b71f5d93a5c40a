#include "analyze/outliers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "analyze/statistics.h"

namespace lakegauge::analyze {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// Seconds of three runs each, as published with CASSANDRA-11542.
std::vector<TimedGroup> Published() {
  return {
      {"rdd schema1 hdfs-parquet", {3.494837, 2.845326, 2.613721}},
      {"rdd schema1 hdfs-csv", {5.478472, 5.167405, 4.904634}},
      {"rdd schema1 cassandra", {43.423967, 47.170665, 48.451015}},
      {"rdd schema2 hdfs-parquet", {3.486563, 2.68518, 2.673291}},
      {"rdd schema2 hdfs-csv", {5.635907, 5.13979, 5.035654}},
      {"rdd schema2 cassandra", {46.00437, 46.108184, 46.076284}},
      {"rdd schema3 hdfs-parquet", {6.122885, 5.826286, 5.751427}},
      {"rdd schema3 hdfs-csv", {6.79348, 6.563861, 6.41375}},
      {"rdd schema3 cassandra", {29.643609, 32.900336, 33.176358}},
      {"rdd schema4 hdfs-parquet", {6.137645, 5.984526, 5.763102}},
      {"rdd schema4 hdfs-csv", {7.511649, 6.569239, 6.590789}},
      {"rdd schema4 cassandra", {29.518883, 30.723268, 30.789137}},
      {"dataframe schema1 hdfs-parquet", {2.843182, 2.357436, 2.386732}},
      {"dataframe schema1 hdfs-csv", {15.651141, 11.582413, 11.75583}},
      {"dataframe schema1 cassandra", {37.997299, 30.836383, 30.061433}},
      {"dataframe schema2 hdfs-parquet", {3.016107, 2.455694, 2.329835}},
      {"dataframe schema2 hdfs-csv", {12.484605, 12.13422, 12.007215}},
      {"dataframe schema2 cassandra", {95.12199, 37.583736, 34.966389}},
      {"dataframe schema3 hdfs-parquet", {5.544086, 4.306315, 4.265064}},
      {"dataframe schema3 hdfs-csv", {14.641745, 13.056165, 12.736621}},
      {"dataframe schema3 cassandra", {22.944184, 22.287305, 23.91004}},
      {"dataframe schema4 hdfs-parquet", {5.057719, 4.440278, 3.956446}},
      {"dataframe schema4 hdfs-csv", {13.460405, 13.090147, 12.57829}},
      {"dataframe schema4 cassandra", {26.966471, 25.700175, 24.537605}},
  };
}

TEST(Outliers, OfThePublishedBulkReadsExactlyOneIsFlagged) {
  const auto groups = Published();
  const auto found = FindOutliers(groups);
  std::vector<double> flagged;
  for (size_t g = 0; g < groups.size(); ++g) {
    for (const size_t i : found[g]) flagged.push_back(groups[g].seconds[i]);
  }
  EXPECT_THAT(flagged, ElementsAre(95.12199));
}

TEST(Outliers, AreFoundAtThreeIterationsAndAmongFour) {
  std::vector<TimedGroup> groups;
  for (int q = 0; q < 12; ++q) groups.push_back({"c", {1.0, 1.02, 0.98}});
  groups.push_back({"c", {1.0, 2.0, 1.01}});
  groups.push_back({"c", {1.0, 0.4, 1.01, 1.02, 0.99}});
  groups.push_back({"c", {1.0, 3.0, 1.01, 2.5, 0.99}});
  const auto found = FindOutliers(groups);
  EXPECT_THAT(found[0], IsEmpty());
  EXPECT_THAT(found[12], ElementsAre(1));
  EXPECT_THAT(found[13], ElementsAre(1)) << "too fast is as odd as too slow";
  EXPECT_THAT(found[14], ElementsAre(1, 3)) << "one does not hide the other";
}

TEST(Outliers, TwoTimesAreTooFewAndOneQueryAloneMustBeFarOff) {
  EXPECT_THAT(FindOutliers(std::vector<TimedGroup>{{"c", {1.0, 9.0}}})[0], IsEmpty());
  EXPECT_THAT(FindOutliers(std::vector<TimedGroup>{{"c", {1.0, 1.2, 1.0001}}})[0], IsEmpty());
  EXPECT_THAT(FindOutliers(std::vector<TimedGroup>{{"c", {1.0, 1.4, 1.0001}}})[0], ElementsAre(1));
}

// Noise alone, normal or skewed, is hardly ever called an outlier: of 99 queries 3 to 10 times.
TEST(Outliers, NoiseIsNotFlagged) {
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal;
  for (const bool skewed : {false, true}) {
    int times = 0;
    int flagged = 0;
    for (int round = 0; round < 20; ++round) {
      std::vector<TimedGroup> groups(99);
      for (TimedGroup& group : groups) {
        const double spread = (skewed ? 0.15 : 0.05) * std::exp(0.25 * normal(random));
        for (int i = 0; i < 3 + round % 8; ++i) {
          const double e = spread * normal(random);
          group.seconds.push_back(skewed ? std::exp(e) : 1 + e);
        }
        times += static_cast<int>(group.seconds.size());
      }
      for (const auto& found : FindOutliers(groups)) flagged += static_cast<int>(found.size());
    }
    EXPECT_LE(flagged, times / (skewed ? 1000 : 5000)) << (skewed ? "skewed" : "normal");
  }
}

Json Times() {
  Json rows = Json::array();
  for (const char* query : {"q1", "q2", "q3"}) {
    for (int i = 1; i <= 3; ++i) {
      rows.push_back({{"cell", "c"},
                      {"query", query},
                      {"execution", rows.size()},
                      {"iteration", i},
                      {"stream", 0},
                      {"s", 1 + 0.01 * i},
                      {"other_cores", 0.1},
                      {"disturbance", nullptr}});
    }
  }
  rows[4]["s"] = 3.0;
  return rows;
}

TEST(Outliers, StandWithTheirFiguresWithAndWithoutThem) {
  const OrderedJson found = OutliersJson(Times());
  ASSERT_EQ(found.size(), 1u);
  const OrderedJson& o = found[0];
  EXPECT_EQ(o["query"], "q2");
  EXPECT_EQ(o["iteration"], 2);
  EXPECT_EQ(o["execution"], 4);
  EXPECT_NEAR(o["others_median_s"], 1.02, 1e-12);
  EXPECT_EQ(o["with"]["n"], 3);
  EXPECT_NEAR(o["with"]["avg_s"], (1.01 + 3.0 + 1.03) / 3, 1e-12);
  EXPECT_EQ(o["without"]["n"], 2);
  EXPECT_NEAR(o["without"]["avg_s"], 1.02, 1e-12);
  EXPECT_NEAR(o["without"]["stddev_s"], 0.02 / std::sqrt(2), 1e-12);
  EXPECT_EQ(o["reason"], "no cause recorded");
}

TEST(Outliers, NameTheCauseOnRecord) {
  Json rows = Times();
  rows[4]["other_cores"] = 1.3;
  EXPECT_THAT(OutliersJson(rows)[0]["reason"].get<std::string>(),
              HasSubstr("load: other work kept 1.3 cores busy"));
  rows[4]["disturbance"] = "steal: 12% of the machine";
  EXPECT_THAT(OutliersJson(rows)[0]["reason"].get<std::string>(),
              testing::StartsWith("steal: 12% of the machine; load"));
}

}  // namespace
}  // namespace lakegauge::analyze
