#include "analyze/headline.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace lakegauge::analyze {
namespace {

// Layouts of the baseline's format that differ from it in file size alone, largest first.
double SizeOf(const Cell& c) {
  return c.target_bytes == 0 ? std::numeric_limits<double>::infinity()
                             : static_cast<double>(c.target_bytes);
}

std::string StoreName(const Cell& c) { return c.emulated ? c.store + " (EMULATED)" : c.store; }

// ", within noise" where the interval holds 1.
std::string NoiseText(const std::optional<Ratio>& r) {
  return MarkOf(r) == Mark::kWithinNoise ? ", within noise" : "";
}

// One engine and dataset: what is compared within.
struct Group {
  std::string engine, dataset;
  std::vector<const Cell*> cells;
  double baseline_s = 0;  // the longest pass of compare.layout, to find the weightiest group
};

std::vector<Group> GroupsOf(const Model& m) {
  std::vector<Group> groups;
  for (const Cell& c : m.cells) {
    auto at = std::find_if(groups.begin(), groups.end(), [&](const Group& g) {
      return g.engine == c.engine && g.dataset == c.dataset;
    });
    if (at == groups.end()) at = groups.insert(groups.end(), Group{c.engine, c.dataset, {}, 0});
    at->cells.push_back(&c);
    at->baseline_s = std::max(at->baseline_s, c.suite.mean);
  }
  return groups;
}

// The layout that is farthest from compare.layout in file size, of the same format and not the same
// files; empty where there is none.
std::string FarthestSize(const Model& m, const Group& g) {
  const Cell* base = nullptr;
  for (const Cell* c : g.cells) {
    if (c->layout == m.compare_layout) base = c;
  }
  if (base == nullptr) return "";
  const Cell* smallest = nullptr;
  const Cell* largest = nullptr;
  for (const Cell* c : g.cells) {
    if (c->format != base->format || !c->vs_layout || SizeOf(*c) == SizeOf(*base) ||
        m.Coincide(g.dataset, c->layout, base->layout)) {
      continue;
    }
    if (smallest == nullptr || SizeOf(*c) < SizeOf(*smallest)) smallest = c;
    if (largest == nullptr || SizeOf(*c) > SizeOf(*largest)) largest = c;
  }
  if (smallest == nullptr) return "";
  return SizeOf(*smallest) < SizeOf(*base) ? smallest->layout : largest->layout;
}

// " over 98 of 99 queries" where some failed; else nothing.
std::string QueriesText(const Comparison& v) {
  return v.queries == v.queries_asked
             ? ""
             : fmt::format(" over {} of {} queries", v.queries, v.queries_asked);
}

// "adds 12.3 s a pass on s3-standard (EMULATED): 5.1x (4.8 to 5.4)".
std::string EffectText(const Cell& c, const Comparison& v) {
  return fmt::format("{} {} a pass on {}{}: {}{}", v.delta_s() >= 0 ? "adds" : "saves",
                     SecondsText(std::abs(v.delta_s())), StoreName(c), QueriesText(v),
                     RatioText(v.ratio), NoiseText(v.ratio));
}

std::string SizeSentence(const Model& m, const Group& g, const std::string& layout) {
  std::vector<const Cell*> cells;
  for (const Cell* c : g.cells) {
    if (c->layout == layout && c->vs_layout) cells.push_back(c);
  }
  std::stable_sort(cells.begin(), cells.end(), [](const Cell* a, const Cell* b) {
    return a->vs_layout->delta_s() > b->vs_layout->delta_s();
  });
  std::string text = fmt::format("Going from {} to {} files ", m.compare_layout, layout);
  for (size_t i = 0; i < cells.size(); ++i) {
    if (i > 0) text += i + 1 == cells.size() ? "; and it " : "; it ";
    text += EffectText(*cells[i], *cells[i]->vs_layout);
  }
  return text + ".";
}

// The store whose pass takes longest against compare.store with this layout.
const Cell* FarthestStore(const Group& g, const std::string& layout) {
  const Cell* farthest = nullptr;
  for (const Cell* c : g.cells) {
    if (c->layout != layout || !c->vs_store) continue;
    if (farthest == nullptr || std::abs(std::log(c->vs_store->ratio->value)) >
                                   std::abs(std::log(farthest->vs_store->ratio->value))) {
      farthest = c;
    }
  }
  return farthest;
}

std::string StoreSentence(const Model& m, const Cell& c) {
  std::string text = fmt::format(
      "With {} {} takes {}{} the time of {} for a pass{}: {} against {}",
      m.layouts.size() > 1 ? c.layout + " files" : "the same files", StoreName(c),
      RatioText(c.vs_store->ratio), NoiseText(c.vs_store->ratio), c.vs_store->baseline,
      QueriesText(*c.vs_store), SecondsText(c.vs_store->cell.mean),
      SecondsText(c.vs_store->base.mean));
  const Cell* base = m.Find(c.engine, c.store, m.compare_layout, c.dataset);
  if (base != nullptr && base != &c && base->vs_store) {
    text += fmt::format("; with {} files {}{}", m.compare_layout, RatioText(base->vs_store->ratio),
                        NoiseText(base->vs_store->ratio));
  }
  return text + ".";
}

std::string FormatSentence(const Group& g, const std::string& store, const Model& m) {
  std::vector<std::string> parts;
  for (const Cell* c : g.cells) {
    if (c->store != store || !c->vs_layout) continue;
    parts.push_back(fmt::format("{} takes {}{} the time of {} for a pass on {}{}", c->layout,
                                RatioText(c->vs_layout->ratio), NoiseText(c->vs_layout->ratio),
                                m.compare_layout, StoreName(*c), QueriesText(*c->vs_layout)));
  }
  return parts.empty() ? "" : Joined(parts) + ".";
}

HeadlineRatio RatioOf(const Comparison& v, std::string what) { return {*v.ratio, std::move(what)}; }

// Whether what a group shows grows from its smallest to its largest dataset of the same engine.
std::string GrowthSentence(const std::vector<const Cell*>& by_scale, bool stores, const Model& m) {
  const auto& first = stores ? by_scale.front()->vs_store : by_scale.front()->vs_layout;
  const auto& last = stores ? by_scale.back()->vs_store : by_scale.back()->vs_layout;
  const Sample up[] = {last->cell, first->base};
  const Sample down[] = {last->base, first->cell};
  const auto change = RatioOfMeans(up, down);
  std::vector<std::string> parts;
  for (const Cell* c : by_scale) {
    parts.push_back(fmt::format("{} at scale {:g}",
                                RatioText((stores ? c->vs_store : c->vs_layout)->ratio->value),
                                m.dataset_scale.at(c->dataset)));
  }
  const char* verdict = !change || !change->interval ? "too few passes to say whether it grows"
                        : change->interval->low > 1  ? "the gap grows with the data"
                        : change->interval->high < 1 ? "the gap shrinks as the data grows"
                                                     : "no change beyond noise as the data grows";
  return fmt::format(
      "Over scales {} on {}: {} ({}).",
      stores ? "against " + first->baseline : "against " + first->baseline + " files",
      StoreName(*by_scale.back()), verdict, Joined(parts));
}

// The same cell (by engine, store and layout) in every dataset that has a scale, by scale.
std::vector<const Cell*> AcrossScales(const Model& m, const Cell& like, bool stores) {
  std::vector<const Cell*> found;
  for (const auto& [dataset, scale] : m.dataset_scale) {
    const Cell* c = m.Find(like.engine, like.store, like.layout, dataset);
    if (c != nullptr && (stores ? c->vs_store : c->vs_layout)) found.push_back(c);
  }
  std::sort(found.begin(), found.end(), [&](const Cell* a, const Cell* b) {
    return m.dataset_scale.at(a->dataset) < m.dataset_scale.at(b->dataset);
  });
  return found;
}

void AddNotes(const Model& m, Headline* h) {
  std::vector<std::string> emulated;
  for (const std::string& store : m.stores) {
    for (const Cell& c : m.cells) {
      if (c.store == store && c.emulated) {
        emulated.push_back(store);
        break;
      }
    }
  }
  if (!emulated.empty()) {
    h->notes.push_back(fmt::format(
        "EMULATED: {} {} shaped by a profile. What such a store takes is that input's consequence, "
        "not a finding about a product.",
        Joined(emulated), emulated.size() == 1 ? "is" : "are"));
  }
  if (!m.complete) {
    h->notes.push_back(
        fmt::format("The run is not complete: {} of {} executions are done.", m.done, m.planned));
  }
  for (const auto& [dataset, layouts] : m.coinciding) {
    std::vector<std::string> told;
    for (const std::string& layout : m.layouts) {
      const auto at = layouts.find(layout);
      if (at == layouts.end() || std::find(told.begin(), told.end(), layout) != told.end())
        continue;
      std::vector<std::string> same = {layout};
      same.insert(same.end(), at->second.begin(), at->second.end());
      told.insert(told.end(), same.begin(), same.end());
      h->notes.push_back(fmt::format("{} coincide in {}: their files are the same, byte for byte.",
                                     Joined(same), dataset));
    }
  }
  int64_t failures = 0;
  for (const Cell& c : m.cells) failures += c.failures;
  if (failures > 0) {
    h->notes.push_back(fmt::format(
        "{} execution{} not ok. A comparison is over the queries that never failed on either side.",
        failures, failures == 1 ? " was" : "s were"));
  }
  if (m.iterations == 1) {
    h->notes.push_back("One pass only: no spread is known, so no figure has an interval.");
  } else if (m.iterations == 2) {
    h->notes.push_back("Two passes only: intervals are very wide.");
  }
  if (m.derived_from_tpcds) {
    h->notes.push_back(
        "Results from this dataset are derived from TPC-DS and are not comparable to published "
        "TPC-DS results.");
  }
}

}  // namespace

