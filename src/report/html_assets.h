#pragma once
// Hides where the page's template, styles, scripts and the charting library come from: they are
// part of the binary, put there by the assembler at build time.
//
// Threads: constants. Owns: the views last as long as the program.

#include <string>
#include <string_view>

namespace lakegauge::report::html_assets {

std::string_view Page();     // html/page.html, with {{placeholders}}
std::string Style();         // html/*.css in the order of the cascade
std::string Script();        // html/*.js in one scope, in the order they need one another
std::string_view Echarts();  // echarts.min.js, as released

}  // namespace lakegauge::report::html_assets
