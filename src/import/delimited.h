#pragma once
// Delimited text as spreadsheets, scripts and JMeter write it: RFC 4180 quotes, any of , ; | and
// tab as delimiter, with the line on which each record begins. Damage costs the record it is in: a
// quote that is never closed makes one bad line, not the rest of the file.
//
// Threads: one thread at a time. Owns nothing: the text must outlive it.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lakegauge::imports {

struct Record {
  std::vector<std::string> fields;
  int64_t line = 0;     // from 1
  std::string problem;  // not empty: the line could not be read, and why
};

// The one of , ; | and tab that a header uses most outside quotes; ',' where there is none.
char DelimiterOf(std::string_view header_line);

class DelimitedReader {
 public:
  DelimitedReader(std::string_view text, char delimiter) : text_(text), delimiter_(delimiter) {}
  // The next record that is not an empty line; absent at the end.
  std::optional<Record> Next();

 private:
  std::string_view text_;
  char delimiter_;
  size_t at_ = 0;
  int64_t line_ = 1;
};

}  // namespace lakegauge::imports
