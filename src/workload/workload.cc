#include "workload/workload.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <map>
#include <numeric>
#include <set>
#include <system_error>

#include "base/files.h"
#include "base/letters.h"
#include "sql/sql.h"
#include "workload/natural_order.h"
#include "workload/order_of_sql.h"

namespace lakegauge::workload {
namespace {

namespace fs = std::filesystem;

constexpr int kTpcdsQueries = 99;

// SplitMix64 (Steele, Lea, Flood 2014): eight lines that give the same draws everywhere, which
// std::shuffle and the standard's distributions do not promise.
class Draws {
 public:
  explicit Draws(uint64_t seed) : state_(seed) {}
  uint64_t Next() {
    uint64_t z = (state_ += 0x9E3779B97F4A7C15ULL);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    return z ^ (z >> 31);
  }
  // 0 .. n-1, each as likely: draws from the incomplete last run are thrown away.
  uint64_t Below(uint64_t n) {
    const uint64_t whole = UINT64_MAX - UINT64_MAX % n;
    uint64_t draw = Next();
    while (draw >= whole) draw = Next();
    return draw % n;
  }
  void Shuffle(std::vector<int>& items) {
    for (size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[Below(i)]);
  }

 private:
  uint64_t state_;
};

std::string TpcdsName(int number) { return fmt::format("q{:02}", number); }

bool IsUtf8(std::string_view text) {
  for (size_t i = 0; i < text.size();) {
    const auto lead = static_cast<unsigned char>(text[i]);
    const size_t n = lead < 0x80                    ? 1
                     : lead >= 0xC2 && lead <= 0xDF ? 2
                     : (lead & 0xF0) == 0xE0        ? 3
                     : lead >= 0xF0 && lead <= 0xF4 ? 4
                                                    : 0;
    if (n == 0 || i + n > text.size()) return false;
    for (size_t k = 1; k < n; ++k) {
      if ((static_cast<unsigned char>(text[i + k]) & 0xC0) != 0x80) return false;
    }
    i += n;
  }
  return true;
}

// Whether anything is left of SQL without its comments, blanks and ';'.
bool SaysSomething(std::string_view sql) {
  for (size_t i = 0; i < sql.size(); ++i) {
    if (sql.substr(i, 2) == "--") {
      while (i < sql.size() && sql[i] != '\n') ++i;
    } else if (sql.substr(i, 2) == "/*") {
      const size_t end = sql.find("*/", i + 2);
      if (end == std::string_view::npos) return false;
      i = end + 1;
    } else if (sql[i] != ';' && std::isspace(static_cast<unsigned char>(sql[i])) == 0) {
      return true;
    }
  }
  return false;
}

std::string NameOfFile(const fs::path& path) {
  std::string name = path.stem().string();
  for (char& c : name) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80 && std::isalnum(byte) == 0 && c != '.' && c != '-' && c != '_') c = '_';
  }
  return name;
}

Result<Query> ReadQuery(const fs::path& path, OrderReader& orders) {
  LG_ASSIGN_OR_RETURN(std::string sql, ReadFile(path.string()));
  if (sql.starts_with("\xEF\xBB\xBF")) sql.erase(0, 3);  // byte order mark
  if (!IsUtf8(sql) || sql.find('\0') != std::string::npos) {
    return MakeError(ErrorCode::kInvalidArgument,
                     fmt::format("{}: not UTF-8 text, so not a query", path.string()));
  }
  if (!SaysSomething(sql)) {
    return MakeError(ErrorCode::kInvalidArgument, fmt::format("{}: no query in it", path.string()));
  }
  Query query;
  query.name = NameOfFile(path);
  query.source = path.string();
  query.order = orders.Read(sql);
  query.sql = std::move(sql);
  return query;
}

Status AddTpcds(const std::vector<int>& numbers, OrderReader& orders, std::vector<Query>* out) {
  for (const int number : numbers) {
    if (number < 1 || number > kTpcdsQueries) {
      return MakeError(
          ErrorCode::kInvalidArgument,
          fmt::format("there is no TPC-DS query {}; allowed: 1 to {}", number, kTpcdsQueries));
    }
  }
  sql::DatabaseOptions options;
  options.settings = {{"threads", "1"}};
  options.extensions = {"tpcds"};
  LG_ASSIGN_OR_RETURN(const sql::Database database, sql::Database::Open(options));
  auto shared = database;
  LG_ASSIGN_OR_RETURN(sql::Connection connection, shared.Connect());
  LG_ASSIGN_OR_RETURN(const sql::Rows rows,
                      connection.Query("SELECT query_nr, query FROM tpcds_queries()"));
  std::map<int, std::string> texts;
  for (const auto& row : rows.rows) {
    texts[static_cast<int>(sql::ToInt(row.at(0)))] = sql::ToText(row.at(1));
  }
  for (const int number : numbers) {
    const auto found = texts.find(number);
    if (found == texts.end()) {
      return MakeError(ErrorCode::kInternal,
                       fmt::format("the tpcds extension has no query {}", number));
    }
    out->push_back({TpcdsName(number), found->second, "tpcds", orders.Read(found->second)});
  }
  return {};
}

