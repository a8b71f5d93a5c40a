#include "import/query_name.h"

#include <fmt/format.h>

#include <cctype>
#include <optional>

#include "base/letters.h"

namespace lakegauge::imports {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

std::string_view Trimmed(std::string_view text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front())) != 0) {
    text.remove_prefix(1);
  }
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())) != 0) {
    text.remove_suffix(1);
  }
  return text;
}

// Takes "-v2.4" or "_v1.4" off the end.
std::string_view WithoutVersion(std::string_view name) {
  size_t at = name.size();
  while (at > 0 && IsDigit(name[at - 1])) --at;
  if (at == name.size() || at == 0 || name[at - 1] != '.') return name;
  size_t major = --at;
  while (at > 0 && IsDigit(name[at - 1])) --at;
  if (at == major || at < 3) return name;
  const bool version =
      (name[at - 1] == 'v' || name[at - 1] == 'V') && (name[at - 2] == '-' || name[at - 2] == '_');
  return version ? name.substr(0, at - 2) : name;
}

bool Take(std::string_view* text, std::string_view word) {
  if (!text->starts_with(word)) return false;
  text->remove_prefix(word.size());
  return true;
}

bool HasParts(int number) { return number == 14 || number == 23 || number == 24 || number == 39; }

// What follows the number: "", "a", or "_1", "_part1" and the like of a query with parts.
std::optional<std::string> Part(std::string_view rest, int number) {
  if (rest.empty()) return "";
  if (rest.size() == 1 && rest[0] >= 'a' && rest[0] <= 'd') return std::string(rest);
  if (!HasParts(number) || (rest[0] != '_' && rest[0] != '-')) return std::nullopt;
  rest.remove_prefix(1);
  Take(&rest, "part");
  Take(&rest, "_");
  if (rest.size() == 1 && rest[0] >= '1' && rest[0] <= '4') {
    return std::string(1, static_cast<char>('a' + (rest[0] - '1')));
  }
  if (rest.size() == 1 && rest[0] >= 'a' && rest[0] <= 'd') return std::string(rest);
  return std::nullopt;
}

}  // namespace

std::string NormalQueryName(std::string_view name) {
  const std::string_view trimmed = Trimmed(name);
  std::string_view plain = trimmed;
  if (plain.size() > 4 && Lower(plain.substr(plain.size() - 4)) == ".sql") plain.remove_suffix(4);
  plain = WithoutVersion(plain);
  const std::string lower = Lower(plain);
  std::string_view rest = lower;
  const bool word = Take(&rest, "query") || Take(&rest, "q");
  if (word && !rest.empty() && (rest[0] == '_' || rest[0] == '-' || rest[0] == ' ')) {
    rest.remove_prefix(1);
  }
  size_t digits = 0;
  while (digits < rest.size() && IsDigit(rest[digits])) ++digits;
  if (digits == 0 || digits > 3) return std::string(plain.empty() ? trimmed : plain);
  int number = 0;
  for (const char c : rest.substr(0, digits)) number = number * 10 + (c - '0');
  const auto part = Part(rest.substr(digits), number);
  if (!part) return std::string(plain);
  return fmt::format("q{:02}{}", number, *part);
}

}  // namespace lakegauge::imports
