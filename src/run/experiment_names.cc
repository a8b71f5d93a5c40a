#include "run/experiment_names.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "engine/engine.h"
#include "run/experiment_reader.h"
#include "workload/workload.h"

namespace lakegauge::run {
namespace {

using dataset::TableDef;

std::vector<std::string> NamesOf(const std::vector<TableDef>& tables) {
  std::vector<std::string> names;
  for (const TableDef& table : tables) names.push_back(table.name);
  return names;
}

std::vector<TableDef> Only(const std::vector<TableDef>& tables,
                           const std::vector<std::string>& names) {
  if (names.empty()) return tables;
  std::vector<TableDef> some;
  for (const TableDef& table : tables) {
    if (std::find(names.begin(), names.end(), table.name) != names.end()) some.push_back(table);
  }
  return some;
}

// The element of a list, or the one text, that says `text`; else the node itself.
YamlNode Saying(const YamlNode& node, const std::string& text) {
  if (!node.is_list()) return node;
  for (const YamlNode& item : node.List()) {
    if (item.is_scalar() && item.String() == text) return item;
  }
  return node;
}

class Check {
 public:
  Check(const YamlNode& root, Experiment* experiment) : root_(root.Map()), e_(*experiment) {}

  Status Run() {
    LG_RETURN_IF_ERROR(CheckSettings());
    for (DatasetItem& data : e_.datasets) LG_RETURN_IF_ERROR(CheckDataset(data));
    return {};
  }

 private:
  YamlNode NodeOf(const char* block, const std::string& id) const {
    return root_.Optional(block).Map().Optional(id);
  }

  void Say(const YamlNode& node, const std::string& message) {
    if (said_.insert(node.where() + message).second) node.Problem(message);
  }

  Status CheckSettings() {
    for (const EngineItem& engine : e_.engines) {
      LG_ASSIGN_OR_RETURN(const auto problems,
                          engine::SettingProblems(engine.kind, engine.settings));
      for (const auto& [name, problem] : problems) {
        const YamlMap map = NodeOf("engines", engine.id).Map();
        const YamlNode setting = map.Optional("settings").Map().Optional(name);
        Say(setting.present() ? setting : map.Optional(name),
            fmt::format("found the setting {}: '{}', which {} refuses: {}", name,
                        engine.settings.at(name), engine.kind, problem));
      }
    }
    return {};
  }

  // Layouts of a dataset's cells.
  std::vector<const LayoutItem*> LayoutsOf(const DatasetItem& data) const {
    std::vector<const LayoutItem*> used;
    for (const LayoutItem& layout : e_.layouts) {
      const bool in_a_cell =
          std::any_of(e_.engines.begin(), e_.engines.end(), [&](const EngineItem& engine) {
            return std::any_of(e_.stores.begin(), e_.stores.end(), [&](const StoreItem& store) {
              return e_.Has(engine.id, store.id, layout.id, data.id);
            });
          });
      if (in_a_cell) used.push_back(&layout);
    }
    return used;
  }

  Status CheckDataset(DatasetItem& data) {
    const auto layouts = LayoutsOf(data);
    if (layouts.empty()) return {};
    std::vector<TableDef> tables;
    if (data.spec.kind == "files") {
      if (!ReadSources(data, layouts)) return {};
      for (const auto& source : data.sources) tables.push_back({source.name, source.columns});
    } else if (NamesTables(layouts)) {
      LG_ASSIGN_OR_RETURN(tables, dataset::TablesOf(data.spec));
    } else {
      return {};
    }
    std::set<std::vector<std::string>> checked;  // most layouts have all tables
    for (const LayoutItem* layout : layouts) {
      if (!CheckLayout(data, *layout, tables)) continue;
      if (!checked.insert(layout->spec.tables).second) continue;
      LG_RETURN_IF_ERROR(CheckQueries(data, *layout, Only(tables, layout->spec.tables)));
    }
    return {};
  }

  // Whether anything is said that a made-up dataset might not have.
  bool NamesTables(const std::vector<const LayoutItem*>& layouts) const {
    return !e_.workload.queries.paths.empty() ||
           std::any_of(layouts.begin(), layouts.end(), [](const LayoutItem* layout) {
             const auto& spec = layout->spec;
             return !spec.tables.empty() || !spec.partition_by.empty() || !spec.sort_by.empty();
           });
  }

