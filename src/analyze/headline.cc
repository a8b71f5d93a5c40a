#include "analyze/headline.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace lakegauge::analyze {
namespace {

// Target file size, to order layouts by.
double SizeOf(const Cell& c) {
  return c.target_bytes == 0 ? std::numeric_limits<double>::infinity()
                             : static_cast<double>(c.target_bytes);
}

std::string StoreName(const Cell& c) { return c.emulated ? c.store + " (EMULATED)" : c.store; }

// One engine and dataset: what is compared within.
struct Group {
  std::string engine, dataset;
  std::vector<const Cell*> cells;
  double scale = 0;
  double longest_s = 0;  // average pass
};

std::vector<Group> GroupsOf(const Model& m) {
  std::vector<Group> groups;
  for (const Cell& c : m.cells) {
    auto at = std::find_if(groups.begin(), groups.end(), [&](const Group& g) {
      return g.engine == c.engine && g.dataset == c.dataset;
    });
    if (at == groups.end()) at = groups.insert(groups.end(), Group{c.engine, c.dataset, {}, 0, 0});
    at->cells.push_back(&c);
    if (m.dataset_scale.contains(c.dataset)) at->scale = m.dataset_scale.at(c.dataset);
    at->longest_s = std::max(at->longest_s, c.suite.mean);
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
  return v.queries == v.queries_asked ? ""
                                      : fmt::format(" over {} of {}", v.queries,
                                                    Counted(v.queries_asked, "query", "queries"));
}

// Stores that one sentence names: more are for the notes.
constexpr size_t kMostStores = 3;

// The cells that say most: what the others are compared with, and the ends of the range.
std::vector<const Cell*> Telling(const Model& m, const std::vector<const Cell*>& cells) {
  if (cells.size() <= kMostStores) return cells;
  const auto by_ratio = [](const Cell* a, const Cell* b) {
    return a->vs_layout->ratio().value < b->vs_layout->ratio().value;
  };
  const auto [least, most] = std::minmax_element(cells.begin(), cells.end(), by_ratio);
  std::vector<const Cell*> telling;
  for (const Cell* c : cells) {
    if (c == *least || c == *most || c->store == m.compare_store) telling.push_back(c);
  }
  return telling;
}

// "2.53 s more on local, 5.60 s instead of 3.07 s".
std::string ChangeText(const Cell& c) {
  const Comparison& v = *c.vs_layout;
  const double change = v.cell.mean - v.base.mean;
  return fmt::format("{} {} on {}{}, {} instead of {}", SecondsText(std::abs(change)),
                     change < 0 ? "less" : "more", StoreName(c), QueriesText(v),
                     SecondsText(v.cell.mean), SecondsText(v.base.mean));
}

// "With 1MiB instead of unlimited files a pass takes 2.53 s more on local, 5.60 s instead of 3.07
// s: 1.82x (1.47 to 2.3); ...", store by store as the experiment lists them.
std::string SizeSentence(const Model& m, const std::string& layout,
                         const std::vector<const Cell*>& cells) {
  const bool no_interval = std::none_of(cells.begin(), cells.end(), [](const Cell* c) {
    return c->vs_layout->ratio().interval.has_value();
  });
  std::string text =
      fmt::format("With {} instead of {} files a pass takes ", layout, m.compare_layout);
  for (size_t i = 0; i < cells.size(); ++i) {
    const Comparison& v = *cells[i]->vs_layout;
    if (i > 0) text += i + 1 == cells.size() ? "; and " : "; ";
    text += fmt::format("{}: {}", ChangeText(*cells[i]),
                        no_interval ? RatioText(v.ratio().value) : RatioText(v.effect));
  }
  if (!no_interval) return text + ".";
  return text + (cells.size() > 1 ? "; each with" : ";") + " too few passes for an interval.";
}

// The store whose pass takes longest against compare.store with this layout.
const Cell* FarthestStore(const Group& g, const std::string& layout) {
  const Cell* farthest = nullptr;
  for (const Cell* c : g.cells) {
    if (c->layout != layout || !c->vs_store) continue;
    if (farthest == nullptr || std::abs(std::log(c->vs_store->ratio().value)) >
                                   std::abs(std::log(farthest->vs_store->ratio().value))) {
      farthest = c;
    }
  }
  return farthest;
}

// A comparison told from the slower side, so that its ratio is at least 1: "14.5 times as long" is
// read at once, 0.069 is not.
struct Gap {
  std::string slower, faster;
  Sample slow, fast;
  Effect effect;
};

// `turned` is the other way round than the comparison has it.
Gap GapOf(const Comparison& v, bool turned, const std::string& mine, const std::string& base) {
  if (turned) return {base, mine, v.base, v.cell, Inverse(v.effect)};
  return {mine, base, v.cell, v.base, v.effect};
}

Effect Turned(const Comparison& v, bool turned) { return turned ? Inverse(v.effect) : v.effect; }

bool IsBelowOne(const Comparison& v) { return v.ratio().value < 1; }

std::string StoreNamed(const Model& m, const std::string& store) {
  const auto cell =
      std::find_if(m.cells.begin(), m.cells.end(), [&](const Cell& c) { return c.store == store; });
  return cell == m.cells.end() ? store : StoreName(*cell);
}

Gap StoreGap(const Model& m, const Cell& c) {
  return GapOf(*c.vs_store, IsBelowOne(*c.vs_store), StoreName(c),
               StoreNamed(m, c.vs_store->baseline));
}

std::string StoreSentence(const Model& m, const Cell& c) {
  const Gap gap = StoreGap(m, c);
  std::string text = fmt::format(
      "{} takes {} the time of {} for a pass{}: {} against {}", gap.slower, RatioText(gap.effect),
      gap.faster, QueriesText(*c.vs_store), SecondsText(gap.slow.mean), SecondsText(gap.fast.mean));
  // Whether the files were the same is not known of what another tool measured.
  if (m.imported && m.layouts.size() == 1) return text + ".";
  text = fmt::format("With {} {}", m.layouts.size() > 1 ? c.layout + " files" : "the same files",
                     text);
  const Cell* base = m.Find(c.engine, c.store, m.compare_layout, c.dataset);
  if (base != nullptr && base != &c && base->vs_store) {
    text += fmt::format("; with {} files {}", m.compare_layout,
                        RatioText(Turned(*base->vs_store, IsBelowOne(*c.vs_store))));
  }
  return text + ".";
}

// The baseline layout against the only other one, where `turned`.
std::string FormatSentence(const Group& g, const std::string& store, const Model& m, bool turned) {
  std::vector<std::string> parts;
  for (const Cell* c : g.cells) {
    if (c->store != store || !c->vs_layout || m.Coincide(c->dataset, c->layout, m.compare_layout)) {
      continue;
    }
    const Gap gap = GapOf(*c->vs_layout, turned, c->layout, m.compare_layout);
    const std::string ratio = RatioText(gap.effect);
    const std::string queries = QueriesText(*c->vs_layout);
    // Only the first says what all are compared with.
    parts.push_back(parts.empty()
                        ? fmt::format("{} takes {} the time of {} for a pass on {}{}", gap.slower,
                                      ratio, gap.faster, StoreName(*c), queries)
                        : fmt::format("{} {}{}", gap.slower, ratio, queries));
  }
  return parts.empty() ? "" : Joined(parts) + ".";
}

// Whether what a group shows grows from its smallest to its largest dataset of the same engine.
std::string GrowthSentence(const std::vector<const Cell*>& by_scale, bool stores, const Model& m) {
  const auto& first = stores ? by_scale.front()->vs_store : by_scale.front()->vs_layout;
  const auto& last = stores ? by_scale.back()->vs_store : by_scale.back()->vs_layout;
  const Sample up[] = {last->cell, first->base};
  const Sample down[] = {last->base, first->cell};
  const auto change = RatioOfMeans(up, down, 0.95, kSessionDrift);
  const bool turned = stores && IsBelowOne(*last);
  std::vector<std::string> parts;
  for (const Cell* c : by_scale) {
    parts.push_back(
        fmt::format("{} at scale {:g}",
                    RatioText(Turned(*(stores ? c->vs_store : c->vs_layout), turned).ratio->value),
                    m.dataset_scale.at(c->dataset)));
  }
  // Away from 1 is a wider gap, on either side of it.
  const bool above = last->ratio().value >= 1;
  const bool rises = change && change->interval && change->interval->low > 1;
  const bool falls = change && change->interval && change->interval->high < 1;
  const char* verdict = !change || !change->interval ? "too few passes to say whether it grows"
                        : (above ? rises : falls)    ? "the gap grows with the data"
                        : (above ? falls : rises)    ? "the gap shrinks as the data grows"
                                                     : "no change beyond noise as the data grows";
  const Cell& cell = *by_scale.back();
  const Gap gap =
      stores ? StoreGap(m, cell)
             : GapOf(*last, false, cell.layout + " files on " + StoreName(cell), last->baseline);
  return fmt::format("{} against {} over scales: {}; {}.", gap.slower, gap.faster, Joined(parts),
                     verdict);
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
    h->notes.push_back(fmt::format("The run is not complete: {} of {} {} done.", m.done,
                                   Counted(m.planned, "execution", "executions"),
                                   m.done == 1 ? "is" : "are"));
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
    h->notes.push_back(
        fmt::format("{} not ok. A comparison is over the queries that never failed on either side.",
                    Counted(failures, "execution was", "executions were")));
  }
  const auto uncertain = [](const std::string& text) {
    return text.find("not certain") != std::string::npos;
  };
  if (uncertain(h->sentence) || std::any_of(h->notes.begin(), h->notes.end(), uncertain)) {
    h->notes.push_back(fmt::format(
        "Not certain: the 95% interval leaves out 1x, but a pass is called slower or faster only "
        "at p below {}.",
        kTotalLevel));
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

// Sentences and ratio as they come together.
struct Told {
  std::vector<std::string> sentences;
  std::vector<std::string> aside;  // for the notes, whatever their length
  std::optional<HeadlineRatio> ratio;
  std::vector<HeadlineRatio> beside;
  bool says_where = false;  // each sentence names its engine and dataset
};

bool AllCoincide(const Model& m, const Group& g) {
  return m.layouts.size() > 1 && std::all_of(g.cells.begin(), g.cells.end(), [&](const Cell* c) {
           return c->layout == m.compare_layout ||
                  m.Coincide(g.dataset, c->layout, m.compare_layout);
         });
}

// How much an effect says: first whether it is certain, then how far from no difference it is.
std::pair<int, double> Weight(const Effect& e) {
  const bool marked = e.mark == Mark::kFaster || e.mark == Mark::kSlower;
  return {marked ? 2 : IsUncertain(e) ? 1 : 0, std::abs(std::log(e.ratio->value))};
}

void TellGrowth(const Model& m, const Cell& like, bool stores, Told* told) {
  const auto scales = AcrossScales(m, like, stores);
  if (scales.size() > 1) told->sentences.push_back(GrowthSentence(scales, stores, m));
}

// The stores' gap: the headline's ratio where nothing weightier has been told.
void TellStores(const Model& m, const Cell& far, Told* told) {
  told->sentences.push_back(StoreSentence(m, far));
  const std::string with = m.layouts.size() > 1 ? fmt::format(" with {} files", far.layout) : "";
  const std::string on = m.datasets.size() > 1 ? ", " + far.dataset : "";
  const Gap gap = StoreGap(m, far);
  if (!told->ratio) {
    told->ratio = HeadlineRatio{
        gap.effect, fmt::format("pass time of {} over {}{}{}", gap.slower, gap.faster, with, on),
        ""};
  }
  TellGrowth(m, far, true, told);
}

// What going to another file size does in each store, which is what such an experiment asks; then
// what the stores differ by.
void TellSizes(const Model& m, const Group& g, const std::string& layout, Told* told) {
  std::vector<const Cell*> cells;
  for (const Cell* c : g.cells) {
    if (c->layout == layout && c->vs_layout) cells.push_back(c);
  }
  const auto telling = Telling(m, cells);
  told->sentences.push_back(SizeSentence(m, layout, telling));
  std::erase_if(cells, [&](const Cell* c) {
    return std::find(telling.begin(), telling.end(), c) != telling.end();
  });
  if (!cells.empty()) told->aside.push_back(SizeSentence(m, layout, cells));
  const Cell* most =
      *std::max_element(telling.begin(), telling.end(), [](const Cell* a, const Cell* b) {
        return Weight(a->vs_layout->effect) < Weight(b->vs_layout->effect);
      });
  for (const Cell* c : telling) {
    HeadlineRatio ratio{
        c->vs_layout->effect,
        fmt::format("pass time of {} over {} files on {}", layout, m.compare_layout, StoreName(*c)),
        c->store};
    if (c == most) {
      told->ratio = std::move(ratio);
    } else {
      told->beside.push_back(std::move(ratio));
    }
  }
  TellGrowth(m, *most, false, told);
  if (const Cell* far = FarthestStore(g, layout)) TellStores(m, *far, told);
}

// Layouts that differ in more than file size, group by group.
void TellLayouts(const Model& m, const std::vector<Group>& groups, Told* told) {
  const Cell* widest = nullptr;
  for (const Group& g : groups) {
    for (const Cell* c : g.cells) {
      if (c->vs_layout && !m.Coincide(c->dataset, c->layout, m.compare_layout) &&
          (widest == nullptr || Weight(widest->vs_layout->effect) < Weight(c->vs_layout->effect))) {
        widest = c;
      }
    }
  }
  if (widest == nullptr) return;
  // All groups are told the same way round.
  const bool turned = m.layouts.size() == 2 && IsBelowOne(*widest->vs_layout);
  for (const Group& g : groups) {
    std::string sentence = FormatSentence(g, m.compare_store, m, turned);
    if (sentence.empty()) sentence = FormatSentence(g, g.cells.front()->store, m, turned);
    if (sentence.empty()) continue;
    std::string where = m.engines.size() > 1 ? g.engine + ", " : "";
    if (groups.size() > 1) sentence = where + g.dataset + ": " + sentence;
    told->sentences.push_back(std::move(sentence));
    told->says_where = true;
  }
  const Gap gap = GapOf(*widest->vs_layout, turned, widest->layout, m.compare_layout);
  told->ratio = HeadlineRatio{
      gap.effect,
      fmt::format("pass time of {} over {} on {}{}", gap.slower, gap.faster, StoreName(*widest),
                  groups.size() > 1 ? ", " + widest->dataset + " (the clearest gap)" : ""),
      ""};
}

// The first pass time there is, where nothing is compared.
void TellPass(const Group& g, Told* told) {
  for (const Cell* c : g.cells) {
    if (c->suite.n == 0) continue;
    const auto interval = MeanInterval(c->suite);
    told->sentences.push_back(
        fmt::format("A pass takes {} on {} with {} files ({}).", SecondsText(c->suite.mean),
                    StoreName(*c), c->layout,
                    interval ? fmt::format("95% interval {} to {}", SecondsText(interval->low),
                                           SecondsText(interval->high))
                             : "one pass: no interval"));
    return;
  }
}

size_t Words(const std::string& text) {
  return static_cast<size_t>(std::count(text.begin(), text.end(), ' ')) + 1;
}

// The first sentences, as many as are read at a glance; the others lead the notes.
void Tell(const Told& told, Headline* h) {
  constexpr size_t kMostWords = 60;
  for (const std::string& s : told.sentences) {
    if (h->sentence.empty()) {
      h->sentence = s;
    } else if (h->notes.empty() && Words(h->sentence) + Words(s) <= kMostWords) {
      h->sentence += " " + s;
    } else {
      h->notes.push_back(s);
    }
  }
  h->notes.insert(h->notes.end(), told.aside.begin(), told.aside.end());
}

}  // namespace

Headline MakeHeadline(const Model& m) {
  Headline h;
  const std::vector<Group> groups = GroupsOf(m);
  // The weightiest one: the largest scale, else the longest pass.
  const auto main =
      std::max_element(groups.begin(), groups.end(), [](const Group& a, const Group& b) {
        return std::pair(a.scale, a.longest_s) < std::pair(b.scale, b.longest_s);
      });
  Told told;
  if (main == groups.end() || m.done == 0) {
    told.sentences.push_back("Nothing has been measured yet.");
    told.says_where = true;
  } else if (const std::string layout = FarthestSize(m, *main); !layout.empty()) {
    TellSizes(m, *main, layout, &told);
  } else if (AllCoincide(m, *main) || m.layouts.size() == 1) {
    const Cell* far = FarthestStore(*main, m.compare_layout);
    if (far != nullptr) TellStores(m, *far, &told);
    if (told.sentences.empty()) TellPass(*main, &told);
    if (!told.sentences.empty() && m.layouts.size() > 1) {
      told.sentences.insert(told.sentences.begin(),
                            "All layouts hold the same files at this scale, so file size has no "
                            "effect to show.");
    }
  } else {
    TellLayouts(m, groups, &told);
    const Cell* far = FarthestStore(*main, m.compare_layout);
    if (far != nullptr) TellStores(m, *far, &told);
    if (told.sentences.empty()) TellPass(*main, &told);
  }
  if (told.sentences.empty()) {
    told.sentences.push_back(
        "No pass was completed and no query is ok on both sides of a comparison, so there is "
        "nothing to compare.");
  } else if (groups.size() > 1 && !told.says_where) {
    std::string where = m.engines.size() > 1 ? main->engine : "";
    if (m.datasets.size() > 1) where += (where.empty() ? "" : ", ") + main->dataset;
    told.sentences.front() = where + ": " + told.sentences.front();
  }
  Tell(told, &h);
  h.ratio = told.ratio;
  h.beside = told.beside;
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
            SizeOf(*c) < SizeOf(*base) && !m.Coincide(g.dataset, c->layout, base->layout)) {
          cells.push_back(c);
        }
      }
      if (cells.empty()) continue;
      std::stable_sort(cells.begin(), cells.end(),
                       [](const Cell* a, const Cell* b) { return SizeOf(*a) > SizeOf(*b); });
      Doubling d{g.engine, g.dataset, store, "", ""};
      const auto twice = std::find_if(cells.begin(), cells.end(), [](const Cell* c) {
        return c->vs_layout->ratio().value >= 2;
      });
      if (twice == cells.end()) {
        d.text = fmt::format("{} never takes twice its {} time: {} at {}", StoreName(*base),
                             m.compare_layout, RatioText(cells.back()->vs_layout->effect),
                             cells.back()->layout);
      } else {
        const Effect& effect = (*twice)->vs_layout->effect;
        const auto& interval = effect.ratio->interval;
        d.layout = (*twice)->layout;
        d.text =
            fmt::format("{} first takes twice its {} time at {}: {}{}", StoreName(*base),
                        m.compare_layout, d.layout, RatioText(effect),
                        interval && interval->low < 2 ? "; its interval reaches below twice" : "");
      }
      found.push_back(std::move(d));
    }
  }
  return found;
}

}  // namespace lakegauge::analyze
