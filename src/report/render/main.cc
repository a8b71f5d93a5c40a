// render_html SUMMARY.json OUT.html: the report page of a result model, for the browser tests and
// for working on the page.

#include <cstdio>

#include "report/html.h"

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "Usage: render_html SUMMARY.json OUT.html\n");
    return 2;
  }
  const auto summary = lakegauge::ReadJsonFile(argv[1]);
  if (!summary.ok()) {
    std::fprintf(stderr, "render_html: %s\n", summary.error().message.c_str());
    return 1;
  }
  const auto written = lakegauge::report::WriteHtml(*summary, argv[2]);
  if (!written.ok()) {
    std::fprintf(stderr, "render_html: %s\n", written.error().message.c_str());
    return 1;
  }
  return 0;
}
