#include "workload/answer.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <numeric>

#include "base/letters.h"
#include "workload/answer_rule.h"
#include "workload/answer_values.h"

namespace lakegauge::workload {
namespace {

constexpr size_t kShownRow = 160;  // characters of a row in a difference

using Row = std::vector<std::optional<std::string>>;

std::string Show(const Row& row) {
  std::string out;
  for (const auto& value : row) {
    if (!out.empty()) out += "|";
    out += value ? *value : "NULL";
    if (out.size() > kShownRow) return out.substr(0, kShownRow) + "...";
  }
  for (char& c : out) {
    if (c == '\n' || c == '\r') c = ' ';
  }
  return out;
}

bool SameName(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) {
    return std::tolower(static_cast<unsigned char>(x)) ==
           std::tolower(static_cast<unsigned char>(y));
  });
}

class Comparison {
 public:
  Comparison(const Answer& expected, const Answer& actual, const ResultOrder& order,
             const CompareOptions& options)
      : expected_(expected), actual_(actual), limit_(order.limit), options_(options) {
    for (size_t c = 0; c < actual.columns.size(); ++c) {
      kinds_.push_back(
          Joint(KindOfType(expected.columns[c].type), KindOfType(actual.columns[c].type)));
    }
    for (const auto& key : order.keys) {
      const int column = ColumnOf(key);
      if (column < 0) break;
      keys_.push_back(key);
      keys_.back().column = column;
    }
  }

  std::string Run() const {
    if (std::string out = OutOfOrder(); !out.empty()) return out;
    std::vector<int> expected(expected_.rows.size());
    std::vector<int> actual(actual_.rows.size());
    std::iota(expected.begin(), expected.end(), 0);
    std::iota(actual.begin(), actual.end(), 0);
    std::string difference = Match(expected, actual);
    if (difference.empty() || !LimitReached()) return difference;
    // Rows that tie with the last one may be others.
    if (!KeysEqual(expected_.rows.back(), actual_.rows.back())) return difference;
    const auto tied = [&](const Row& row) { return KeysEqual(row, actual_.rows.back()); };
    std::erase_if(expected, [&](int i) { return tied(expected_.rows[static_cast<size_t>(i)]); });
    std::erase_if(actual, [&](int i) { return tied(actual_.rows[static_cast<size_t>(i)]); });
    if (expected.size() != actual.size()) return difference;
    return Match(expected, actual);
  }

  std::string OutOfOrder() const {
    std::vector<SortKey::Nulls> nulls;
    for (const auto& key : keys_) nulls.push_back(key.nulls);
    for (size_t r = 1; r < actual_.rows.size(); ++r) {
      for (size_t k = 0; k < keys_.size(); ++k) {
        const auto c = static_cast<size_t>(keys_[k].column);
        const auto& before = actual_.rows[r - 1][c];
        const auto& after = actual_.rows[r][c];
        bool wrong = false;
        if (before && after) {
          const int order = Compare(*before, *after, c) * (keys_[k].descending ? -1 : 1);
          if (order == 0) continue;
          wrong = order > 0;
        } else if (before.has_value() == after.has_value()) {
          continue;
        } else {
          const auto seen = before ? SortKey::Nulls::kLast : SortKey::Nulls::kFirst;
          wrong = nulls[k] != SortKey::Nulls::kEither && nulls[k] != seen;
          nulls[k] = seen;
        }
        if (wrong) {
          return fmt::format("row {} is out of order by column {} ({}): {} after {}", r + 1, c + 1,
                             actual_.columns[c].name, after ? *after : "NULL",
                             before ? *before : "NULL");
        }
        break;
      }
    }
    return "";
  }

 private:
  int ColumnOf(const SortKey& key) const {
    const auto n = static_cast<int>(actual_.columns.size());
    if (key.column >= 0) return key.column < n ? key.column : -1;
    int found = -1;
    for (int c = 0; c < n; ++c) {
      if (!SameName(actual_.columns[static_cast<size_t>(c)].name, key.name)) continue;
      if (found >= 0) return -1;
      found = c;
    }
    return found;
  }

  bool LimitReached() const {
    return !keys_.empty() && limit_ > 0 && static_cast<int64_t>(actual_.rows.size()) == limit_;
  }

  bool FloatsEqual(double a, double b, std::string_view text_a, std::string_view text_b,
                   size_t column) const {
    const double scale = std::max(std::fabs(a), std::fabs(b));
    double allowed = std::max(kFloatAbsolute, kFloatTolerance * scale);
    if (KindOfType(expected_.columns[column].type) == ValueKind::kExact ||
        options_.expected_is_rounded) {
      allowed = std::max(allowed, HalfLastDigit(text_a) * (1 + 1e-9));
    }
    if (KindOfType(actual_.columns[column].type) == ValueKind::kExact &&
        !options_.expected_is_rounded) {
      allowed = std::max(allowed, HalfLastDigit(text_b) * (1 + 1e-9));
    }
    return std::fabs(a - b) <= allowed;
  }