Headline MakeHeadline(const Model& m) {
  Headline h;
  const std::vector<Group> groups = GroupsOf(m);
  const auto main =
      std::max_element(groups.begin(), groups.end(),
                       [](const Group& a, const Group& b) { return a.baseline_s < b.baseline_s; });
  if (main == groups.end() || m.done == 0) {
    h.sentence = "Nothing has been measured yet.";
    AddNotes(m, &h);
    return h;
  }
  const std::string where =
      groups.size() > 1 ? fmt::format("{}{}{}: ", m.engines.size() > 1 ? main->engine : "",
                                      m.engines.size() > 1 && m.datasets.size() > 1 ? ", " : "",
                                      m.datasets.size() > 1 ? main->dataset : "")
                        : "";
  const std::string size_layout = FarthestSize(m, *main);
  const Cell* far = FarthestStore(*main, size_layout.empty() ? m.compare_layout : size_layout);
  std::vector<std::string> sentences;
  if (!size_layout.empty()) {
    sentences.push_back(where + SizeSentence(m, *main, size_layout));
    if (far != nullptr) sentences.push_back(StoreSentence(m, *far));
    const Cell* slow = nullptr;  // without another store: the ratio to the baseline layout
    for (const Cell* c : main->cells) {
      if (c->layout == size_layout && c->vs_layout &&
          (slow == nullptr || c->vs_layout->ratio->value > slow->vs_layout->ratio->value)) {
        slow = c;
      }
    }
    if (far != nullptr) {
      h.ratio =
          RatioOf(*far->vs_store, fmt::format("pass time of {} over {} with {} files{}",
                                              StoreName(*far), far->vs_store->baseline, far->layout,
                                              where.empty() ? "" : ", " + main->dataset));
    } else if (slow != nullptr) {
      h.ratio =
          RatioOf(*slow->vs_layout, fmt::format("pass time of {} over {} files on {}", size_layout,
                                                m.compare_layout, StoreName(*slow)));
    }
    const Cell* like = far != nullptr ? far : slow;
    const auto scales =
        like == nullptr ? std::vector<const Cell*>{} : AcrossScales(m, *like, far != nullptr);
    if (scales.size() > 1) sentences.push_back(GrowthSentence(scales, far != nullptr, m));
  } else if (far != nullptr && m.layouts.size() <= 1) {
    sentences.push_back(where + StoreSentence(m, *far));
    h.ratio = RatioOf(*far->vs_store, fmt::format("pass time of {} over {}{}", StoreName(*far),
                                                  far->vs_store->baseline,
                                                  where.empty() ? "" : ", " + main->dataset));
    const auto scales = AcrossScales(m, *far, true);
    if (scales.size() > 1) sentences.push_back(GrowthSentence(scales, true, m));
  } else {
    // Layouts that differ in more than file size, dataset by dataset, in the store compared with.
    const Cell* widest = nullptr;
    for (const Group& g : groups) {
      const std::string store = g.cells.front()->store;
      std::string sentence;
      for (const std::string& candidate : {m.compare_store, store}) {
        if (sentence.empty()) sentence = FormatSentence(g, candidate, m);
      }
      if (sentence.empty()) continue;
      sentences.push_back((groups.size() > 1
                               ? (m.engines.size() > 1 ? g.engine + ", " : "") + g.dataset + ": "
                               : "") +
                          sentence);
      for (const Cell* c : g.cells) {
        if (c->vs_layout && !m.Coincide(c->dataset, c->layout, m.compare_layout) &&
            (widest == nullptr || std::abs(std::log(c->vs_layout->ratio->value)) >
                                      std::abs(std::log(widest->vs_layout->ratio->value)))) {
          widest = c;
        }
      }
    }
    if (widest != nullptr) {
      h.ratio =
          RatioOf(*widest->vs_layout,
                  fmt::format("pass time of {} over {} on {}, {} (the widest gap)", widest->layout,
                              m.compare_layout, StoreName(*widest), widest->dataset));
    }
    if (far != nullptr) sentences.push_back(StoreSentence(m, *far));
  }
  if (sentences.empty()) {
    for (const Cell* c : main->cells) {
      if (c->suite.n == 0) continue;
      const auto interval = MeanInterval(c->suite);
      sentences.push_back(
          fmt::format("{}A pass takes {} on {} with {} files ({}).", where,
                      SecondsText(c->suite.mean), StoreName(*c), c->layout,
                      interval ? fmt::format("95% interval {} to {}", SecondsText(interval->low),
                                             SecondsText(interval->high))
                               : "one pass: no interval"));
      break;
    }
  }
  if (sentences.empty()) {
    sentences.push_back(
        "No pass was completed and no query is ok on both sides of a comparison, so there "
        "is nothing to compare.");
  }
  for (const std::string& s : sentences) h.sentence += (h.sentence.empty() ? "" : " ") + s;
  AddNotes(m, &h);
  return h;
}

