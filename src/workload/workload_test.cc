#include "workload/workload.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>

#include "base/testing/temporary_folder.h"
#include "workload/natural_order.h"

namespace lakegauge::workload {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
namespace fs = std::filesystem;

class Folder {
 public:
  void Write(const std::string& name, const std::string& text) const {
    const fs::path file = fs::path(path()) / name;
    fs::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }
  const std::string& path() const { return folder_.path(); }

 private:
  TemporaryFolder folder_;
};

std::vector<std::string> Names(const std::vector<Query>& queries) {
  std::vector<std::string> names;
  for (const auto& query : queries) names.push_back(query.name);
  return names;
}

TEST(Resolve, GivesTpcdsQueriesByNumberInTheOrderAsked) {
  QuerySelection selection;
  selection.tpcds = {52, 3};
  const auto queries = Resolve(selection, "/");
  ASSERT_TRUE(queries.ok()) << queries.error().message;
  EXPECT_THAT(Names(*queries), ElementsAre("q52", "q03"));
  EXPECT_THAT(queries->at(1).sql, HasSubstr("store_sales"));
  EXPECT_EQ(queries->at(1).source, "tpcds");
  EXPECT_EQ(queries->at(1).order.limit, 100);
}

TEST(Resolve, AllMeansNinetyNine) {
  QuerySelection selection;
  selection.all_tpcds = true;
  const auto queries = Resolve(selection, "/");
  ASSERT_TRUE(queries.ok()) << queries.error().message;
  EXPECT_EQ(queries->size(), 99u);
  EXPECT_EQ(queries->front().name, "q01");
  EXPECT_EQ(queries->back().name, "q99");
}

TEST(Resolve, ReadsFilesAndFoldersInNaturalOrder) {
  const Folder folder;
  folder.Write("mine/q10.sql", "SELECT 10");
  folder.Write("mine/q2.sql", "\xEF\xBB\xBFSELECT 2");
  folder.Write("mine/notes.txt", "not a query");
  folder.Write("mine/deeper/q1.sql", "SELECT 1");
  folder.Write("sum, it's.sql", "-- why\nSELECT sum(a) FROM t ORDER BY 1 LIMIT 5;");
  QuerySelection selection;
  selection.paths = {"sum, it's.sql", "mine"};
  const auto queries = Resolve(selection, folder.path());
  ASSERT_TRUE(queries.ok()) << queries.error().message;
  EXPECT_THAT(Names(*queries), ElementsAre("sum__it_s", "q2", "q10"));
  EXPECT_EQ(queries->at(1).sql, "SELECT 2") << "the byte order mark is not part of the text";
  EXPECT_EQ(queries->at(0).order.limit, 5);
}

TEST(Resolve, RefusesWhatCannotBeAQuery) {
  const Folder folder;
  folder.Write("empty.sql", "");
  folder.Write("comment.sql", "-- nothing\n/* here */ ;\n");
  folder.Write("latin1.sql", "SELECT 'caf\xE9'");
  folder.Write("nul.sql", std::string("SELECT 1\0", 9));
  folder.Write("none/readme.md", "");
  folder.Write("a/q03.sql", "SELECT 1");
  struct Case {
    QuerySelection selection;
    std::string message;
  };
  for (const auto& [selection, message] : std::vector<Case>{
           {{{100}, false, {}, {}}, "there is no TPC-DS query 100; allowed: 1 to 99"},
           {{{0}, false, {}, {}}, "there is no TPC-DS query 0"},
           {{{3, 4, 3}, false, {}, {}}, "two queries are called 'q03'"},
           {{{3}, false, {"a"}, {}}, "two queries are called 'q03': from tpcds and from"},
           {{{}, false, {"empty.sql"}, {}}, "empty.sql: no query in it"},
           {{{}, false, {"comment.sql"}, {}}, "comment.sql: no query in it"},
           {{{}, false, {"latin1.sql"}, {}}, "latin1.sql: not UTF-8"},
           {{{}, false, {"nul.sql"}, {}}, "nul.sql: not UTF-8"},
           {{{}, false, {"none"}, {}}, "none: no .sql file in it"},
           {{{}, false, {"nowhere.sql"}, {}}, "nowhere.sql: no such file"},
           {{{}, false, {}, {"cells"}}, "there is no scan 'cells'; allowed: rows, columns"},
           {{{}, false, {}, {"rows"}}, "needs a dataset of kind bulk"},
           {{{}, false, {}, {}}, "no query was selected"},
       }) {
    const auto queries = Resolve(selection, folder.path());
    ASSERT_FALSE(queries.ok()) << message;
    EXPECT_THAT(queries.error().message, HasSubstr(message));
  }
}

TEST(Scan, RowsReadEveryColumnAndColumnsOnlyTwo) {
  const dataset::TableDef integers{"bulk",
                                   {{"id", "VARCHAR"},
                                    {"timestamp", "BIGINT"},
                                    {"val1", "INTEGER"},
                                    {"val2", "INTEGER"},
                                    {"val3", "INTEGER"}}};
  EXPECT_EQ(*ScanSql("rows", {integers}),
            "SELECT max(greatest(\"val1\", \"val2\")) AS largest, max(\"id\"), max(\"timestamp\"), "
            "max(\"val3\") FROM \"bulk\"");
  EXPECT_EQ(*ScanSql("columns", {integers}),
            "SELECT max(greatest(\"val1\", \"val2\")) AS largest FROM \"bulk\"");
}

TEST(Scan, ValuesInOneTextAreSplitInSql) {
  const dataset::TableDef text{"bulk",
                               {{"id", "VARCHAR"}, {"timestamp", "BIGINT"}, {"data", "VARCHAR"}}};
  EXPECT_EQ(*ScanSql("columns", {text}),
            "SELECT max(greatest(CAST(split_part(data, ',', 1) AS INTEGER), "
            "CAST(split_part(data, ',', 2) AS INTEGER))) AS largest FROM \"bulk\"");
}

TEST(NormaliseName, KnowsTheWaysPeopleNameTpcdsQueries) {
  for (const char* name : {"q3", "q03", "Q3", "query3", "Query03", "3", "03", "q003"}) {
    EXPECT_EQ(NormaliseName(name), "q03") << name;
  }
  EXPECT_EQ(NormaliseName("99"), "q99");
  for (const char* name : {"q14a", "q100", "q0", "", "q", "mine", "3x", "0003"}) {
    EXPECT_EQ(NormaliseName(name), name);
  }
}

TEST(NaturalOrder, CountsInNumbers) {
  std::vector<std::string> names = {"q10", "q2", "q1", "a", "q01", "q2b", "q"};
  std::sort(names.begin(), names.end(), NaturallyBefore);
  EXPECT_THAT(names, ElementsAre("a", "q", "q01", "q1", "q2", "q2b", "q10"));
}

TEST(OrderOf, FixedIsAsGivenAndOtherStreamsAreRotated) {
  EXPECT_THAT(OrderOf(5, Order::kFixed, 7, 0, 3), ElementsAre(0, 1, 2, 3, 4));
  std::set<std::vector<int>> seen;
  for (int stream = 0; stream < 5; ++stream) {
    auto order = OrderOf(5, Order::kFixed, 7, stream, 1);
    EXPECT_EQ(order, OrderOf(5, Order::kFixed, 7, stream, 2)) << "the same in each iteration";
    for (size_t i = 1; i < order.size(); ++i) EXPECT_EQ(order[i], (order[i - 1] + 1) % 5);
    seen.insert(order);
  }
  EXPECT_EQ(seen.size(), 5u) << "no two of five streams run five queries in step";
}

TEST(OrderOf, RandomDrawsAreTheSameOnEveryMachine) {
  EXPECT_THAT(OrderOf(8, Order::kRandom, 42, 0, 1), ElementsAre(4, 3, 7, 0, 5, 2, 6, 1));
  EXPECT_THAT(OrderOf(8, Order::kRandom, 42, 0, 2), ElementsAre(1, 7, 2, 3, 0, 4, 6, 5));
  EXPECT_THAT(OrderOf(8, Order::kRandom, 42, 1, 1), ElementsAre(0, 3, 2, 1, 5, 4, 6, 7));
  EXPECT_THAT(OrderOf(8, Order::kRandom, 43, 0, 1), ElementsAre(4, 6, 3, 0, 5, 1, 7, 2));
}

TEST(OrderOf, RandomIsAPermutationInWhichNoPlaceIsFavoured) {
  std::vector<int> first(6, 0);
  for (int iteration = 0; iteration < 6000; ++iteration) {
    auto order = OrderOf(6, Order::kRandom, 1, 0, iteration);
    ++first[static_cast<size_t>(order[0])];
    std::sort(order.begin(), order.end());
    ASSERT_THAT(order, ElementsAre(0, 1, 2, 3, 4, 5));
  }
  for (const int n : first) EXPECT_NEAR(n, 1000, 150);
}

TEST(OrderOf, TakesNoneAndOne) {
  EXPECT_THAT(OrderOf(0, Order::kRandom, 1, 0, 1), ElementsAre());
  EXPECT_THAT(OrderOf(1, Order::kFixed, 1, 3, 1), ElementsAre(0));
}

}  // namespace
}  // namespace lakegauge::workload
