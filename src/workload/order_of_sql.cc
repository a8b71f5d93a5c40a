// ORDER BY and LIMIT of a query, from DuckDB's own parser (json_serialize_sql).
#include "workload/order_of_sql.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/letters.h"

namespace lakegauge::workload {
namespace {

// The expression without what does not change its meaning: place in the text and alias.
Json Bare(const Json& expression) {
  if (expression.is_array()) {
    Json out = Json::array();
    for (const auto& item : expression) out.push_back(Bare(item));
    return out;
  }
  if (!expression.is_object()) return expression;
  Json out = Json::object();
  for (const auto& [key, value] : expression.items()) {
    if (key != "query_location" && key != "alias") out[key] = Bare(value);
  }
  return out;
}

std::string LastNameOf(const Json& column_ref) {
  const auto names = column_ref.find("column_names");
  if (names == column_ref.end() || !names->is_array() || names->empty()) return "";
  return Lower(names->back().get<std::string>());
}

std::string OutputName(const Json& selected) {
  const auto alias = JsonOr<std::string>(selected, "alias", "");
  if (!alias.empty()) return Lower(alias);
  return JsonOr<std::string>(selected, "class", "") == "COLUMN_REF" ? LastNameOf(selected) : "";
}

// The SELECT whose names the result carries: the leftmost of a set operation.
const Json* NamingSelect(const Json& node) {
  const Json* at = &node;
  while (at->is_object() && at->contains("left")) at = &(*at)["left"];
  return at->is_object() && at->contains("select_list") ? &(*at)["select_list"] : nullptr;
}

// The output column an ORDER BY expression stands for, or nullopt.
std::optional<SortKey> KeyOf(const Json& expression, const Json& select_list) {
  SortKey key;
  const auto kind = JsonOr<std::string>(expression, "class", "");
  const bool star = std::any_of(select_list.begin(), select_list.end(), [](const Json& item) {
    return JsonOr<std::string>(item, "class", "") == "STAR";
  });
  if (kind == "CONSTANT") {
    const auto value = expression.find("value");
    if (value == expression.end()) return std::nullopt;
    key.column = JsonOr<int>(*value, "value", 0) - 1;
    if (key.column < 0) return std::nullopt;
    return key;
  }
  if (kind == "COLUMN_REF") {
    const std::string name = LastNameOf(expression);
    int found = -1;
    for (size_t i = 0; i < select_list.size(); ++i) {
      if (OutputName(select_list[i]) != name) continue;
      if (found >= 0) return std::nullopt;  // two columns of that name
      found = static_cast<int>(i);
    }
    if (found >= 0 && !star) {
      key.column = found;
      return key;
    }
    if (star) {
      key.name = name;
      return key;
    }
  }
  if (star) return std::nullopt;
  const Json bare = Bare(expression);
  for (size_t i = 0; i < select_list.size(); ++i) {
    if (Bare(select_list[i]) == bare) {
      key.column = static_cast<int>(i);
      return key;
    }
  }
  return std::nullopt;
}

ResultOrder OrderOfNode(const Json& node) {
  ResultOrder order;
  const Json* select_list = NamingSelect(node);
  const auto modifiers = node.find("modifiers");
  if (select_list == nullptr || modifiers == node.end()) return order;
  for (const auto& modifier : *modifiers) {
    const auto type = JsonOr<std::string>(modifier, "type", "");
    if (type == "LIMIT_MODIFIER" && modifier.contains("limit") && modifier["limit"].is_object()) {
      const auto value = modifier["limit"].find("value");
      if (value != modifier["limit"].end()) order.limit = JsonOr<int64_t>(*value, "value", -1);
    }
    if (type != "ORDER_MODIFIER" || !modifier.contains("orders")) continue;
    for (const auto& item : modifier["orders"]) {
      auto key = KeyOf(item["expression"], *select_list);
      if (!key) break;
      key->descending = JsonOr<std::string>(item, "type", "") == "DESCENDING";
      const auto nulls = JsonOr<std::string>(item, "null_order", "");
      if (nulls == "NULLS FIRST" || nulls == "NULLS_FIRST") key->nulls = SortKey::Nulls::kFirst;
      if (nulls == "NULLS LAST" || nulls == "NULLS_LAST") key->nulls = SortKey::Nulls::kLast;
      order.keys.push_back(*key);
    }
  }
  return order;
}

}  // namespace

OrderReader::OrderReader() {
  sql::DatabaseOptions options;
  options.settings = {{"threads", "1"}};
  auto database = sql::Database::Open(options);
  if (!database.ok()) return;
  auto connection = database->Connect();
  if (connection.ok()) parser_.emplace(std::move(*connection));
}

ResultOrder OrderReader::Read(std::string_view sql) {
  if (!parser_) return {};
  const auto rows = parser_->Query(
      fmt::format("SELECT json_serialize_sql({}::VARCHAR)::VARCHAR", sql::QuoteLiteral(sql)));
  if (!rows.ok() || rows->rows.empty()) return {};
  const auto parsed = ParseJson(sql::ToText(rows->rows[0].at(0)));
  if (!parsed.ok() || JsonOr<bool>(*parsed, "error", true)) return {};
  const auto statements = parsed->find("statements");
  if (statements == parsed->end() || !statements->is_array() || statements->empty()) return {};
  const auto node = statements->back().find("node");
  return node == statements->back().end() ? ResultOrder{} : OrderOfNode(*node);
}

ResultOrder OrderOfSql(std::string_view sql) { return OrderReader().Read(sql); }

}  // namespace lakegauge::workload
