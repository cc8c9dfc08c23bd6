// SPDX-License-Identifier: BSD-2-Clause
#include "tools/common/command_line.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <map>
#include <utility>

#include "util/nearest.h"

namespace tools {
namespace {

// One value per option: the next word is something else. Arguments take all words.
template <typename T>
Option AddList(CLI::App& app, const char* names, std::vector<T>& values, const char* help) {
  CLI::Option* option = app.add_option(names, values, help);
  if (option->nonpositional()) option->allow_extra_args(false);
  return Option(*option);
}

std::string NameOf(const CLI::App& app) {
  std::string name = app.get_name();
  for (const CLI::App* chosen : app.get_subcommands()) name += " " + chosen->get_name();
  return name;
}

util::Error NoOption(const CLI::App& place, const std::map<std::string, std::string>& hints,
                     const std::string& help, const std::string& word) {
  const std::string name = word.substr(0, word.find('='));
  if (const auto hint = hints.find(name); hint != hints.end()) {
    return {fmt::format("there is no option '{}'", name), hint->second};
  }
  std::vector<std::string> known;
  for (const CLI::Option* option : place.get_options()) {
    for (const std::string& long_name : option->get_lnames()) known.push_back("--" + long_name);
  }
  return {fmt::format("there is no option '{}'", name),
          fmt::format("{}{} shows the options", util::Suggestion(name, known), help)};
}

// Rewrites CLI11's error in terms of the command line.
util::Error Explain(const CLI::App& app, const std::map<std::string, std::string>& hints,
                    const CLI::ParseError& error) {
  const auto chosen = app.get_subcommands();
  const std::vector<std::string> left = app.remaining(true);
  const std::string unknown = left.empty() ? "" : left.front();
  const std::string help = NameOf(app) + " --help";
  std::vector<std::string> known;
  for (const CLI::App* command : app.get_subcommands(nullptr)) known.push_back(command->get_name());
  if (chosen.empty() && !known.empty() && !unknown.empty() && !unknown.starts_with('-')) {
    const auto hint = hints.find(unknown);
    return {fmt::format("there is no command '{}'", unknown),
            hint != hints.end()
                ? hint->second
                : fmt::format("{}{} lists the commands", util::Suggestion(unknown, known), help)};
  }
  // The words behind -- are a command, for programs that run one.
  if (unknown.size() > 2 && unknown.starts_with("--")) {
    return NoOption(chosen.empty() ? app : *chosen.front(), hints, help, unknown);
  }
  return {error.what(), help + " shows the options"};
}

}  // namespace

Option Option::Type(const char* name) const {
  option_->type_name(name);
  return *this;
}

Option Option::ShowDefault() const {
  option_->capture_default_str();
  return *this;
}

Option Option::Required() const {
  option_->required();
  return *this;
}

Option Option::Commas() const {
  option_->delimiter(',');
  return *this;
}

Option Option::Several() const {
  option_->expected(1, CLI::detail::expected_max_vector_size)->allow_extra_args();
  return *this;
}

Option Option::Range(uint64_t lowest, uint64_t highest) const {
  option_->check(CLI::Range(lowest, highest));
  return *this;
}

Option Option::Excludes(const char* other) const {
  option_->excludes(other);
  return *this;
}

Option Option::Needs(const char* other) const {
  option_->needs(other);
  return *this;
}

Option Command::Add(const char* names, std::string& value, const char* help) const {
  return Option(*app_->add_option(names, value, help));
}

Option Command::Add(const char* names, uint64_t& value, const char* help) const {
  return Option(*app_->add_option(names, value, help));
}

Option Command::Add(const char* names, std::vector<std::string>& values, const char* help) const {
  return AddList(*app_, names, values, help);
}

Option Command::Add(const char* names, std::vector<uint32_t>& values, const char* help) const {
  return AddList(*app_, names, values, help);
}

Option Command::Add(const char* names, bool& flag, const char* help) const {
  return Option(*app_->add_flag(names, flag, help));
}

Option Command::AddInOrder(const char* names, std::function<void(const std::string&)> take,
                           const char* help) const {
  return Option(*app_->add_option_function<std::string>(names, take, help)->trigger_on_parse());
}

Option Command::AddFlag(const char* names, std::string& value, const char* help) const {
  return Option(*app_->add_flag(names, value, help));
}

Command Command::AddSubcommand(const char* name, const char* help) const {
  return Command(*app_->add_subcommand(name, help));
}

void Command::Footer(const char* text) const { app_->footer(text); }

void Command::OnRun(std::function<void()> run) const { app_->callback(std::move(run)); }

bool Command::Has(const char* option) const { return app_->count(option) > 0; }

Program::Program(const char* name, const char* description, const char* version)
    : Program(std::make_unique<CLI::App>(description, name)) {
  app().set_version_flag("--version", version, "Print the version");
  app().set_help_flag("-h,--help", "Print this help");
}

Program::Program(std::unique_ptr<CLI::App> app) : Command(*app), owned_(std::move(app)) {}

Program::~Program() = default;

void Program::OptionsFirst() const { app().prefix_command(); }

void Program::AddHint(const char* word, const char* hint) { hints_.emplace(word, hint); }

void Program::RequireSubcommand() const { app().require_subcommand(1); }

util::Result<bool> Program::Parse(int argc, char** argv) const {
  try {
    app().parse(argc, argv);
    return true;
  } catch (const CLI::Success& wanted) {
    app().exit(wanted);
    return false;
  } catch (const CLI::ParseError& error) {
    return Explain(app(), hints_, error);
  }
}

std::vector<std::string> Program::Rest() const {
  std::vector<std::string> words = app().remaining();
  if (!words.empty() && words.front() == "--") words.erase(words.begin());
  return words;
}

util::Error Program::NoSuchOption(const std::string& word) const {
  return NoOption(app(), hints_, NameOf(app()) + " --help", word);
}

bool Program::HasDashes() const {
  const std::vector<std::string> words = app().remaining();
  return !words.empty() && words.front() == "--";
}

}  // namespace tools
