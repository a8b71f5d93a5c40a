#pragma once
// Reads an experiment from its YAML tree and notes every problem there; the keys it asks for are
// the format. Only experiment*.cc includes this.
//
// Threads: one. Errors: problems of the node's document.

#include <string>

#include "base/yaml.h"
#include "run/experiment.h"

namespace lakegauge::run {

// Key of the folder that relative paths start from.
inline constexpr char kRelativeTo[] = "relative_to";

// `base_dir` is where relative paths start from; "-" keeps it from looking at files at all.
Experiment ReadExperiment(const YamlNode& root, const std::string& base_dir);

// Whether `text` fits `pattern`, in which * stands for any text.
bool PatternMatches(std::string_view pattern, std::string_view text);

// A path of the experiment, absolute (as it is where base_dir is "-").
std::string ResolvePath(const std::string& base_dir, const std::string& path);

}  // namespace lakegauge::run