  bool ValuesEqual(const std::optional<std::string>& a, const std::optional<std::string>& b,
                   size_t column) const {
    if (!a || !b) return !a && !b;
    if (kinds_[column] == ValueKind::kFloat) {
      const auto x = ParseFinite(*a);
      const auto y = ParseFinite(*b);
      if (x && y) return FloatsEqual(*x, *y, *a, *b, column);
    }
    return Normalise(*a, kinds_[column]) == Normalise(*b, kinds_[column]);
  }

  bool KeysEqual(const Row& a, const Row& b) const {
    return std::all_of(keys_.begin(), keys_.end(), [&](const SortKey& key) {
      const auto c = static_cast<size_t>(key.column);
      return ValuesEqual(a[c], b[c], c);
    });
  }

  // Whether `a` may stand before `b` in this column ascending: -1 yes and they differ, 0 equal, 1.
  int Compare(const std::string& a, const std::string& b, size_t column) const {
    if (kinds_[column] != ValueKind::kText && kinds_[column] != ValueKind::kUnknown) {
      const auto x = ParseFinite(a);
      const auto y = ParseFinite(b);
      if (x && y) {
        const double tolerance = kFloatTolerance * std::max(std::fabs(*x), std::fabs(*y));
        if (kinds_[column] == ValueKind::kFloat && std::fabs(*x - *y) <= tolerance) return 0;
        return *x < *y ? -1 : *x > *y ? 1 : 0;
      }
    }
    const int order = WithoutTrailingSpaces(a).compare(WithoutTrailingSpaces(b));
    return order < 0 ? -1 : order > 0 ? 1 : 0;
  }

  // What two rows must share to the byte to match.
  std::string ExactPart(const Row& row) const {
    std::string out;
    for (size_t c = 0; c < row.size(); ++c) {
      if (row[c] && kinds_[c] == ValueKind::kFloat && ParseFinite(*row[c])) {
        out += 'F';
      } else {
        AppendValue(row[c], kinds_[c], &out);
      }
    }
    return out;
  }

  bool RowsEqual(const Row& a, const Row& b) const {
    for (size_t c = 0; c < a.size(); ++c) {
      if (!ValuesEqual(a[c], b[c], c)) return false;
    }
    return true;
  }

  // One-to-one matching of rows; the first that finds none is the difference.
  std::string Match(const std::vector<int>& expected, const std::vector<int>& actual) const {
    std::map<std::string, std::pair<std::vector<int>, std::vector<int>>> groups;
    for (const int i : expected) {
      groups[ExactPart(expected_.rows[static_cast<size_t>(i)])].first.push_back(i);
    }
    for (const int i : actual) {
      groups[ExactPart(actual_.rows[static_cast<size_t>(i)])].second.push_back(i);
    }
    int missing = -1;
    int extra = -1;
    const auto note = [](int i, int* first) {
      if (i >= 0 && (*first < 0 || i < *first)) *first = i;
    };
    for (const auto& [exact, group] : groups) {
      const auto [without, surplus] = MatchGroup(group.first, group.second);
      note(without, &missing);
      note(surplus, &extra);
    }
    if (missing < 0 && extra < 0) return "";
    if (missing < 0) {
      return fmt::format("row {} was not expected: {}", extra + 1,
                         Show(actual_.rows[static_cast<size_t>(extra)]));
    }
    std::string text = fmt::format("row {} is missing: {}", missing + 1,
                                   Show(expected_.rows[static_cast<size_t>(missing)]));
    if (extra >= 0) {
      text += fmt::format("; found instead: {}", Show(actual_.rows[static_cast<size_t>(extra)]));
    }
    return text;
  }

  // Rows whose exact parts agree: a maximum matching by augmenting paths, so that no choice among
  // near values decides. Gives the first unmatched row of each side, or -1.
  std::pair<int, int> MatchGroup(const std::vector<int>& expected,
                                 const std::vector<int>& actual) const {
    std::vector<int> owner(actual.size(), -1);  // index into `expected`
    std::pair<int, int> unmatched{-1, -1};
    for (size_t e = 0; e < expected.size(); ++e) {
      std::vector<char> tried(actual.size(), 0);
      if (!Place(e, expected, actual, &tried, &owner) && unmatched.first < 0) {
        unmatched.first = expected[e];
      }
    }
    for (size_t a = 0; a < actual.size() && unmatched.second < 0; ++a) {
      if (owner[a] < 0) unmatched.second = actual[a];
    }
    return unmatched;
  }

  bool Place(size_t e, const std::vector<int>& expected, const std::vector<int>& actual,
             std::vector<char>* tried, std::vector<int>* owner) const {
    const Row& row = expected_.rows[static_cast<size_t>(expected[e])];
    // A free place first: the usual case, and no path is followed for it. Rows mostly stand at the
    // same place on both sides, so the search starts there.
    for (const bool follow : {false, true}) {
      for (size_t step = 0; step < actual.size(); ++step) {
        const size_t a = (e + step) % actual.size();
        if ((*tried)[a] != 0 || ((*owner)[a] >= 0) != follow) continue;
        if (!RowsEqual(row, actual_.rows[static_cast<size_t>(actual[a])])) continue;
        (*tried)[a] = 1;
        if (!follow || Place(static_cast<size_t>((*owner)[a]), expected, actual, tried, owner)) {
          (*owner)[a] = static_cast<int>(e);
          return true;
        }
      }
    }
    return false;
  }

