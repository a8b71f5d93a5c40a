#include "report/html.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <regex>

#include "base/files.h"
#include "report/html_assets.h"

namespace lakegauge::report {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Json Model() {
  return Json::parse(R"({
    "v": 1,
    "run": {"id": "r1", "title": "Small files", "question": "How slow?", "emulated": true},
    "headline": {"sentence": "Twice as slow.", "ratio": null, "notes": ["One note."]},
    "queries": [{"query": "q1", "cell": "c", "avg_s": 0.1}]
  })");
}

std::string Render(const Json& model) {
  auto page = RenderHtml(model);
  EXPECT_TRUE(page.ok()) << (page.ok() ? "" : page.error().message);
  return page.ok() ? *page : "";
}

// The page as a browser's parser sees it: without what stands inside <script> and <style>.
std::string Markup(const std::string& page) {
  std::string out;
  for (size_t at = 0;;) {
    const size_t open = std::min(page.find("<script", at), page.find("<style", at));
    out += page.substr(at, open - at);
    if (open == std::string::npos) return out;
    const bool script = page.compare(open, 7, "<script") == 0;
    const std::string end = script ? "</script>" : "</style>";
    at = page.find(end, open);
    if (at == std::string::npos) return out + "<unclosed>";
    at += end.size();
  }
}

Json DataOf(const std::string& page) {
  const std::string open = R"(<script type="application/json" id="summary">)";
  const size_t begin = page.find(open) + open.size();
  return Json::parse(page.substr(begin, page.find("</script>", begin) - begin));
}

TEST(EscapeHtmlTest, LeavesNothingThatMarkupIsMadeOf) {
  EXPECT_EQ(EscapeHtml(R"(<a b="c">'&)"), "&lt;a b=&quot;c&quot;&gt;&#39;&amp;");
}

TEST(EscapeScriptTest, CannotEndOrNestTheScript) {
  EXPECT_EQ(EscapeScript("a='</script>';b='<!--'"), R"(a='<\/script>';b='<\!--')");
}

TEST(JsonForScriptTest, IsTheSameJsonWithoutAngleBrackets) {
  const Json value = {{"</script><script>", "<!-- & -->"}};
  const std::string text = JsonForScript(value);
  EXPECT_THAT(text, Not(HasSubstr("<")));
  EXPECT_THAT(text, Not(HasSubstr(">")));
  EXPECT_EQ(Json::parse(text), value);
}

TEST(JsonForScriptTest, BytesThatAreNoUtf8DoNotThrow) {
  EXPECT_THAT(JsonForScript(Json("a\xff")), HasSubstr("a\xEF\xBF\xBD"));
}

TEST(RenderHtmlTest, HoldsTheModelItRenders) { EXPECT_EQ(DataOf(Render(Model())), Model()); }

TEST(RenderHtmlTest, SameModelSameBytes) { EXPECT_EQ(Render(Model()), Render(Model())); }

TEST(RenderHtmlTest, AsksNothingOfTheNetwork) {
  const std::string markup = Markup(Render(Model()));
  EXPECT_THAT(markup, HasSubstr("default-src 'none'"));
  // Links are to places in this page, to files beside it, or data.
  const std::regex link("(?:src|href)=\"([^\"]*)\"");
  for (std::sregex_iterator it(markup.begin(), markup.end(), link), end; it != end; ++it) {
    const std::string target = (*it)[1];
    EXPECT_TRUE(target.starts_with("#") || target.starts_with("data:") ||
                target.find_first_of(":/") == std::string::npos)
        << target;
  }
  EXPECT_THAT(html_assets::Style(), Not(HasSubstr("url(")));
  EXPECT_THAT(html_assets::Style(), Not(HasSubstr("@import")));
}

TEST(RenderHtmlTest, CarriesTheChartingLibraryAndItsLicence) {
  const std::string page = Render(Model());
  EXPECT_GT(page.size(), 1'000'000u);
  EXPECT_THAT(page, HasSubstr("Licensed to the Apache Software Foundation"));
  EXPECT_THAT(Markup(page), Not(HasSubstr("<unclosed>")));
}

TEST(RenderHtmlTest, NamesThatAreMarkupStayText) {
  const std::string evil = "</script><script>alert(1)</script><!-- <img src=x>";
  Json model = Model();
  model["run"]["title"] = evil;
  model["headline"]["sentence"] = evil;
  model["headline"]["notes"] = {evil};
  model["queries"][0]["query"] = evil;
  const std::string page = Render(model);
  EXPECT_THAT(page, Not(HasSubstr("<script>alert")));
  EXPECT_THAT(page, Not(HasSubstr("<img src=x>")));
  EXPECT_EQ(DataOf(page), model);
}

TEST(RenderHtmlTest, PlaceholdersInNamesAreNotFilled) {
  Json model = Model();
  model["run"]["title"] = "{{summary}} {{nonsense}}";
  EXPECT_THAT(Render(model), HasSubstr("<title>{{summary}} {{nonsense}} - lakegauge report"));
}

TEST(RenderHtmlTest, AnswersReadersWithoutScripts) {
  const std::string markup = Markup(Render(Model()));
  EXPECT_THAT(markup, HasSubstr("<p>Twice as slow.</p>"));
  EXPECT_THAT(markup, HasSubstr("EMULATED"));
  EXPECT_THAT(markup, HasSubstr("derived from TPC-DS and are not comparable"));
}

TEST(RenderHtmlTest, AModelWithAlmostNothingStillMakesAPage) {
  EXPECT_THAT(Render({{"v", 1}}), HasSubstr("<title>lakegauge report</title>"));
  EXPECT_THAT(Render({{"v", 1}, {"run", nullptr}, {"headline", 3}}), HasSubstr("</html>"));
}

TEST(RenderHtmlTest, RefusesWhatItDoesNotKnow) {
  EXPECT_EQ(RenderHtml({{"v", 2}}).error().code, ErrorCode::kUnsupported);
  EXPECT_EQ(RenderHtml(Json::object()).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(RenderHtml(Json::array()).error().code, ErrorCode::kInvalidArgument);
}

TEST(HtmlAssetsTest, ScriptsEndWhereTheyShould) {
  EXPECT_THAT(html_assets::Page(), HasSubstr("{{summary}}"));
  EXPECT_EQ(html_assets::Page().back(), '\n');
  EXPECT_THAT(html_assets::Script(), ::testing::StartsWith("(() => {\n\"use strict\";\n"));
  EXPECT_THAT(html_assets::Script(), ::testing::EndsWith("main();\n})();\n"));
}

TEST(WriteHtmlTest, WritesThePage) {
  const std::string path = ::testing::TempDir() + "/html_test/deep/index.html";
  ASSERT_TRUE(WriteHtml(Model(), path).ok());
  EXPECT_EQ(*ReadFile(path), Render(Model()));
  std::filesystem::remove_all(::testing::TempDir() + "/html_test");
}

}  // namespace
}  // namespace lakegauge::report
