// lakegauge annotate: a person's word on executions: which are invalid, and why.

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <set>

#include "base/clock.h"
#include "cli/command.h"
#include "record/annotations.h"
#include "record/journal.h"
#include "report/report.h"
#include "run/runs.h"

namespace lakegauge::cli {
namespace {

struct AnnotateOptions {
  std::string run;
  std::vector<int64_t> executions;
  std::string cell, query;
  int64_t iteration = 0;  // 0: any
  std::string reason;
  bool valid = false, list = false, json = false;
  bool names_some() const { return !cell.empty() || !query.empty() || iteration > 0; }
};

bool Fits(const record::Execution& e, const AnnotateOptions& o) {
  return !e.warmup && (o.cell.empty() || e.cell == o.cell) &&
         (o.query.empty() || e.query == o.query) &&
         (o.iteration == 0 || e.iteration == o.iteration);
}

// "duckdb.local.1MiB.tpcds, duckdb.local.8MiB.tpcds and 3 more".
std::string Named(const std::set<std::string>& names) {
  constexpr size_t kMost = 8;
  std::string text;
  size_t n = 0;
  for (const std::string& name : names) {
    if (++n > kMost) return text + fmt::format(" and {} more", names.size() - kMost);
    text += (text.empty() ? "" : ", ") + name;
  }
  return text;
}

// What the run knows by a name that was given and does not fit.
Error NoneFits(const std::vector<record::Execution>& all, const AnnotateOptions& o) {
  std::set<std::string> cells, queries;
  int64_t iterations = 0;
  for (const auto& e : all) {
    if (e.warmup) continue;
    cells.insert(e.cell);
    queries.insert(e.query);
    iterations = std::max<int64_t>(iterations, e.iteration);
  }
  if (!o.cell.empty() && !cells.contains(o.cell)) {
    return MakeError(ErrorCode::kNotFound, fmt::format("no execution in a cell '{}'; there are {}",
                                                       o.cell, Named(cells)));
  }
  if (!o.query.empty() && !queries.contains(o.query)) {
    return MakeError(ErrorCode::kNotFound,
                     fmt::format("no execution of '{}'; there are {}", o.query, Named(queries)));
  }
  return MakeError(ErrorCode::kNotFound,
                   fmt::format("no execution is of that cell, query and iteration; iterations go "
                               "from 1 to {}",
                               iterations));
}

// The executions that the options name, in order. One that never ended cannot be judged.
Result<std::vector<int64_t>> Chosen(const std::vector<record::Execution>& all,
                                    const AnnotateOptions& o) {
  std::set<int64_t> known, chosen;
  for (const auto& e : all) known.insert(e.id);
  for (const int64_t id : o.executions) {
    if (!known.contains(id)) {
      return MakeError(ErrorCode::kNotFound,
                       known.empty()
                           ? fmt::format("no execution {}: none has ended yet", id)
                           : fmt::format("no execution {} has ended; those that did are {} to {}",
                                         id, *known.begin(), *known.rbegin()));
    }
    chosen.insert(id);
  }
  if (o.names_some()) {
    const size_t before = chosen.size();
    for (const auto& e : all) {
      if (Fits(e, o)) chosen.insert(e.id);
    }
    if (chosen.size() == before) return NoneFits(all, o);
  }
  return std::vector<int64_t>(chosen.begin(), chosen.end());
}

Json ToJson(const record::Annotation& a, const record::Execution* e) {
  Json json = {{"annotation", a.id}, {"execution", a.execution}, {"invalid", a.invalid},
               {"reason", a.reason}, {"at_utc", a.at_utc},       {"cell", nullptr},
               {"query", nullptr},   {"iteration", nullptr},     {"seconds", nullptr}};
  if (e == nullptr) return json;
  json["cell"] = e->cell;
  json["query"] = e->query;
  json["iteration"] = e->iteration;
  json["seconds"] = static_cast<double>(e->elapsed_ns) / 1e9;
  return json;
}

void Show(const std::vector<record::Annotation>& annotations,
          const std::vector<record::Execution>& executions, bool as_json) {
  Json all = Json::array();
  for (const auto& a : annotations) {
    const auto e = std::find_if(executions.begin(), executions.end(),
                                [&](const auto& other) { return other.id == a.execution; });
    if (as_json) {
      all.push_back(ToJson(a, e == executions.end() ? nullptr : &*e));
      continue;
    }
    const std::string what =
        e == executions.end() ? ""
                              : fmt::format("  {}  {}  iteration {}  {:.3f} s", e->cell, e->query,
                                            e->iteration, static_cast<double>(e->elapsed_ns) / 1e9);
    Print("execution {}{}  {}  {}\n", a.execution, what,
          a.invalid ? "invalid: " + a.reason : "valid again", a.at_utc);
  }
  if (as_json) PrintJson(all);
}

std::string Trimmed(const std::string& text) {
  const size_t begin = text.find_first_not_of(" \t\r\n");
  return begin == std::string::npos
             ? ""
             : text.substr(begin, text.find_last_not_of(" \t\r\n") - begin + 1);
}

Status CheckOptions(const AnnotateOptions& o) {
  const int verbs = (o.reason.empty() ? 0 : 1) + (o.valid ? 1 : 0) + (o.list ? 1 : 0);
  if (verbs != 1) {
    return MakeError(ErrorCode::kInvalidArgument,
                     "say one of --invalid \"reason\", --valid and --list");
  }
  const bool some = !o.executions.empty() || o.names_some();
  if (o.list && some) {
    return MakeError(ErrorCode::kInvalidArgument, "--list shows all marks; it names no executions");
  }
  if (!o.list && !some) {
    return MakeError(ErrorCode::kInvalidArgument,
                     "which executions? --execution ID..., or --cell, --query and --iteration");
  }
  return {};
}

Result<std::vector<record::Annotation>> Mark(const std::string& path,
                                             const std::vector<int64_t>& chosen,
                                             const AnnotateOptions& o) {
  LG_ASSIGN_OR_RETURN(const auto before, record::ReadAnnotations(path));
  const auto invalid = before.Invalid();
  std::vector<record::Annotation> marks;
  for (const int64_t id : chosen) {
    if (o.valid && !invalid.contains(id)) {
      // One that was named is a mistake; of several that fit, those that are marked are meant.
      if (o.names_some()) continue;
      return MakeError(ErrorCode::kInvalidArgument,
                       fmt::format("execution {} is not marked invalid", id));
    }
    marks.push_back({0, id, !o.valid, o.valid ? "" : o.reason, ""});
  }
  if (marks.empty()) {
    return MakeError(ErrorCode::kInvalidArgument, "none of these is marked invalid");
  }
  return record::AppendAnnotations(path, std::move(marks), RealClock().UtcNs());
}

int Annotate(const Context& context, AnnotateOptions& o, bool reason_given) {
  o.reason = Trimmed(o.reason);
  if (reason_given && o.reason.empty()) {
    return Fail(MakeError(ErrorCode::kInvalidArgument,
                          "--invalid needs a reason: the report shows it to its readers"));
  }
  if (const auto checked = CheckOptions(o); !checked.ok()) return Fail(checked.error());
  const auto dir = FindRun(context, o.run);
  if (!dir.ok()) return Fail(dir.error());
  const auto journal = record::ReadJournal(*dir + "/journal.jsonl");
  if (!journal.ok()) return Fail(journal.error());
  const std::string path = *dir + "/" + record::kAnnotationsFile;
  if (o.list) {
    const auto all = record::ReadAnnotations(path);
    if (!all.ok()) return Fail(all.error());
    if (all->all.empty() && !o.json) Print("nothing is marked in {}\n", *dir);
    Show(all->all, journal->finished, o.json);
    return kExitOk;
  }
  const auto chosen = Chosen(journal->finished, o);
  if (!chosen.ok()) return Fail(chosen.error());
  const auto marks = Mark(path, *chosen, o);
  if (!marks.ok()) return Fail(marks.error());
  Show(*marks, journal->finished, o.json);
  // A report that stands beside its records must not contradict them.
  if (!std::filesystem::exists(*dir + "/report")) return kExitOk;
  if (const auto written = report::WriteReports(*dir); !written.ok()) {
    return Fail(written.error().WithContext("marked, but the report is still the old one"));
  }
  return kExitOk;
}

}  // namespace

void AddAnnotate(CLI::App& app, Context& context) {
  auto* command = app.add_subcommand(
      "annotate", "Mark executions invalid with a reason: kept, shown, in no statistic");
  auto options = std::make_shared<AnnotateOptions>();
  command->add_option("run", options->run, "A run, by path, by name, or 'latest'")->required();
  command->add_option("--execution", options->executions, "Executions by their id")
      ->check(CLI::NonNegativeNumber);
  command->add_option("--cell", options->cell, "Those of a cell");
  command->add_option("--query", options->query, "Those of a query");
  command->add_option("--iteration", options->iteration, "Those of an iteration, from 1")
      ->check(IntegerFrom1());
  auto* reason = command->add_option("--invalid", options->reason, "Mark them invalid; the reason");
  command->add_flag("--valid", options->valid, "Take earlier marks back");
  command->add_flag("--list", options->list, "Show every mark that was ever made");
  command->add_flag("--json", options->json, "Machine-readable result");
  AddResultsOption(*command, context);
  command->callback([&context, options, reason] {
    const bool given = reason->count() > 0;
    context.action = [&context, options, given] { return Annotate(context, *options, given); };
  });
}

}  // namespace lakegauge::cli
