#pragma once
// What is wrong with a command line, in one line: hides what the parser says for itself.

#include <CLI/CLI.hpp>

#include "base/result.h"

namespace lakegauge::cli {

// Of an `error` that app.parse() threw, not being --help or --version: names what was found, the
// nearest that is allowed, and where the rest is shown.
Error CommandLineProblem(const CLI::App& app, const CLI::ParseError& error);

}  // namespace lakegauge::cli
