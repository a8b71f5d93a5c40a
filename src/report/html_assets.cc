#include "report/html_assets.h"

// CMakeLists.txt names the folders and makes this file depend on everything embedded here.
#define LG_EMBED(name, path)                                                              \
  __asm__(                                                                                \
      ".pushsection .rodata\n"                                                            \
      ".global lg_asset_" #name                                                           \
      "\n"                                                                                \
      "lg_asset_" #name                                                                   \
      ":\n"                                                                               \
      ".incbin \"" path                                                                   \
      "\"\n"                                                                              \
      ".global lg_asset_end_" #name                                                       \
      "\n"                                                                                \
      "lg_asset_end_" #name                                                               \
      ":\n"                                                                               \
      ".byte 0\n"                                                                         \
      ".popsection\n");                                                                   \
  extern "C" {                                                                            \
  extern const char lg_asset_##name[];                                                    \
  extern const char lg_asset_end_##name[];                                                \
  }                                                                                       \
  static std::string_view name() {                                                        \
    return {lg_asset_##name, static_cast<size_t>(lg_asset_end_##name - lg_asset_##name)}; \
  }

LG_EMBED(page_html, LG_HTML_DIR "/page.html")
LG_EMBED(base_css, LG_HTML_DIR "/base.css")
LG_EMBED(parts_css, LG_HTML_DIR "/parts.css")
LG_EMBED(format_js, LG_HTML_DIR "/format.js")
LG_EMBED(dom_js, LG_HTML_DIR "/dom.js")
LG_EMBED(model_js, LG_HTML_DIR "/model.js")
LG_EMBED(table_js, LG_HTML_DIR "/table.js")
LG_EMBED(chart_js, LG_HTML_DIR "/chart.js")
LG_EMBED(answer_js, LG_HTML_DIR "/answer.js")
LG_EMBED(suite_js, LG_HTML_DIR "/suite.js")
LG_EMBED(queries_js, LG_HTML_DIR "/queries.js")
LG_EMBED(bottleneck_js, LG_HTML_DIR "/bottleneck.js")
LG_EMBED(storage_js, LG_HTML_DIR "/storage.js")
LG_EMBED(cost_js, LG_HTML_DIR "/cost.js")
LG_EMBED(resources_js, LG_HTML_DIR "/resources.js")
LG_EMBED(record_js, LG_HTML_DIR "/record.js")
LG_EMBED(main_js, LG_HTML_DIR "/main.js")
LG_EMBED(echarts_js, LG_ECHARTS_FILE)

namespace lakegauge::report::html_assets {

std::string_view Page() { return page_html(); }

std::string Style() {
  std::string out;
  for (const std::string_view part : {base_css(), parts_css()}) out.append(part);
  return out;
}

std::string Script() {
  std::string out = "(() => {\n\"use strict\";\n";
  for (const std::string_view part :
       {format_js(), dom_js(), model_js(), table_js(), chart_js(), answer_js(), suite_js(),
        queries_js(), bottleneck_js(), storage_js(), resources_js(), cost_js(), record_js(),
        main_js()}) {
    out.append(part);
  }
  return out + "})();\n";
}

std::string_view Echarts() { return echarts_js(); }

}  // namespace lakegauge::report::html_assets
