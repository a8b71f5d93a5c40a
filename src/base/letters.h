#pragma once
// A text in lower case: letters of ASCII alone, whatever the locale; other bytes stay.
//
// Threads: pure.

#include <string>
#include <string_view>

namespace lakegauge {

inline std::string Lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

}  // namespace lakegauge
