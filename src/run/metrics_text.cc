#include "run/metrics_text.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <map>
#include <optional>
#include <utility>

namespace lakegauge::run {
namespace {

using record::SampleKind;

constexpr size_t kMostNumberBytes = 64;

bool IsBlank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

bool IsNameChar(char c, bool first) {
  return c == '_' || c == ':' || std::isalpha(static_cast<unsigned char>(c)) != 0 ||
         (!first && std::isdigit(static_cast<unsigned char>(c)) != 0);
}

void SkipBlanks(std::string_view& text) {
  while (!text.empty() && IsBlank(text.front())) text.remove_prefix(1);
}

std::string_view TakeName(std::string_view& text) {
  size_t size = 0;
  while (size < text.size() && IsNameChar(text[size], size == 0)) ++size;
  const std::string_view name = text.substr(0, size);
  text.remove_prefix(size);
  return name;
}

std::string_view TakeWord(std::string_view& text) {
  SkipBlanks(text);
  size_t size = 0;
  while (size < text.size() && !IsBlank(text[size])) ++size;
  const std::string_view word = text.substr(0, size);
  text.remove_prefix(size);
  return word;
}

// "quoted \"text\"" without its quotes; nullopt where it has no end.
std::optional<std::string> TakeQuoted(std::string_view& text) {
  if (text.empty() || text.front() != '"') return std::nullopt;
  std::string value;
  for (size_t i = 1; i < text.size(); ++i) {
    if (text[i] == '"') {
      text.remove_prefix(i + 1);
      return value;
    }
    if (text[i] == '\\' && i + 1 < text.size()) {
      ++i;
      value += text[i] == 'n' ? '\n' : text[i];
    } else {
      value += text[i];
    }
  }
  return std::nullopt;
}

// "{a="b",c="d"}" as "a=b,c=d"; empty text where there are none, nullopt where they are broken.
std::optional<std::string> TakeLabels(std::string_view& text) {
  SkipBlanks(text);
  if (text.empty() || text.front() != '{') return std::string();
  text.remove_prefix(1);
  std::map<std::string, std::string> labels;
  while (true) {
    SkipBlanks(text);
    if (!text.empty() && text.front() == '}') break;
    const std::string name(TakeName(text));
    SkipBlanks(text);
    if (name.empty() || text.empty() || text.front() != '=') return std::nullopt;
    text.remove_prefix(1);
    SkipBlanks(text);
    auto value = TakeQuoted(text);
    if (!value) return std::nullopt;
    labels[name] = *std::move(value);
    SkipBlanks(text);
    if (!text.empty() && text.front() == ',') text.remove_prefix(1);
  }
  text.remove_prefix(1);
  std::string joined;
  for (const auto& [name, value] : labels) {
    joined += joined.empty() ? "" : ",";
    joined += name;
    joined += '=';
    joined += value;
  }
  return joined;
}

// As strtod reads it, which knows NaN and Inf: Go prints numbers no other way.
std::optional<double> TakeNumber(std::string_view& text) {
  const std::string word(TakeWord(text));
  if (word.empty() || word.size() > kMostNumberBytes) return std::nullopt;
  char* end = nullptr;
  const double value = std::strtod(word.c_str(), &end);
  if (end != word.c_str() + word.size()) return std::nullopt;
  return value;
}

bool EndsLikeACounter(std::string_view name) {
  return name.ends_with("_total") || name.ends_with("_count") || name.ends_with("_sum") ||
         name.ends_with("_bucket");
}

class Kinds {
 public:
  // "TYPE name counter", of a comment.
  void Read(std::string_view comment) {
    if (TakeWord(comment) != "TYPE") return;
    const std::string name(TakeWord(comment));
    const std::string_view type = TakeWord(comment);
    for (const std::string_view known : {"counter", "gauge", "histogram", "summary"}) {
      if (type == known) types_[name] = type;
    }
  }
  SampleKind Of(std::string_view name) const {
    if (const auto own = types_.find(name); own != types_.end()) {
      // A summary's own name carries its quantiles.
      return own->second == "counter" ? SampleKind::kCounter : SampleKind::kGauge;
    }
    for (const std::string_view ending : {"_total", "_count", "_sum", "_bucket"}) {
      if (!name.ends_with(ending)) continue;
      const auto of = types_.find(name.substr(0, name.size() - ending.size()));
      if (of != types_.end() && of->second != "gauge") return SampleKind::kCounter;
    }
    return EndsLikeACounter(name) ? SampleKind::kCounter : SampleKind::kGauge;
  }

 private:
  std::map<std::string, std::string, std::less<>> types_;
};

}  // namespace

MetricsText ParseMetricsText(std::string_view text,
                             const std::function<bool(std::string_view)>& wanted) {
  MetricsText read;
  Kinds kinds;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    SkipBlanks(line);
    if (line.empty()) continue;
    if (line.front() == '#') {
      line.remove_prefix(1);
      kinds.Read(line);
      continue;
    }
    const std::string_view name = TakeName(line);
    if (name.empty()) {
      ++read.bad_lines;
      continue;
    }
    if (!wanted(name)) continue;
    auto labels = TakeLabels(line);
    const auto value = labels ? TakeNumber(line) : std::nullopt;
    if (!value) {
      ++read.bad_lines;
      continue;
    }
    // What may follow, a timestamp or an exemplar, is not ours to know: the sample has its own
    // time.
    if (!std::isfinite(*value)) continue;
    read.values.push_back({std::string(name), *std::move(labels), kinds.Of(name), *value});
  }
  return read;
}

}  // namespace lakegauge::run