Status AddPath(const std::string& given, const std::string& base_dir, OrderReader& orders,
               std::vector<Query>* out) {
  fs::path path = given;
  if (path.is_relative()) path = fs::path(base_dir) / path;
  path = path.lexically_normal();
  std::error_code error;
  if (!fs::is_directory(path, error)) {
    if (!fs::exists(path, error)) {
      return MakeError(ErrorCode::kNotFound,
                       fmt::format("{}: no such file or folder of queries", path.string()));
    }
    LG_ASSIGN_OR_RETURN(Query query, ReadQuery(path, orders));
    out->push_back(std::move(query));
    return {};
  }
  std::vector<fs::path> files;
  for (auto entry = fs::directory_iterator(path, error);
       !error && entry != fs::directory_iterator(); entry.increment(error)) {
    std::error_code ignored;
    if (entry->path().extension() == ".sql" && entry->is_regular_file(ignored)) {
      files.push_back(entry->path());
    }
  }
  if (error) return ErrnoError(path.string(), error.value());
  if (files.empty()) {
    return MakeError(ErrorCode::kNotFound, fmt::format("{}: no .sql file in it", path.string()));
  }
  std::sort(files.begin(), files.end(), [](const fs::path& a, const fs::path& b) {
    return NaturallyBefore(a.filename().string(), b.filename().string());
  });
  for (const auto& file : files) {
    LG_ASSIGN_OR_RETURN(Query query, ReadQuery(file, orders));
    out->push_back(std::move(query));
  }
  return {};
}

}  // namespace

std::string NormaliseName(std::string_view name) {
  std::string_view digits = name;
  const std::string lower = Lower(name);
  for (const std::string_view prefix : {"query", "q"}) {
    if (lower.starts_with(prefix)) {
      digits.remove_prefix(prefix.size());
      break;
    }
  }
  if (digits.empty() || digits.size() > 3) return std::string(name);
  int number = 0;
  for (const char c : digits) {
    if (std::isdigit(static_cast<unsigned char>(c)) == 0) return std::string(name);
    number = number * 10 + (c - '0');
  }
  return number >= 1 && number <= kTpcdsQueries ? TpcdsName(number) : std::string(name);
}

Result<std::vector<Query>> Resolve(const QuerySelection& selection, const std::string& base_dir,
                                   const std::vector<dataset::TableDef>& bulk) {
  std::vector<Query> queries;
  OrderReader orders;
  std::vector<int> numbers = selection.tpcds;
  if (selection.all_tpcds) {
    numbers.resize(kTpcdsQueries);
    std::iota(numbers.begin(), numbers.end(), 1);
  }
  if (!numbers.empty()) LG_RETURN_IF_ERROR(AddTpcds(numbers, orders, &queries));
  for (const auto& path : selection.paths) {
    LG_RETURN_IF_ERROR(AddPath(path, base_dir, orders, &queries));
  }
  for (const auto& scan : selection.scans) {
    LG_ASSIGN_OR_RETURN(std::string sql, ScanSql(scan, bulk));
    queries.push_back({scan, std::move(sql), "generated", {}});
  }
  std::map<std::string, const Query*> by_name;
  for (const auto& query : queries) {
    const auto [other, added] = by_name.emplace(query.name, &query);
    if (!added) {
      return MakeError(ErrorCode::kInvalidArgument,
                       fmt::format("two queries are called '{}': from {} and from {}", query.name,
                                   other->second->source, query.source));
    }
  }
  if (queries.empty()) return MakeError(ErrorCode::kInvalidArgument, "no query was selected");
  return queries;
}

std::vector<int> OrderOf(int n, Order order, uint64_t seed, int stream, int iteration) {
  std::vector<int> indexes(static_cast<size_t>(std::max(n, 0)));
  std::iota(indexes.begin(), indexes.end(), 0);
  if (n < 2) return indexes;
  if (order == Order::kFixed) {
    if (stream == 0) return indexes;
    std::vector<int> rotations(indexes.begin() + 1, indexes.end());
    Draws(seed).Shuffle(rotations);
    const int by = rotations[static_cast<size_t>(stream - 1) % rotations.size()];
    std::rotate(indexes.begin(), indexes.begin() + by, indexes.end());
    return indexes;
  }
  // Each of seed, stream and iteration goes through the generator, so that neighbours share
  // nothing.
  uint64_t state = Draws(seed).Next();
  state = Draws(state ^ static_cast<uint64_t>(stream)).Next();
  state = Draws(state ^ static_cast<uint64_t>(iteration)).Next();
  Draws(state).Shuffle(indexes);
  return indexes;
}

}  // namespace lakegauge::workload
