#include "cli/command_line.h"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "base/yaml.h"

namespace lakegauge::cli {
namespace {

std::vector<std::string> SubcommandNames(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(command->get_name());
  }
  return names;
}

std::vector<std::string> OptionNames(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    for (const auto& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

std::string Unknown(std::string_view what, const std::string& found,
                    const std::vector<std::string>& allowed) {
  return fmt::format("unknown {} '{}'{}", what, found, DidYouMean(found, allowed));
}

}  // namespace

Error CommandLineProblem(const CLI::App& app, const CLI::ParseError& error) {
  const CLI::App* command = &app;
  std::string words = app.get_name();
  while (!command->get_subcommands().empty()) {
    command = command->get_subcommands().front();
    words += " " + command->get_name();
  }
  const std::vector<std::string> left = command->remaining();
  std::string message;
  if (left.empty()) {
    message = error.what();
  } else if (left.front().starts_with('-')) {
    message =
        Unknown("option", left.front().substr(0, left.front().find('=')), OptionNames(*command));
  } else if (command == &app) {
    message = Unknown("subcommand", left.front(), SubcommandNames(app));
  } else {
    message = fmt::format("one argument too many: '{}'", left.front());
  }
  return MakeError(ErrorCode::kInvalidArgument,
                   fmt::format("{} ({} --help shows what is allowed)", message, words));
}

}  // namespace lakegauge::cli
