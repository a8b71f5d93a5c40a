#include "workload/official.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "base/files.h"
#include "sql/sql.h"
#include "workload/answer_rule.h"

namespace lakegauge::workload {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kScalePrefix = "sf";
// How the files write what has no text of its own (some write an empty text as nothing).
constexpr std::string_view kNull = "NULL";
constexpr std::string_view kEmpty = "(empty)";

fs::path AnswersFolder() {
  return (fs::path(sql::ExtensionFolder()) / ".." / "answers" / "tpcds").lexically_normal();
}

std::string FolderOf(double scale) { return fmt::format("{}{}", kScalePrefix, scale); }

std::vector<std::string_view> Split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const size_t at = text.find(separator);
    parts.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

Result<Answer> ParseAnswer(std::string_view text, const std::string& path) {
  Answer answer;
  int number = 0;
  for (std::string_view line : Split(text, '\n')) {
    ++number;
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty()) continue;
    const auto fields = Split(line, '|');
    if (answer.columns.empty()) {
      for (const auto field : fields) answer.columns.push_back({std::string(field), ""});
      continue;
    }
    if (fields.size() != answer.columns.size()) {
      return MakeError(ErrorCode::kCorrupt,
                       fmt::format("{}:{}: {} fields where the header has {}", path, number,
                                   fields.size(), answer.columns.size()));
    }
    auto& row = answer.rows.emplace_back();
    for (const auto field : fields) {
      if (field == kNull) {
        row.emplace_back();
      } else {
        row.emplace_back(field == kEmpty ? std::string_view() : field);
      }
    }
  }
  if (answer.columns.empty()) {
    return MakeError(ErrorCode::kCorrupt, fmt::format("{}: no header line", path));
  }
  return answer;
}

}  // namespace

std::vector<double> OfficialScales() {
  std::vector<double> scales;
  std::error_code error;
  for (auto entry = fs::directory_iterator(AnswersFolder(), error);
       !error && entry != fs::directory_iterator(); entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    double scale = 0;
    const char* end = name.data() + name.size();
    if (name.starts_with(kScalePrefix) &&
        std::from_chars(name.data() + kScalePrefix.size(), end, scale).ptr == end) {
      scales.push_back(scale);
    }
  }
  std::sort(scales.begin(), scales.end());
  return scales;
}

Result<std::optional<Answer>> OfficialAnswer(const std::string& query, double scale) {
  std::optional<Answer> none;
  if (query.size() != 3 || query.front() != 'q') return none;
  const fs::path path = AnswersFolder() / FolderOf(scale) / (query.substr(1) + ".csv");
  std::error_code error;
  if (!fs::exists(path, error)) return none;
  LG_ASSIGN_OR_RETURN(const std::string text, ReadFile(path.string()));
  LG_ASSIGN_OR_RETURN(Answer answer, ParseAnswer(text, path.string()));
  return std::optional<Answer>(std::move(answer));
}

std::string OfficialDifference(const Answer& official, const Answer& actual,
                               const ResultOrder& order) {
  CompareOptions options;
  options.expected_is_rounded = true;
  // The files write NULL and '' in their own way; where one side has no text at all, neither has
  // the other.
  const auto fold = [&](Answer answer) {
    for (auto& row : answer.rows) {
      for (auto& value : row) {
        if (value && value->empty()) value.reset();
      }
    }
    return answer;
  };
  return Compare(fold(official), fold(actual), order, options);
}

}  // namespace lakegauge::workload
