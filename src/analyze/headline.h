#pragma once
// The answer in one sentence: what can honestly be said of the experiment at hand, with its effect
// and interval, and what must be known beside it. Adapts to experiments with one layout, one store,
// one cell, formats instead of sizes, several datasets, failures and too few passes. What would
// make it longer than is read at a glance leads the notes.
//
// Threads: values.

#include <optional>
#include <string>
#include <vector>

#include "analyze/model.h"

namespace lakegauge::analyze {

struct HeadlineRatio {
  Effect effect;
  std::string what;
  std::string store;  // whose answer it is, where each store has one; else empty
};

struct Headline {
  std::string sentence;
  std::optional<HeadlineRatio> ratio;
  std::vector<HeadlineRatio> beside;  // the same question's answer in the other stores
  std::vector<std::string> notes;
};
Headline MakeHeadline(const Model& model);

// One engine, dataset and store: the largest file size at which it first takes twice its own
// compare.layout time; layout empty where it never does.
struct Doubling {
  std::string engine, dataset, store, layout, text;
};
std::vector<Doubling> FindDoublings(const Model& model);

}  // namespace lakegauge::analyze
