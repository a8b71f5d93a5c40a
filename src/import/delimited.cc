#include "import/delimited.h"

#include <algorithm>
#include <utility>

namespace lakegauge::imports {

char DelimiterOf(std::string_view header_line) {
  constexpr std::string_view kDelimiters = ",;|\t";
  int64_t counts[kDelimiters.size()] = {};
  bool quoted = false;
  for (const char c : header_line) {
    if (c == '"') quoted = !quoted;
    const size_t which = kDelimiters.find(c);
    if (!quoted && which != std::string_view::npos) ++counts[which];
  }
  return kDelimiters[static_cast<size_t>(std::max_element(std::begin(counts), std::end(counts)) -
                                         std::begin(counts))];
}

std::optional<Record> DelimitedReader::Next() {
  while (at_ < text_.size() && (text_[at_] == '\n' || text_[at_] == '\r')) {
    if (text_[at_++] == '\n') ++line_;
  }
  if (at_ >= text_.size()) return std::nullopt;
  Record record;
  record.line = line_;
  const size_t begin = at_;
  std::string field;
  bool quoted = false;      // inside quotes now
  bool was_quoted = false;  // this field began with one
  bool odd_quotes = false;  // text follows a closing quote
  for (; at_ < text_.size(); ++at_) {
    const char c = text_[at_];
    if (quoted) {
      if (c == '\n') ++line_;
      if (c != '"') {
        field += c;
      } else if (at_ + 1 < text_.size() && text_[at_ + 1] == '"') {
        field += c;
        ++at_;
      } else {
        quoted = false;
      }
      continue;
    }
    if (c == '\n') break;
    if (c == delimiter_) {
      record.fields.push_back(std::exchange(field, {}));
      was_quoted = false;
    } else if (c == '"' && field.empty() && !was_quoted) {
      quoted = was_quoted = true;
    } else if (c == '\r' && (at_ + 1 == text_.size() || text_[at_ + 1] == '\n')) {
      continue;
    } else {
      odd_quotes = odd_quotes || was_quoted;
      field += c;
    }
  }
  const bool over_lines =
      odd_quotes && line_ > record.line;  // closed by a quote that opens another
  if (quoted || over_lines) {             // this line is lost, the next ones are not
    at_ = std::min(text_.find('\n', begin), text_.size());
    line_ = record.line;
    record.fields.clear();
    record.problem = "a quote is opened and not closed";
  } else {
    record.fields.push_back(std::move(field));
    if (odd_quotes) record.problem = "text stands after a closing quote";
  }
  if (at_ < text_.size()) {
    ++at_;
    ++line_;
  }
  return record;
}

}  // namespace lakegauge::imports