std::vector<Doubling> FindDoublings(const Model& m) {
  std::vector<Doubling> found;
  for (const Group& g : GroupsOf(m)) {
    for (const std::string& store : m.stores) {
      std::vector<const Cell*> cells;
      const Cell* base = m.Find(g.engine, store, m.compare_layout, g.dataset);
      if (base == nullptr) continue;
      for (const Cell* c : g.cells) {
        if (c->store == store && c->vs_layout && c->format == base->format &&
            SizeOf(*c) < SizeOf(*base)) {
          cells.push_back(c);
        }
      }
      if (cells.empty()) continue;
      std::stable_sort(cells.begin(), cells.end(),
                       [](const Cell* a, const Cell* b) { return SizeOf(*a) > SizeOf(*b); });
      Doubling d{g.engine, g.dataset, store, "", ""};
      const auto twice = std::find_if(cells.begin(), cells.end(), [](const Cell* c) {
        return c->vs_layout->ratio->value >= 2;
      });
      if (twice == cells.end()) {
        d.text = fmt::format("{} never takes twice its {} time: {} at {}", StoreName(*base),
                             m.compare_layout, RatioText(cells.back()->vs_layout->ratio),
                             cells.back()->layout);
      } else {
        const auto& ratio = (*twice)->vs_layout->ratio;
        d.layout = (*twice)->layout;
        d.text = fmt::format("{} first takes twice its {} time at {}: {}{}", StoreName(*base),
                             m.compare_layout, d.layout, RatioText(ratio),
                             ratio->interval && ratio->interval->low < 2
                                 ? "; its interval reaches below twice"
                                 : "");
      }
      found.push_back(std::move(d));
    }
  }
  return found;
}

}  // namespace lakegauge::analyze