  // Whether all of a user's tables can be read, and as their layouts want it.
  bool ReadSources(DatasetItem& data, const std::vector<const LayoutItem*>& layouts) {
    const YamlMap nodes = NodeOf("datasets", data.id).Map().Optional("tables").Map();
    const auto any = [&](bool as_is) {
      return std::any_of(layouts.begin(), layouts.end(),
                         [&](const LayoutItem* layout) { return layout->spec.as_is == as_is; });
    };
    bool good = true;
    for (const auto& [table, pattern] : data.spec.tables) {
      const YamlNode node = nodes.Optional(table);
      auto source = dataset::InspectSource(table, pattern);
      const Status status = !source.ok() ? Status(source.error())
                            : any(false) ? dataset::CheckColumns(*source)
                                         : Status();
      if (!status.ok()) {
        good = false;
        Say(node, fmt::format("found '{}', which cannot be read: {}", node.String(),
                              status.error().message));
      } else {
        data.sources.push_back(std::move(*source));
      }
    }
    if (good && any(true)) {
      if (const auto apart = dataset::CheckAsIs(data.sources); !apart.ok()) {
        good = false;
        Say(nodes.node(), fmt::format("found {}", apart.error().message));
      }
    }
    return good;
  }

  bool CheckLayout(const DatasetItem& data, const LayoutItem& layout,
                   const std::vector<TableDef>& tables) {
    const auto problems = dataset::NameProblems(layout.spec, tables);
    for (const auto& problem : problems) {
      const YamlNode block = NodeOf("layouts", layout.id).Map().Optional(problem.key);
      YamlNode node = problem.key == "tables" ? Saying(block, problem.table)
                                              : block.Map().Optional(problem.table);
      std::vector<std::string> names = NamesOf(tables);
      std::string found = problem.table;
      if (!problem.column.empty()) {
        node = Saying(node, problem.column);
        found = problem.column;
        names.clear();
        for (const TableDef& table : tables) {
          if (table.name != problem.table) continue;
          for (const auto& column : table.columns) names.push_back(column.name);
        }
      } else if (problem.key != "tables" &&
                 std::find(names.begin(), names.end(), problem.table) == names.end()) {
        node = block.Map().KeyNode(problem.table);
      }
      const bool there = std::find(names.begin(), names.end(), found) != names.end();
      Say(node,
          there ? fmt::format("found '{}': {}", found, problem.message)
                : fmt::format("found '{}': {} (dataset '{}'); allowed {}{}", found, problem.message,
                              data.id, fmt::join(names, ", "), DidYouMean(found, names)));
    }
    return problems.empty();
  }

  Status CheckQueries(const DatasetItem& data, const LayoutItem& layout,
                      const std::vector<TableDef>& tables) {
    workload::QuerySelection selection = e_.workload.queries;
    selection.scans.clear();  // they fit their dataset
    // TPC-DS's own fit it too, unless a layout leaves tables out.
    if (data.spec.kind == "tpcds" && layout.spec.tables.empty()) {
      selection.all_tpcds = false;
      selection.tpcds.clear();
    }
    if (!selection.all_tpcds && selection.tpcds.empty() && selection.paths.empty()) return {};
    LG_ASSIGN_OR_RETURN(const auto queries, workload::Resolve(selection, e_.base_dir));
    std::vector<std::string> texts;
    for (const auto& query : queries) texts.push_back(query.sql);
    std::set<std::string> kinds;
    for (const EngineItem& engine : e_.engines) kinds.insert(engine.kind);
    const std::vector<std::string> names = NamesOf(tables);
    for (const std::string& kind : kinds) {
      LG_ASSIGN_OR_RETURN(const auto missing, engine::MissingTables(kind, tables, texts));
      for (size_t i = 0; i < queries.size(); ++i) {
        if (missing[i].empty()) continue;
        Say(NodeOfQuery(queries[i]),
            fmt::format("found the query {}, which names table '{}'; allowed the tables of dataset "
                        "'{}'{}: {}{}",
                        queries[i].name, missing[i], data.id,
                        layout.spec.tables.empty() ? "" : " that layout '" + layout.id + "' has",
                        fmt::join(names, ", "), DidYouMean(missing[i], names)));
      }
    }
    return {};
  }

  // Where the experiment names a query: by its number, its file or its folder.
  YamlNode NodeOfQuery(const workload::Query& query) const {
    namespace fs = std::filesystem;
    YamlNode queries = root_.Optional("workload").Map().Optional("queries");
    if (!queries.is_list()) return queries;
    for (const YamlNode& item : queries.List()) {
      const std::string text = item.String();
      if (workload::NormaliseName(text) == query.name) return item;
      const fs::path path = fs::path(ResolvePath(e_.base_dir, text)).lexically_normal();
      const fs::path source = query.source;
      if (path == source || path / "" == source.parent_path() / "") return item;
    }
    return queries;
  }

  YamlMap root_;
  Experiment& e_;
  std::set<std::string> said_;
};

}  // namespace

Status CheckNames(const YamlNode& root, Experiment* experiment) {
  return Check(root, experiment).Run();
}

}  // namespace lakegauge::run
