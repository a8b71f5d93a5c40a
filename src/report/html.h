#pragma once
// Hides the report page: one self-contained index.html that renders a result model (summary.json
// of docs/formats.md) with its charts, styles and scripts inlined, and asks the network for
// nothing.
//
// Threads: independent calls. Errors: kUnsupported for a model newer than this page knows,
// kInvalidArgument for what is no model; ErrnoError where the file cannot be written.
// Cost: the page is the charting library (1.1 MB) and twice the model in memory.

#include <string>
#include <string_view>

#include "base/json.h"
#include "base/result.h"

namespace lakegauge::report {

// The whole page. The same model gives the same bytes.
Result<std::string> RenderHtml(const Json& summary);
Status WriteHtml(const Json& summary, const std::string& path);

// What makes names from outside inert where they stand in the page.
std::string EscapeHtml(std::string_view text);      // as text or in a quoted attribute
std::string EscapeScript(std::string_view script);  // our own code inside <script>
std::string JsonForScript(const Json& value);       // data inside <script>, still JSON

}  // namespace lakegauge::report
