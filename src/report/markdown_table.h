#pragma once
// A table of GitHub-flavoured Markdown, row by row. Cells are escaped by the caller.
//
// Threads: one thread at a time.

#include <fmt/format.h>

#include <initializer_list>
#include <string>

namespace lakegauge::report {

// A table whose columns after the first `left` stand to the right.
class MarkdownTable {
 public:
  MarkdownTable(std::initializer_list<const char*> columns, size_t left) {
    std::string rule = "|";
    size_t i = 0;
    text_ = "|";
    for (const char* column : columns) {
      text_ += fmt::format(" {} |", column);
      rule += i++ < left ? " --- |" : " ---: |";
    }
    text_ += "\n" + rule + "\n";
  }
  void Row(std::initializer_list<std::string> cells) {
    text_ += "|";
    for (const std::string& cell : cells) text_ += fmt::format(" {} |", cell);
    text_ += "\n";
    ++rows_;
  }
  // Nothing where there is no row.
  std::string Under(const char* heading) const {
    return rows_ == 0 ? "" : fmt::format("\n## {}\n\n{}", heading, text_);
  }
  int rows() const { return rows_; }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
  int rows_ = 0;
};

}  // namespace lakegauge::report
