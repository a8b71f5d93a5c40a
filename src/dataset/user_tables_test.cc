#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "base/testing/temporary_folder.h"
#include "base/units.h"
#include "dataset/dataset.h"
#include "dataset/testing/tpcds.h"
#include "sql/sql.h"

namespace lakegauge::dataset {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class Files : public testing::Test {
 protected:
  Files() {
    options_.data_dir = folder_.path() + "/data";
    spec_.kind = "files";
  }
  void Sql(const std::string& statement) {
    auto database = sql::Database::Open({});
    ASSERT_OK(database);
    auto connection = database->Connect();
    ASSERT_OK(connection);
    const auto done = connection->Execute(statement);
    ASSERT_OK(done);
  }
  std::string Path(const std::string& name) const { return folder_.path() + "/" + name; }
  // Writes the table in every format and compares what is read back with what the manifest says.
  void ExpectAllFormatsHoldTheSame(int64_t target = 64 * kKiB) {
    const auto made = PrepareLayouts(spec_,
                                     {Layout(0), Layout(target), Layout(target, "csv", "none"),
                                      Layout(target, "parquet", "zstd")},
                                     options_);
    ASSERT_OK(made);
    for (const auto& m : *made) {
      const auto read =
          ReadContentFingerprints(m, options_.data_dir + "/" + spec_.Name() + "/" + m.layout);
      ASSERT_OK(read);
      for (const auto& t : m.tables) {
        EXPECT_EQ(read->at(t.name), t.content_fingerprint) << m.layout << " " << t.name;
      }
    }
  }
  TemporaryFolder folder_;
  PrepareOptions options_;
  DatasetSpec spec_;
};

TEST_F(Files, EveryTypeComesThroughEveryFormat) {
  Sql("COPY (SELECT i % 3 = 0 AS flag, i::TINYINT AS tiny, -i::SMALLINT AS small, i::INTEGER AS "
      "int, "
      "i::BIGINT * 10000000000 AS big, (i % 200)::UTINYINT AS utiny, i::UINTEGER AS uint, "
      "i::UBIGINT + 18000000000000000000 AS ubig, i / 7 AS real_, (i / 7)::FLOAT AS float_, "
      "(i * 1.5)::DECIMAL(9,2) AS d9, (-i * 1.25)::DECIMAL(18,4) AS d18, "
      "i::DECIMAL(38,10) * 1000000000000000 AS d38, DATE '1960-01-01' + i::INTEGER * 100 AS date_, "
      "TIMESTAMP '1969-12-31 23:59:59.5' + to_microseconds(i * 1000001) AS ts, "
      "TIME '00:00:01' + to_microseconds(i) AS time_, "
      "CASE WHEN i % 5 = 0 THEN NULL WHEN i % 5 = 1 THEN '' ELSE 'line ' || i || chr(10) || "
      "'\"q\",' END AS t, "
      "encode('b' || i) AS blob_, uuid() AS id, NULL::INTEGER AS nothing "
      "FROM range(100) r(i)) TO '" +
      Path("all.parquet") + "' (FORMAT parquet)");
  spec_.tables["all"] = Path("all.parquet");
  ExpectAllFormatsHoldTheSame();
}

TEST_F(Files, OddTableAndColumnNames) {
  Sql("COPY (SELECT i AS \"a \"\"b\"\" c\", i AS \"select\", i AS \"ümlaut/x\" FROM range(10) "
      "r(i)) TO '" +
      Path("odd.parquet") + "' (FORMAT parquet)");
  spec_.tables["my table/π=\"1\""] = Path("odd.parquet");
  spec_.tables["_hidden"] = Path("odd.parquet");
  ExpectAllFormatsHoldTheSame();
}

TEST_F(Files, PartitionsOfOddValuesAreReadBackFromEveryFormat) {
  Sql("COPY (SELECT i, ['a/b', '100%', '', NULL, '_x', 'ä=1'][1 + i % 6] AS \"te xt\", "
      "DATE '2001-02-03' + i::INTEGER % 2 AS day, (i % 3 * 1.5)::DECIMAL(7,2) AS price "
      "FROM range(60) r(i)) TO '" +
      Path("t.parquet") + "' (FORMAT parquet)");
  spec_.tables["t"] = Path("t.parquet");
  for (const char* format : {"parquet", "orc", "csv"}) {
    LayoutSpec layout = Layout(0, format, "none");
    layout.partition_by["t"] = {"te xt", "day", "price"};
    const auto made = PrepareLayouts(spec_, {layout}, options_);
    ASSERT_OK(made);
    EXPECT_EQ(made->front().files.size(), 6u);
    const auto verified = VerifyContent(made->front(), LayoutDir(options_.data_dir, spec_, layout));
    EXPECT_TRUE(verified.ok()) << format << ": " << verified.error().message;
  }
}

TEST_F(Files, EmptyTablesAndHugeTexts) {
  Sql("COPY (SELECT 1 AS a, 'x' AS b WHERE false) TO '" + Path("empty.parquet") +
      "' (FORMAT parquet)");
  Sql("COPY (SELECT i, repeat(chr(65 + i::INTEGER), 300000) AS text FROM range(20) r(i)) TO '" +
      Path("huge.parquet") + "' (FORMAT parquet)");
  spec_.tables["empty"] = Path("empty.parquet");
  spec_.tables["huge"] = Path("huge.parquet");
  ExpectAllFormatsHoldTheSame();
}

TEST_F(Files, CsvIsReadAndChangedSourcesAreReadAgain) {
  std::ofstream(Path("t.csv")) << "a,b\n1,x\n2,y\n";
  spec_.tables["t"] = Path("t.csv");
  const auto first = PrepareLayouts(spec_, {Layout(0)}, options_);
  ASSERT_OK(first);
  EXPECT_EQ(first->front().tables[0].rows, 2);
  std::ofstream(Path("t.csv")) << "a,b\n1,x\n2,y\n3,zz\n";
  const auto second = PrepareLayouts(spec_, {Layout(0)}, options_);
  ASSERT_OK(second);
  EXPECT_EQ(second->front().tables[0].rows, 3);

  // Nor is a layout trusted whose base was cleaned away: nothing says which files it came from.
  std::filesystem::remove_all(options_.data_dir + "/" + spec_.Name() + "/base");
  std::ofstream(Path("t.csv")) << "a,b\n1,x\n";
  const auto third = PrepareLayouts(spec_, {Layout(0), Layout(64 * kKiB)}, options_);
  ASSERT_OK(third);
  EXPECT_EQ(third->at(0).tables[0].rows, 1);
  EXPECT_EQ(third->at(1).tables[0].rows, 1);
}

TEST_F(Files, WhatCannotBeReadIsNamed) {
  const auto message = [&] {
    const auto base = PrepareBase(spec_, options_);
    EXPECT_FALSE(base.ok());
    return base.ok() ? std::string() : base.error().message;
  };
  EXPECT_THAT(message(), HasSubstr("names no table"));
  spec_.tables["t"] = Path("missing.parquet");
  EXPECT_THAT(message(), HasSubstr("missing.parquet"));
  std::ofstream(Path("t.parquet")) << "this is not Parquet";
  spec_.tables["t"] = Path("t.parquet");
  EXPECT_THAT(message(), HasSubstr("t.parquet"));
  std::ofstream(Path("t.txt")) << "x";
  spec_.tables["t"] = Path("t.txt");
  EXPECT_THAT(message(), HasSubstr(".parquet or .csv"));
  for (const char* name : {"zero.csv", "zero.parquet"}) {
    std::ofstream(Path(name)).close();
    spec_.tables["t"] = Path(name);
    EXPECT_THAT(message(), HasSubstr(Path(name) + " is empty"));
    LayoutSpec as_is;
    as_is.as_is = true;
    EXPECT_THAT(PrepareLayouts(spec_, {as_is}, options_).error().message, HasSubstr(Path(name)));
  }
  Sql("COPY (SELECT [1, 2] AS list) TO '" + Path("nested.parquet") + "' (FORMAT parquet)");
  spec_.tables["t"] = Path("nested.parquet");
  EXPECT_THAT(message(), HasSubstr("INTEGER[]"));
}

TEST_F(Files, WhatKeepsATableFromBeingReadIsFoundWithoutReadingIt) {
  const auto problem = [&](const std::string& path) {
    const auto table = InspectSource("t", Path(path));
    EXPECT_FALSE(table.ok()) << path;
    const std::string message = table.ok() ? "" : table.error().message;
    EXPECT_THAT(message, testing::AllOf(HasSubstr("table t: "), testing::Not(HasSubstr("\n"))));
    EXPECT_LT(message.size(), 300u);
    return message;
  };
  EXPECT_THAT(problem("no*.parquet"), HasSubstr("no file matches"));
  Sql("COPY (SELECT i, i % 7 AS k FROM range(1000) r(i)) TO '" + Path("a.parquet") + "'");
  Sql("COPY (SELECT i FROM range(1000) r(i)) TO '" + Path("b.parquet") + "'");
  EXPECT_THAT(problem("*.parquet"), HasSubstr("b.parquet has no column 'k', which "));
  fs::resize_file(Path("a.parquet"), fs::file_size(Path("a.parquet")) - 100);
  EXPECT_THAT(problem("a.parquet"), HasSubstr("a.parquet is not Parquet"));

  std::ofstream(Path("short.csv")) << "id,name,age\n1,Ann,31\n2,Bo,30\n3,Cy";
  EXPECT_THAT(problem("short.csv"), HasSubstr("reads as one column 'id,name,age'"));
  std::ofstream(Path("empty.csv")).close();
  EXPECT_THAT(problem("empty.csv"), HasSubstr("empty.csv is empty (0 bytes)"));
  // Longer than what DuckDB looks at to find out how it is written.
  std::ofstream large(Path("large.csv"));
  large << "id,name,age\n";
  for (int i = 0; i < 30000; ++i) large << i << ",n" << i << "," << i % 90 << "\n";
  large << "77,x" << std::flush;
  EXPECT_THAT(problem("large.csv"), HasSubstr("its last line has 2 of 3 fields"));
  large << ",5" << std::flush;
  EXPECT_TRUE(InspectSource("t", Path("large.csv")).ok()) << "a last line needs no end";
  std::ofstream(Path("one.csv")) << "\"Surname, first name\"\nx\n";
  EXPECT_TRUE(InspectSource("t", Path("one.csv")).ok());
}

TEST_F(Files, SourcesAreToldApartOnlyInFoldersOfTheirOwn) {
  for (const char* name : {"orders_1", "orders_2", "people"}) {
    Sql("COPY (SELECT 1 AS i) TO '" + Path(std::string(name) + ".parquet") + "'");
  }
  std::ofstream(Path("_SUCCESS")).close();
  const auto orders = InspectSource("orders", Path("orders_*.parquet"));
  ASSERT_OK(orders);
  const auto apart = CheckAsIs({*orders});
  ASSERT_FALSE(apart.ok());
  EXPECT_THAT(apart.error().message, HasSubstr("people.parquet, which is not one of its files"));
  fs::remove(Path("people.parquet"));
  EXPECT_TRUE(CheckAsIs({*orders}).ok()) << "what no engine would read is no stranger";
}

TEST_F(Files, FoldersMayBeCalledAnything) {
  const std::string odd = Path("data[x]*?");
  fs::create_directories(odd + "/day=1");
  Sql("COPY (SELECT i FROM range(10) r(i)) TO '" + odd + "/t.parquet' (FORMAT parquet)");
  Sql("COPY (SELECT i FROM range(10) r(i)) TO '" + odd + "/day=1/p.parquet' (FORMAT parquet)");
  std::ofstream(odd + "/c.csv") << "a,b\n1,x\n";
  // A path that is there is meant as it stands; of a pattern only its own characters are special.
  spec_.tables = {{"t", odd + "/t.parquet"},
                  {"c", PatternIn(odd, "[c].csv")},
                  {"p", PatternIn(odd, "day=?/*.parquet")}};
  options_.data_dir = Path("da[t]a*");  // DuckDB itself takes no database below a "?"
  ExpectAllFormatsHoldTheSame();
  LayoutSpec as_is;
  as_is.as_is = true;
  LayoutSpec by = Layout(0);
  by.partition_by["t"] = {"i"};
  EXPECT_FALSE(PrepareLayouts(spec_, {by}, options_).ok()) << "nothing would be left of t";
  const auto made = PrepareLayouts(spec_, {as_is}, options_);
  ASSERT_OK(made);
  EXPECT_EQ(made->front().files.size(), 3u);
  const auto inspected = Inspect(odd + "/c.csv");
  ASSERT_OK(inspected);
  EXPECT_EQ(inspected->front().columns.size(), 2u);
}

TEST_F(Files, AsIsDescribesTheFilesWhereTheyLie) {
  Sql("COPY (SELECT i FROM range(1000) r(i)) TO '" + Path("a.parquet") + "' (FORMAT parquet)");
  spec_.tables["t"] = Path("*.parquet");
  LayoutSpec layout;
  layout.as_is = true;
  const auto made = PrepareLayouts(spec_, {layout}, options_);
  ASSERT_OK(made);
  const Manifest& m = made->front();
  ASSERT_EQ(m.files.size(), 1u);
  EXPECT_EQ(LayoutDir(options_.data_dir, spec_, layout) + m.files[0].key, Path("a.parquet"));
  EXPECT_EQ(m.files[0].rows, 1000);
  EXPECT_EQ(m.files[0].sha256.size(), 64u);
  EXPECT_EQ(m.tables[0].columns[0].name, "i");
}

TEST_F(Files, AsIsKnowsTheColumnsOfCsvAndOfPartitions) {
  std::ofstream(Path("a.csv")) << "id,when,note\n1,2001-02-03,x\n";
  fs::create_directories(Path("sales/year=2001"));
  Sql("COPY (SELECT 7::UTINYINT AS n) TO '" + Path("sales/year=2001/a.parquet") +
      "' (FORMAT parquet)");
  spec_.tables = {{"a", Path("a.csv")}, {"sales", Path("sales/*/*.parquet")}};
  LayoutSpec layout;
  layout.as_is = true;
  const auto made = PrepareLayouts(spec_, {layout}, options_);
  ASSERT_OK(made);
  const auto columns = [](const std::vector<ColumnDef>& of) {
    std::vector<std::string> text;
    for (const auto& c : of) text.push_back(c.name + " " + c.type);
    return text;
  };
  EXPECT_THAT(columns(made->front().tables[0].columns),
              testing::ElementsAre("id BIGINT", "when DATE", "note VARCHAR"));
  EXPECT_THAT(columns(made->front().tables[1].columns),
              testing::ElementsAre("n UTINYINT", "year BIGINT"));
}

TEST_F(Files, InspectTellsFilesRowGroupsAndRows) {
  fs::create_directories(Path("lake/t/year=2001"));
  Sql("COPY (SELECT i FROM range(300000) r(i)) TO '" + Path("lake/t/year=2001/a.parquet") +
      "' (FORMAT parquet)");
  std::ofstream(Path("lake/u.csv")) << "a\n1\n";
  const auto tables = Inspect(Path("lake"));
  ASSERT_OK(tables);
  ASSERT_EQ(tables->size(), 2u);
  const auto t = std::find_if(tables->begin(), tables->end(),
                              [](const InspectedTable& x) { return x.format == "parquet"; });
  EXPECT_EQ(t->name, "t");
  EXPECT_EQ(t->files[0].rows, 300'000);
  EXPECT_EQ(t->files[0].row_group_bytes.size(), 3u);
  ASSERT_EQ(t->columns.size(), 2u);
  EXPECT_EQ(t->columns[1].name, "year");
  const auto csv = std::find_if(tables->begin(), tables->end(),
                                [](const InspectedTable& x) { return x.format == "csv"; });
  ASSERT_EQ(csv->columns.size(), 1u);
  EXPECT_EQ(csv->columns[0].name, "a");
  EXPECT_EQ(csv->columns[0].type, "BIGINT");
  EXPECT_EQ(Inspect(Path("nowhere")).error().code, ErrorCode::kNotFound);
}

TEST_F(Files, InspectTellsLayoutsOfOneTableApart) {
  for (const char* folder :
       {"lake/large/t", "lake/small/t", "lake/small/u/k=1", "lake/small/u/k=2"}) {
    fs::create_directories(Path(folder));
    Sql("COPY (SELECT 1 AS i) TO '" + Path(folder) + "/a.parquet' (FORMAT parquet)");
  }
  const auto both = Inspect(Path("lake"));
  ASSERT_FALSE(both.ok());
  EXPECT_EQ(both.error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(both.error().message,
              testing::AllOf(HasSubstr("table t in 2 folders"),
                             HasSubstr(Path("lake/large") + ", " + Path("lake/small"))));
  const auto one = Inspect(Path("lake/small"));
  ASSERT_OK(one);
  EXPECT_EQ(one->size(), 2u);
  std::ofstream(Path("zero.csv")).close();
  EXPECT_EQ(Inspect(Path("zero.csv")).error().message, Path("zero.csv") + " is empty (0 bytes)");
}

TEST_F(Tpcds001, InspectReadsOrcAndNamesWhatIsNot) {
  const auto layout = Layout(0, "orc", "zstd");
  const auto made = Prepare(layout);
  ASSERT_OK(made);
  const auto tables = Inspect(Dir(layout) + "/" + made->files[0].key);
  ASSERT_OK(tables);
  EXPECT_EQ(tables->front().files[0].rows, made->files[0].rows);
  ASSERT_EQ(tables->front().columns.size(), made->tables[0].columns.size());
  for (size_t c = 0; c < made->tables[0].columns.size(); ++c) {
    EXPECT_EQ(tables->front().columns[c].name, made->tables[0].columns[c].name);
    EXPECT_EQ(tables->front().columns[c].type, made->tables[0].columns[c].type);
  }
  const std::string noise = own_.path() + "/noise.orc";
  std::ofstream(noise) << std::string(9999, '\x5a');
  const auto nothing = Inspect(noise);
  ASSERT_FALSE(nothing.ok());
  EXPECT_THAT(nothing.error().message,
              testing::AllOf(HasSubstr("noise.orc"), testing::Not(HasSubstr("\n"))));
}

}  // namespace
}  // namespace lakegauge::dataset
