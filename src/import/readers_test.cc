#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "base/files.h"
#include "import/delimited.h"
#include "import/jmeter.h"
#include "import/mapping.h"
#include "import/spark_sql_perf.h"
#include "import/tabular.h"
#include "import/values.h"
#include "import/xml_tags.h"

namespace lakegauge::imports {
namespace {

using record::ExecutionStatus;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const std::string kTestData = std::string(LAKEGAUGE_SOURCE_DIR) + "/src/import/testdata/";

Mapping Maps(const std::vector<std::string>& maps, const std::vector<std::string>& sets = {}) {
  const auto mapping = Mapping::Parse(maps, sets);
  EXPECT_TRUE(mapping.ok()) << mapping.error().message;
  return mapping.ok() ? *mapping : Mapping();
}

Parsed Csv(const std::string& text, const Mapping& mapping = {}) {
  auto parsed = ParseCsv(text, "f.csv", mapping);
  EXPECT_TRUE(parsed.ok()) << parsed.error().message;
  return parsed.ok() ? std::move(*parsed) : Parsed();
}

std::string CsvError(const std::string& text, const Mapping& mapping = {}) {
  const auto parsed = ParseCsv(text, "f.csv", mapping);
  return parsed.ok() ? "ok" : parsed.error().message;
}

std::string Bad(const Parsed& parsed) {
  std::string all;
  for (const BadLine& b : parsed.bad) all += std::to_string(b.line) + ": " + b.why + "\n";
  return all;
}

TEST(Delimited, QuotesLinesAndDelimiters) {
  EXPECT_EQ(DelimiterOf("a;b;c,d"), ';');
  EXPECT_EQ(DelimiterOf("\"a;b;c\",d"), ',');
  EXPECT_EQ(DelimiterOf("a\tb"), '\t');
  EXPECT_EQ(DelimiterOf("alone"), ',');
  DelimitedReader reader("a,\"b\"\"c\nd\",\r\n\n,x\n", ',');
  auto record = reader.Next();
  EXPECT_THAT(record->fields, ElementsAre("a", "b\"c\nd", ""));
  EXPECT_EQ(record->line, 1);
  record = reader.Next();
  EXPECT_THAT(record->fields, ElementsAre("", "x"));
  EXPECT_EQ(record->line, 4);
  EXPECT_FALSE(reader.Next());
}

TEST(Delimited, AQuoteThatIsNeverClosedCostsItsLineOnly) {
  DelimitedReader reader("a,\"b\nc,d\ne,\"f\"\n", ',');
  EXPECT_THAT(reader.Next()->problem, HasSubstr("not closed"));
  EXPECT_THAT(reader.Next()->fields, ElementsAre("c", "d"));
  EXPECT_THAT(reader.Next()->fields, ElementsAre("e", "f"));
  DelimitedReader open("a,\"b\nc,d\n", ',');
  EXPECT_THAT(open.Next()->problem, HasSubstr("not closed"));
  const auto next = open.Next();
  EXPECT_THAT(next->fields, ElementsAre("c", "d"));
  EXPECT_EQ(next->line, 2);
}

TEST(Values, TimesNumbersAndMoments) {
  EXPECT_EQ(*ReadTime(" 1.5 ", 1e9), 1'500'000'000);
  EXPECT_EQ(*ReadTime("3.494837", 1e9), 3'494'837'000);
  EXPECT_EQ(*ReadTime("1,5", 1e6), 1'500'000);
  EXPECT_EQ(*ReadTime("250 ms", 1e9), 250'000'000);
  EXPECT_EQ(*ReadTime("1e3", 1e6), 1'000'000'000);
  for (const char* bad : {"", "-1", "nan", "inf", "1e300", "x", "1,2,3", "0x10", "12 parsecs"}) {
    EXPECT_FALSE(ReadTime(bad, 1e9).ok()) << bad;
  }
  EXPECT_EQ(*ReadInteger("3.0"), 3);
  for (const char* bad : {"", "-1", "3.5", "99999999999999999999", "a"}) {
    EXPECT_FALSE(ReadInteger(bad).ok()) << bad;
  }
  EXPECT_EQ(*ReadMoment("1767225600123"), 1'767'225'600'123'000'000);
  EXPECT_EQ(*ReadMoment("2026-01-01T00:00:00Z"), 1'767'225'600'000'000'000);
  EXPECT_EQ(*ReadMoment("2026-01-01 00:00:00.5Z"), 1'767'225'600'500'000'000);
  for (const char* bad :
       {"", "2026-01-01T00:00:00", "2026/01/01 00:00:00.000", "2026-13-01T00:00:00Z",
        "99999999999999999", "2026-01-01T00:00:00+Z", "Z"}) {
    EXPECT_FALSE(ReadMoment(bad).ok()) << bad;
  }
  EXPECT_EQ(*ReadStatus("SUCCESS"), ExecutionStatus::kOk);
  EXPECT_EQ(*ReadStatus("timed out"), ExecutionStatus::kTimeout);
  EXPECT_FALSE(ReadStatus("maybe").ok());
  EXPECT_TRUE(IsUtf8("caf\xC3\xA9 \xF0\x9F\x98\x80"));
  for (const char* bad : {"\xE9", "\xC0\x80", "\xED\xA0\x80", "\xF5\x80\x80\x80", "\xE2\x82"}) {
    EXPECT_FALSE(IsUtf8(bad));
  }
  EXPECT_FALSE(ReadName(std::string(257, 'x')).ok());
  EXPECT_FALSE(ReadName("a\x01").ok());
}

TEST(Mapping, NamesOfColumnsAndUnits) {
  EXPECT_EQ(PlainName(" Elapsed (ms)"), "elapsed_ms");
  EXPECT_EQ(*NsPerUnitOf("seconds"), 1e9);
  EXPECT_EQ(*NsPerUnitOf("elapsed_ms"), 1e6);
  EXPECT_EQ(*NsPerUnitOf("time_in_sec"), 1e9);
  EXPECT_EQ(*NsPerUnitOf("run_time_s"), 1e9);
  EXPECT_EQ(*NsPerUnitOf("elapsed"), 0) << "a time, and no unit";
  EXPECT_FALSE(NsPerUnitOf("min")) << "as good a minimum as minutes";
  EXPECT_FALSE(NsPerUnitOf("status"));
  EXPECT_FALSE(NsPerUnitOf("cpu_ms")) << "a time, but not how long the query took";
  const auto error = [](std::vector<std::string> maps, std::vector<std::string> sets) {
    const auto mapping = Mapping::Parse(maps, sets);
    return mapping.ok() ? "ok" : mapping.error().message;
  };
  EXPECT_THAT(error({"query"}, {}), HasSubstr("found no FIELD=COLUMN"));
  EXPECT_THAT(error({"qury=a"}, {}), HasSubstr("no field 'qury'; allowed engine, store"));
  EXPECT_THAT(error({"query=a", "query=b"}, {}), HasSubstr("twice"));
  EXPECT_THAT(error({"query=a"}, {"query=b"}), HasSubstr("twice"));
  EXPECT_THAT(error({"seconds=a", "ms=b"}, {}), HasSubstr("both"));
  EXPECT_EQ(*Maps({}, {"store=on {file}"}).Constant("store", "a/fast.jtl"), "on fast");
}

TEST(CsvFile, ColumnsAreFoundByNameAndBadLinesAreNamed) {
  const Parsed parsed =
      Csv("Query,Storage,Format,Iteration,Elapsed (ms),Status,Error,Comment\n"
          "q1,s3,parquet,1,1500.5,ok,,fine\n"
          "q1,s3,parquet,2,oops,ok,,\n"
          "q1,s3,parquet,3\n"
          ",s3,parquet,4,1,ok,,\n"
          "q1,s3,parquet,five,1,ok,,\n"
          "caf\xE9,s3,parquet,5,1,ok,,\n"
          "q1,s3,parquet,6,,failed,no memory,\n"
          "q1,s3,parquet,7,,ok,,\n"
          "q1,s3,parquet,8,1,odd,,\n");
  ASSERT_THAT(parsed.samples, SizeIs(2));
  EXPECT_EQ(parsed.samples[0].store, "s3");
  EXPECT_EQ(parsed.samples[0].layout, "parquet");
  EXPECT_EQ(parsed.samples[0].engine, "") << "not said";
  EXPECT_EQ(parsed.samples[0].elapsed_ns, 1'500'500'000);
  EXPECT_EQ(parsed.samples[1].status, ExecutionStatus::kFailed);
  EXPECT_EQ(parsed.samples[1].error, "no memory");
  EXPECT_FALSE(parsed.samples[1].elapsed_ns) << "a failure without a time has none, not zero";
  EXPECT_EQ(Bad(parsed),
            "3: time: 'oops' is no time\n"
            "4: 4 fields where the header names 8\n"
            "5: query: it is empty\n"
            "6: iteration: 'five' is no integer from 0\n"
            "7: query: 'caf?' is not UTF-8\n"
            "9: time: '' is no time\n"
            "10: status: 'odd' is no known status (ok, failed, timeout, wrong_result, "
            "cancelled)\n");
  EXPECT_THAT(parsed.notes, ElementsAre("f.csv: columns that were not used: Comment"));
}

TEST(CsvFile, FieldsAreMappedJoinedAndSet) {
  const std::string text = "access,schema,run,system,t\nrdd,1,7,hdfs,2.5\n";
  const Parsed parsed =
      Csv(text, Maps({"query=access+schema", "store=system", "iteration=run", "seconds=t"},
                     {"engine=spark", "layout={file}"}));
  ASSERT_THAT(parsed.samples, SizeIs(1));
  EXPECT_EQ(parsed.samples[0].query, "rdd-1");
  EXPECT_EQ(parsed.samples[0].store, "hdfs");
  EXPECT_EQ(parsed.samples[0].engine, "spark");
  EXPECT_EQ(parsed.samples[0].layout, "f");
  EXPECT_EQ(parsed.samples[0].iteration, 7);
  EXPECT_EQ(parsed.samples[0].dataset, "") << "the schema's column makes the query";
}

TEST(CsvFile, ColumnsThatCannotBeUnderstoodAreAnError) {
  EXPECT_THAT(CsvError("access,seconds\nx,1\n"),
              HasSubstr("no column is the query (--map query=COLUMN"));
  EXPECT_THAT(CsvError("query,elapsed\nx,1\n"),
              HasSubstr("column 'elapsed' does not say its unit; --map seconds=elapsed or"));
  EXPECT_THAT(CsvError("query,x\nx,1\n"), HasSubstr("no column is a time in a known unit"));
  EXPECT_THAT(CsvError("query,seconds\nx,1\n", Maps({"store=stor"})),
              HasSubstr("no column 'stor'; there are query, seconds"));
  EXPECT_THAT(CsvError("# only a comment\n"), HasSubstr("it is empty"));
  EXPECT_THAT(CsvError("\"query,seconds\nx,1\n"), HasSubstr("f.csv:1: a quote is opened"));
  EXPECT_EQ(CsvError("query,elapsed\nx,1\n", Maps({"ms=elapsed"})), "ok");
}

TEST(CsvFile, OwnQueriesCsvComesBack) {
  const Parsed parsed = Csv(
      "run,cell,engine,store,layout,dataset,stream,iteration,position,query,status,started_utc,"
      "elapsed_ms,cpu_ms,rows,result_fingerprint,requests,bytes_read,blocked_ms,cache,error\n"
      "r,c,duckdb,local,1MiB,tpcds,0,1,1,q03,ok,2026-01-01T00:00:00.000000Z,100.5,50,10,ab,4,9,1,"
      "cold,\n");
  ASSERT_THAT(parsed.samples, SizeIs(1));
  const Sample& s = parsed.samples[0];
  EXPECT_EQ(s.engine + "." + s.store + "." + s.layout + "." + s.dataset, "duckdb.local.1MiB.tpcds");
  EXPECT_EQ(s.elapsed_ns, 100'500'000);
  EXPECT_EQ(s.start_utc_ns, 1'767'225'600'000'000'000);
  EXPECT_EQ(s.rows, 10);
}

TEST(CsvFile, AnyLineEndsDelimiterAndAHeaderThatComesAgain) {
  const Parsed parsed =
      Csv("# from a spreadsheet\r\n\r\nquery;seconds\r\nq1;1,5\r\nquery;seconds\r\nq2;2");
  ASSERT_THAT(parsed.samples, SizeIs(2));
  EXPECT_EQ(parsed.samples[0].elapsed_ns, 1'500'000'000);
  EXPECT_EQ(parsed.samples[1].line, 6);
  EXPECT_THAT(parsed.bad, IsEmpty());
}

TEST(JmeterLog, CsvAsJmeterWritesIt) {
  const auto text = ReadFile(kTestData + "jmeter_fuzzer/log.jtl");
  ASSERT_TRUE(LooksLikeJmeter(*text));
  const auto parsed = ParseJmeter(*text, "log.jtl", Maps({}, {"store=fast"}));
  ASSERT_TRUE(parsed.ok()) << parsed.error().message;
  ASSERT_THAT(parsed->samples, SizeIs(3));
  EXPECT_THAT(parsed->bad, IsEmpty());
  EXPECT_EQ(parsed->samples[0].query, "q1");
  EXPECT_EQ(parsed->samples[0].store, "fast");
  EXPECT_EQ(parsed->samples[0].stream, "Users 1-1");
  EXPECT_EQ(parsed->samples[0].elapsed_ns, 1'500'000'000);
  EXPECT_EQ(parsed->samples[0].start_utc_ns, 1'767'225'600'000'000'000);
  EXPECT_EQ(parsed->samples[2].status, ExecutionStatus::kFailed);
  EXPECT_EQ(parsed->samples[2].error, "java.sql.SQLException Query failed, \"no such table\"");
  EXPECT_THAT(parsed->notes[0], HasSubstr("1 row of transactions was left out"));
}

TEST(JmeterLog, CsvWithoutAHeaderHasJmetersDefaultColumns) {
  const auto parsed = ParseJmeter(
      "1767225600000,1500,q1,200,OK,Users 1-1,text,true,,2048,0,1,1,null,1400,0,30\n"
      "1767225600000,15x,q1,200,OK,Users 1-1,text,true,,2048,0,1,1,null,1400,0,30\n",
      "log.jtl", {});
  ASSERT_TRUE(parsed.ok()) << parsed.error().message;
  EXPECT_THAT(parsed->samples, SizeIs(1));
  EXPECT_EQ(Bad(*parsed), "2: time: '15x' is no time\n");
}

TEST(JmeterLog, XmlOfBothVersionsOutermostSamplesOnly) {
  const auto text = ReadFile(kTestData + "jmeter_fuzzer/log.xml");
  ASSERT_TRUE(LooksLikeJmeter(*text));
  const auto parsed = ParseJmeter(*text, "log.jtl", {});
  ASSERT_TRUE(parsed.ok()) << parsed.error().message;
  ASSERT_THAT(parsed->samples, SizeIs(3));
  EXPECT_EQ(parsed->samples[0].elapsed_ns, 1'500'000'000);
  EXPECT_EQ(parsed->samples[1].query, "q14a & more");
  EXPECT_EQ(parsed->samples[1].error, "expected <100> rows");
  EXPECT_EQ(parsed->samples[1].line, 5);
  EXPECT_EQ(parsed->samples[2].query, "q3");
  EXPECT_EQ(parsed->samples[2].elapsed_ns, 700'000'000);
  EXPECT_THAT(parsed->notes[0], HasSubstr("1 sample inside another was left out"));
}

TEST(JmeterLog, DamagedXmlCostsTheTagsThatAreDamaged) {
  const auto parsed = ParseJmeter(
      "<testResults version=\"1.2\">\n"
      "<sample t=\"1\" ts=\"1767225600000\" s=\"true\" lb=\"q1\" tn=\"a\"/>\n"
      "<sample t=2 s=\"true\" lb=\"q2\"/>\n"
      "<sample t=\"3\" s=\"true\" lb=\"q3/>\n"
      "<sample t=\"-4\" s=\"true\" lb=\"q4\"/>\n"
      "<sample t=\"5\" s=\"true\" lb=\"q5\"/>\n"
      "<sample t=\"6\" s=\"tr",
      "log.jtl", {});
  ASSERT_TRUE(parsed.ok());
  ASSERT_THAT(parsed->samples, SizeIs(2)) << "JMeter that was killed leaves no end tag";
  EXPECT_EQ(parsed->samples[1].query, "q5");
  EXPECT_EQ(Bad(*parsed),
            "3: the value of attribute 't' is not in quotes that are closed\n"
            "4: the value of attribute 'lb' is not in quotes that are closed\n"
            "5: time: '-4' is no time from 0 to 30 years\n"
            "7: the value of attribute 's' is not in quotes that are closed\n");
  EXPECT_FALSE(ParseJmeter("<html></html>", "f", {}).ok());
}

TEST(XmlTags, EntitiesCommentsAndNothingThatExpands) {
  XmlTags tags(
      "<!DOCTYPE x [<!ENTITY a \"aaaa\">]><r a='&lt;&#65;&#x42;&a;&bogus;'><![CDATA[<&]]>x<!-- "
      "<no> --></r>");
  auto tag = tags.Next();
  while (tag && tag->name != "r") tag = tags.Next();
  ASSERT_TRUE(tag);
  EXPECT_EQ(tag->Attribute("a"), "<AB&a;&bogus;");
  tag = tags.Next();
  EXPECT_EQ(tag->kind, XmlTag::Kind::kClose);
  EXPECT_EQ(tag->text_before, "<&x");
  EXPECT_FALSE(tags.Next());
}

TEST(SparkSqlPerf, IterationsTagsFailuresAndNoSecrets) {
  const auto text = ReadFile(kTestData + "spark_sql_perf_fuzzer/two_iterations.json");
  ASSERT_TRUE(LooksLikeSparkSqlPerf(*text));
  const auto parsed = ParseSparkSqlPerf(*text, "r.json", {});
  ASSERT_TRUE(parsed.ok()) << parsed.error().message;
  ASSERT_THAT(parsed->samples, SizeIs(6));
  EXPECT_THAT(parsed->bad, IsEmpty());
  const Sample& first = parsed->samples[0];
  EXPECT_EQ(first.engine, "spark");
  EXPECT_EQ(first.store, "s3") << "tag 'storage'";
  EXPECT_EQ(first.query, "q1-v2.4");
  EXPECT_EQ(first.elapsed_ns, 5'092'500'000) << "all five phases";
  EXPECT_EQ(first.iteration, 1);
  EXPECT_THAT(first.metrics, SizeIs(5));
  EXPECT_EQ(parsed->samples[2].status, ExecutionStatus::kFailed);
  EXPECT_FALSE(parsed->samples[2].elapsed_ns);
  EXPECT_EQ(parsed->samples[5].status, ExecutionStatus::kTimeout);
  EXPECT_EQ(parsed->started_utc_ns, 1'767'225'600'000'000'000);
  EXPECT_EQ(parsed->engine["version"], "3.5.5");
  EXPECT_EQ(parsed->engine["configuration"]["spark.executor.memory"], "8g");
  EXPECT_THAT(parsed->engine.dump(), ::testing::Not(HasSubstr("AKIAEXAMPLE")));
}

TEST(SparkSqlPerf, BadLinesAndResultsAreNamed) {
  const auto parsed = ParseSparkSqlPerf(
      "{\"iteration\":1,\"results\":[{\"name\":\"q1\",\"executionTime\":5.0},{\"name\":\"q2\"},"
      "{\"executionTime\":1.0},7,{\"name\":\"q3\",\"executionTime\":-1.0}]}\n"
      "{\"iteration\":2,\"results\":[{\"name\":\"q1\",\"execut\n"
      "\n"
      "{\"iteration\":\"x\",\"results\":[]}\n"
      "{\"timestamp\":1}\n",
      "timestamp=1767225600000/part-0.json", {});
  ASSERT_TRUE(parsed.ok()) << parsed.error().message;
  EXPECT_THAT(parsed->samples, SizeIs(1));
  EXPECT_THAT(Bad(*parsed), HasSubstr("1: results[1]: neither 'executionTime' nor 'failure'\n"
                                      "1: results[2]: name: it is empty\n"
                                      "1: results[3]: no JSON object\n"
                                      "1: results[4]: 'executionTime' is no time in"));
  EXPECT_THAT(Bad(*parsed), HasSubstr("4: 'iteration' is no integer from 0\n5: no list 'results'"));
  EXPECT_EQ(parsed->bad.size(), 7u);
  EXPECT_EQ(parsed->started_utc_ns, 1'767'225'600'000'000'000) << "of the folder";
}

TEST(SparkSqlPerf, VariationsAreConfigurationsAndConfigurationsAreEngines) {
  const auto line = [](const char* partitions, double ms) {
    return "{\"timestamp\":1,\"iteration\":1,\"tags\":{\"p\":\"" + std::string(partitions) +
           "\",\"runtype\":\"x\"},\"results\":[{\"name\":\"q1\",\"executionTime\":" +
           std::to_string(ms) + "}]}\n";
  };
  const std::string text = line("200", 1) + line("2000", 2);
  auto parsed = ParseSparkSqlPerf(text, "r.json", {});
  EXPECT_EQ(parsed->samples[0].engine, "spark p=200");
  EXPECT_EQ(parsed->samples[1].engine, "spark p=2000");
  parsed = ParseSparkSqlPerf(text, "r.json", Maps({"layout=tags.p"}));
  EXPECT_EQ(parsed->samples[0].engine, "spark");
  EXPECT_EQ(parsed->samples[1].layout, "2000");
  parsed = ParseSparkSqlPerf(text, "r.json", Maps({"layout=tags.q"}));
  EXPECT_THAT(Bad(*parsed), HasSubstr("layout: there is no tag 'q'"));
  EXPECT_FALSE(ParseSparkSqlPerf(text, "r.json", Maps({"seconds=x"})).ok());
}

TEST(SparkSqlPerf, AListOrAnIndentedDocumentToo) {
  const std::string one = "{\"iteration\":1,\"results\":[{\"name\":\"q1\",\"executionTime\":5}]}";
  EXPECT_THAT(ParseSparkSqlPerf("[" + one + "]", "r", {})->samples, SizeIs(1));
  EXPECT_THAT(ParseSparkSqlPerf("[\n" + one + "\n]\n", "r", {})->samples, SizeIs(1));
  EXPECT_THAT(ParseSparkSqlPerf("{\n\"iteration\":1,\n\"results\":[{\"name\":\"q1\",\n"
                                "\"executionTime\":5}]}\n",
                                "r", {})
                  ->samples,
              SizeIs(1));
}

}  // namespace
}  // namespace lakegauge::imports
