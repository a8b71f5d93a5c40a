#include "analyze/trust.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "analyze/disturbances.h"
#include "base/letters.h"
#include "base/units.h"

namespace lakegauge::analyze {
namespace {

constexpr double kSizesWanted = 0.95;  // share of a table's files within 10% of the target
constexpr double kSteadyPct = 5;       // coefficient of variation of pass times
constexpr double kRestlessPct = 15;
constexpr int64_t kPassesWanted = 3;
constexpr double kSaturated = 0.9;  // of the machine's cores busy

// "All 36 executions were", "The one execution was".
std::string All(int64_t n, const char* one, const char* many) {
  return n == 1 ? fmt::format("The one {}", one) : fmt::format("All {} {}", FormatCount(n), many);
}

// What cannot be known of times that another tool took.
Light NotKnown(const char* id, const char* text) {
  return {id, "unknown", text, "The run was imported: lakegauge did not run its queries."};
}

Light Answers(const Json& rows) {
  int64_t executions = 0, wrong = 0, unchecked = 0, official = 0, several = 0, one_cell = 0;
  std::vector<std::string> wrong_queries, drifting;
  for (const Json& row : rows) {
    executions += JsonOr<int64_t>(row, "executions", 0);
    unchecked += JsonOr<int64_t>(row, "unchecked", 0);
    official += JsonOr<int64_t>(row, "official", 0) > 0;
    one_cell += JsonOr<int64_t>(row, "cells", 0) == 1;
    const auto w = JsonOr<int64_t>(row, "wrong", 0);
    const auto name = JsonOr<std::string>(row, "query", "");
    wrong += w;
    if (w > 0) wrong_queries.push_back(name);
    if (w == 0 && JsonOr<int64_t>(row, "fingerprints", 0) > 1) drifting.push_back(name);
    several += JsonOr<int64_t>(row, "cells", 0) > 1;
  }
  const auto queries = static_cast<int64_t>(rows.size());
  Light light{"answers", "good", "", ""};
  if (executions == 0) return {"answers", "unknown", "No query gave an answer.", ""};
  light.detail = official == 0 ? "No answer was checked against the official ones."
                               : fmt::format("{} of {} {} checked against the official answers.",
                                             official, Counted(queries, "query", "queries"),
                                             official == 1 ? "was" : "were");
  if (!drifting.empty()) {
    light.detail += fmt::format(
        " Fingerprints differ between executions of {}: equal only within "
        "the comparison rule's tolerance, where it was applied.",
        Joined(drifting));
  }
  if (one_cell > 0 && several > 0) {
    light.detail += fmt::format(" {} answered in one cell only.",
                                Counted(one_cell, "query was", "queries were"));
  }
  if (wrong > 0) {
    light.state = "bad";
    light.text = fmt::format("{} wrong: {}.", Counted(wrong, "answer is", "answers are"),
                             Joined(wrong_queries));
  } else if (several == 0 && official == 0) {
    light.state = "unknown";
    light.text = "One cell and no official answer: there was nothing to check the answers against.";
  } else if (unchecked > 0 && (!drifting.empty() || unchecked == executions)) {
    light.state = "warn";
    light.text = fmt::format("{} not checked.", Counted(unchecked, "answer was", "answers were"));
  } else {
    light.text = several > 0 ? fmt::format("All {} answers are equal across cells.", executions)
                             : All(executions, "answer", "answers") + " stood the checks made.";
  }
  return light;
}

Light FileSizes(const Json& rows) {
  struct Share {
    double within = 0;
    int64_t judged = 0;
  };
  std::map<std::string, Share> layouts;
  double worst = 2;
  std::string worst_table;
  double within = 0;
  int64_t judged = 0;
  for (const Json& row : rows) {
    const auto n = JsonOr<int64_t>(row, "judged", 0);
    if (n == 0) continue;
    const double share = JsonOr<double>(row, "within_10pct", 0);
    within += share * static_cast<double>(n);
    judged += n;
    Share& layout = layouts[JsonOr<std::string>(row, "layout", "")];
    layout.within += share * static_cast<double>(n);
    layout.judged += n;
    if (share < worst) {
      worst = share;
      worst_table = fmt::format("{} of {}", JsonOr<std::string>(row, "table", ""),
                                JsonOr<std::string>(row, "layout", ""));
    }
  }
  if (judged == 0) {
    return {"file_sizes", "unknown",
            rows.empty() ? "File sizes are unknown: no manifest."
                         : "No table has more than one file of a target size: nothing to judge.",
            ""};
  }
  Light light{"file_sizes", "good", "", "The last file of a table or partition is left aside."};
  double worst_layout = 1;
  std::vector<std::string> each;
  for (const auto& [layout, share] : layouts) {
    const double s = share.within / static_cast<double>(share.judged);
    worst_layout = std::min(worst_layout, s);
    each.push_back(fmt::format("{} {:.1f}% of {}", layout, 100 * s, FormatCount(share.judged)));
  }
  light.text = fmt::format("{:.1f}% of {} within 10% of the asked size.",
                           100 * within / static_cast<double>(judged),
                           Counted(judged, "file is", "files are"));
  light.detail += fmt::format(" By layout: {}. Worst table: {}, {:.1f}%.", Joined(each),
                              worst_table, 100 * worst);
  if (worst_layout < kSizesWanted) light.state = worst_layout < 0.5 ? "bad" : "warn";
  return light;
}

Light Cold(const Model& m, const std::vector<std::string>& why_warm) {
  int64_t cold = 0, warm = 0;
  std::vector<std::string> warm_stores;
  for (const Cell& c : m.cells) {
    cold += c.cold;
    warm += c.warm;
    if (c.warm > 0 &&
        std::find(warm_stores.begin(), warm_stores.end(), c.store) == warm_stores.end()) {
      warm_stores.push_back(c.store);
    }
  }
  if (cold + warm == 0) return {"cold", "unknown", "Nothing was executed.", ""};
  if (warm == 0) {
    return {"cold", "good", All(cold, "execution was", "executions were") + " proved cold.", ""};
  }
  return {
      "cold", "warn",
      fmt::format("{} of {} {} warm (on {}): {}.", warm,
                  Counted(cold + warm, "execution", "executions"), warm == 1 ? "was" : "were",
                  Joined(warm_stores),
                  why_warm.empty() ? "that caches were empty was not proved" : Joined(why_warm)),
      "Warm times include what caches gave; a store read warm looks fast beside one read cold."};
}

Light Build(const std::string& type) {
  if (type.empty()) return {"build", "unknown", "The build type was not recorded.", ""};
  if (Lower(type).starts_with("rel")) return {"build", "good", type + " build.", ""};
  return {"build", "bad", type + " build: its times do not count.",
          "Build with -O2 and run again."};
}

Light FailuresAmongValid(const Model& m) {
  int64_t failures = 0, executions = 0;
  for (const Cell& c : m.cells) {
    failures += c.failures;
    executions += c.executions;
  }
  if (executions == 0) return {"failures", "unknown", "Nothing was executed.", ""};
  if (failures > 0) {
    return {
        "failures", "bad",
        fmt::format("{} of {} {} not ok.", failures, Counted(executions, "execution", "executions"),
                    failures == 1 ? "was" : "were"),
        "They stay in the tables; a pass with a failure is not counted as a pass."};
  }
  if (!m.complete) {
    return {"failures", "warn",
            fmt::format("No failure among {}; the run is not complete.",
                        Counted(executions, "execution", "executions")),
            ""};
  }
  return {"failures", "good", All(executions, "execution was", "executions were") + " ok.", ""};
}

// What a person left out, and what failed before it was ok, is for the reader to judge.
Light Failures(const Model& m) {
  Light light = FailuresAmongValid(m);
  int64_t invalid = 0;
  for (const Cell& c : m.cells) invalid += c.invalid;
  const auto add = [&](const std::string& text) {
    if (light.state == "good") light.state = "warn";
    light.detail += (light.detail.empty() ? "" : " ") + text;
  };
  if (invalid > 0) {
    add(
        fmt::format("{} marked invalid by a person: in the tables with the reason, in no "
                    "statistic.",
                    Counted(invalid, "execution was", "executions were")));
  }
  if (m.retried > 0) {
    add(
        fmt::format("{} run once more after a failure: what it ended as before is kept in the "
                    "records, in no statistic.",
                    Counted(m.retried, "execution was", "executions were")));
  }
  return light;
}

Light Noise(const Model& m) {
  double worst = -1;
  std::string worst_cell;
  int64_t fewest = m.iterations;
  for (const Cell& c : m.cells) {
    fewest = std::min(fewest, c.suite.n);
    if (c.stability_pct && *c.stability_pct > worst) {
      worst = *c.stability_pct;
      worst_cell = c.id;
    }
  }
  if (worst < 0) {
    return {"noise", m.iterations == 1 ? "warn" : "unknown",
            "Fewer than two complete passes in every cell: the spread is unknown.", ""};
  }
  Light light{"noise", "good", fmt::format("Pass times vary by at most {:.1f}%.", worst),
              fmt::format("Most in {}. Fewest complete passes in a cell: {}.", worst_cell, fewest)};
  if (worst > kRestlessPct) {
    light.state = "bad";
    light.text =
        fmt::format("Pass times vary by up to {:.0f}%: small differences drown in that.", worst);
  } else if (worst > kSteadyPct) {
    light.state = "warn";
    light.text = fmt::format("Pass times vary by up to {:.1f}%, where {:g}% would be steady.",
                             worst, kSteadyPct);
  } else if (fewest < kPassesWanted) {
    light.state = "warn";
    light.text = fmt::format("A cell has only {}: too few to know how pass times vary.",
                             Counted(fewest, "complete pass", "complete passes"));
  }
  // Layouts of the very same bytes are a control: what they differ by is not the layout.
  std::vector<std::string> differing;
  for (const Cell& c : m.cells) {
    if (!c.vs_layout || !m.Coincide(c.dataset, c.layout, m.compare_layout)) continue;
    const Mark mark = c.vs_layout->effect.mark;
    if (mark == Mark::kFaster || mark == Mark::kSlower) {
      differing.push_back(fmt::format("{} by {}", c.id, RatioText(c.vs_layout->effect)));
    }
  }
  if (!differing.empty()) {
    light.state = "bad";
    light.text = "The same files took another time under another name: see the detail.";
    light.detail += fmt::format(
        " The same files took another time under another name: {}. Something other than the layout "
        "changed between cells (order, caches, other load).",
        Joined(differing));
  }
  return light;
}

// "a, b and c", or how many there are where that is shorter.
std::string Named(const std::vector<std::string>& names, size_t all, const char* kind) {
  constexpr size_t kMostNamed = 3;
  if (names.size() == all) return fmt::format("every {}", kind);
  if (names.size() <= kMostNamed) return Joined(names);
  return fmt::format("{} of {} {}s", names.size(), all, kind);
}

std::string SaturatedText(const Model& m, int64_t cores) {
  std::vector<std::string> saturated;
  for (const Cell& c : m.cells) {
    if (cores > 0 && c.busy_cores && *c.busy_cores > kSaturated * static_cast<double>(cores)) {
      saturated.push_back(c.id);
    }
  }
  if (saturated.empty()) return "";
  return fmt::format(
      "The machine's cores were busy above {:.0f}% in {}: times there follow the machine as well "
      "as "
      "the store.",
      100 * kSaturated, Named(saturated, m.cells.size(), "cell"));
}

Light Shaping(const Model& m, const std::vector<Delivered>& delivered, int64_t cores) {
  double mean_off = 0;
  double p99_off = 0;
  double late_p99_ms = 0;
  int64_t shaped = 0;
  std::vector<std::string> missed;
  std::string each;
  for (const Delivered& d : delivered) {
    if (!d.kept()) missed.push_back(d.Shortfall());
    for (const DeliveredLatency& l : d.latencies) {
      shaped += l.count;
      late_p99_ms = std::max(late_p99_ms, l.late_p99_ms);
      mean_off = std::max(mean_off, l.MeanOff());
      p99_off = std::max(p99_off, l.P99Off());
      each += fmt::format(
          " {} {}: mean {:.3g} ms for {:.3g} asked, median {:.3g} for {:.3g}, p99 {:.3g} for "
          "{:.3g}, late {:.2g} on average.",
          d.store, l.operation, l.mean_ms, l.asked_mean_ms, l.p50_ms, l.asked_p50_ms, l.p99_ms,
          l.asked_p99_ms, l.late_mean_ms);
    }
  }
  const bool emulated =
      std::any_of(m.cells.begin(), m.cells.end(), [](const Cell& c) { return c.emulated; });
  Light light{"shaping", "good", "", ""};
  if (!emulated) {
    light.text = "No store is emulated: nothing was shaped.";
  } else if (shaped == 0) {
    light.state = "unknown";
    light.text = "No shaped request is on record: what was delivered is unknown.";
  } else {
    light.state = missed.empty() ? "good" : "warn";
    light.text = missed.empty()
                     ? fmt::format(
                           "{} took what the profile asked: mean and median within {:.1f}%, "
                           "p99 within {:.1f}%.",
                           Counted(shaped, "shaped request", "shaped requests"), 100 * mean_off,
                           100 * p99_off)
                     : fmt::format("The profile was missed: {}.", missed.front());
    for (size_t i = 1; i < missed.size(); ++i) light.detail += fmt::format("{}. ", missed[i]);
    light.detail += fmt::format("99% were late by at most {:.2f} ms.", late_p99_ms) + each;
  }
  if (const std::string saturated = SaturatedText(m, cores); !saturated.empty()) {
    light.detail += (light.detail.empty() ? "" : " ") + saturated;
  }
  return light;
}

}  // namespace

std::vector<Light> MakeLights(const TrustInputs& in) {
  const bool imported = in.model.imported;
  std::vector<Light> lights = {
      imported ? NotKnown("answers", "Whether the answers were right is not known.")
               : Answers(in.answers),
      imported ? NotKnown("file_sizes", "File sizes are not known.") : FileSizes(in.sizes),
      imported ? NotKnown("cold", "Whether reads were cold or warm is not known.")
               : Cold(in.model, in.why_warm),
      imported ? NotKnown("build", "How what was measured was built is not known.")
               : Build(in.build_type),
      Failures(in.model),
      Noise(in.model),
      DisturbancesLight(in.disturbed, in.watched),
      Shaping(in.model, in.delivered, in.cores)};
  std::vector<std::string> missing;
  for (const Json& row : in.requests_kept) {
    if (JsonOr<int64_t>(row, "journal", 0) != JsonOr<int64_t>(row, "kept", 0)) {
      missing.push_back(JsonOr<std::string>(row, "cell", ""));
    }
  }
  if (!missing.empty()) {
    lights.back().detail += fmt::format("{}Kept requests are not as many as were counted in {}.",
                                        lights.back().detail.empty() ? "" : " ", Joined(missing));
  }
  return lights;
}

}  // namespace lakegauge::analyze
