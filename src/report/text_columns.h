#pragma once
// Text for a terminal of 80 columns: wrapped paragraphs and aligned tables.
//
// Threads: pure functions. Units: widths in bytes (names and figures are ASCII).

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace lakegauge::report {

inline constexpr size_t kWidth = 80;

// Words in lines of at most kWidth; the first begins with `line`, later ones are indented.
std::vector<std::string> Wrapped(std::string_view text, size_t indent, std::string line = "");
std::string Paragraph(std::string_view text, size_t indent);
// Rows in columns: the first `left` to the left, the rest to the right; the widest left column is
// clipped until a line fits.
std::string AlignColumns(const std::vector<std::vector<std::string>>& rows, size_t left);

}  // namespace lakegauge::report