  const Answer& expected_;
  const Answer& actual_;
  const int64_t limit_;
  const CompareOptions options_;
  std::vector<ValueKind> kinds_;
  std::vector<SortKey> keys_;
};

}  // namespace

std::string Normalise(std::string_view value, ValueKind kind) {
  if (kind == ValueKind::kExact || kind == ValueKind::kFloat) {
    if (auto decimal = CanonicalDecimal(value)) return *decimal;
  }
  std::string text(WithoutTrailingSpaces(value));
  if (kind == ValueKind::kFloat) {  // nan and inf, as engines write them
    text = Lower(text);
    if (text == "infinity" || text == "+inf") return "inf";
    if (text == "-infinity") return "-inf";
  }
  return text;
}

void AppendValue(const std::optional<std::string>& value, ValueKind kind, std::string* out) {
  if (!value) {
    *out += 'N';
    return;
  }
  const std::string text = Normalise(*value, kind);
  *out += fmt::format("V{}:", text.size());
  *out += text;
}

std::string Fingerprint(const Answer& answer) {
  std::vector<ValueKind> kinds;
  for (const auto& column : answer.columns) kinds.push_back(KindOfType(column.type));
  std::vector<std::string> rows;
  rows.reserve(answer.rows.size());
  for (const auto& row : answer.rows) {
    std::string& text = rows.emplace_back();
    for (size_t c = 0; c < row.size(); ++c) {
      if (row[c] && c < kinds.size() && kinds[c] == ValueKind::kFloat) {
        if (const auto number = ParseFinite(*row[c])) {
          text += "F" + CutToSevenDigits(*number) + ";";
          continue;
        }
      }
      AppendValue(row[c], c < kinds.size() ? kinds[c] : ValueKind::kText, &text);
    }
  }
  std::sort(rows.begin(), rows.end());
  std::string all = fmt::format("{} columns\n", answer.columns.size());
  for (const auto& row : rows) (all += row) += '\n';
  return fmt::format("{:016x}", XXH3_64bits(all.data(), all.size()));
}

std::string Compare(const Answer& expected, const Answer& actual, const ResultOrder& order,
                    const CompareOptions& options) {
  if (expected.columns.size() != actual.columns.size()) {
    return fmt::format("expected {} columns, found {}", expected.columns.size(),
                       actual.columns.size());
  }
  if (expected.rows.size() != actual.rows.size()) {
    return fmt::format("expected {} rows, found {}", expected.rows.size(), actual.rows.size());
  }
  return Comparison(expected, actual, order, options).Run();
}

std::string Difference(const Answer& expected, const Answer& actual, const ResultOrder& order) {
  return Compare(expected, actual, order, {});
}

std::string OutOfOrder(const Answer& actual, const ResultOrder& order) {
  return Comparison(actual, actual, order, {}).OutOfOrder();
}

Json ToJson(const Answer& answer) {
  Json columns = Json::array();
  for (const auto& column : answer.columns) {
    columns.push_back({{"name", column.name}, {"type", column.type}});
  }
  Json rows = Json::array();
  for (const auto& row : answer.rows) {
    Json out = Json::array();
    for (const auto& value : row) out.push_back(value ? Json(*value) : Json());
    rows.push_back(std::move(out));
  }
  return {{"columns", std::move(columns)}, {"rows", std::move(rows)}};
}

Result<Answer> AnswerFromJson(const Json& json) {
  const auto corrupt = [](std::string_view what) {
    return MakeError(ErrorCode::kCorrupt, fmt::format("an answer: {}", what));
  };
  if (!json.is_object() || !json.contains("columns") || !json["columns"].is_array() ||
      !json.contains("rows") || !json["rows"].is_array()) {
    return corrupt("expected an object with the lists columns and rows");
  }
  Answer answer;
  for (const auto& column : json["columns"]) {
    answer.columns.push_back(
        {JsonOr<std::string>(column, "name", ""), JsonOr<std::string>(column, "type", "")});
  }
  for (const auto& row : json["rows"]) {
    if (!row.is_array() || row.size() != answer.columns.size()) {
      return corrupt(fmt::format("row {} does not have {} values", answer.rows.size() + 1,
                                 answer.columns.size()));
    }
    auto& out = answer.rows.emplace_back();
    for (const auto& value : row) {
      if (value.is_null()) {
        out.emplace_back();
      } else if (value.is_string()) {
        out.emplace_back(value.get<std::string>());
      } else {
        return corrupt(fmt::format("row {}: a value is neither text nor null", answer.rows.size()));
      }
    }
  }
  return answer;
}

}  // namespace lakegauge::workload
