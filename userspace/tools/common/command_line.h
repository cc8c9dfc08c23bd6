// SPDX-License-Identifier: BSD-2-Clause
// Options, subcommands and help. Wraps the part of CLI11 that the programs use, because CLI11 takes
// seconds to compile in every file that includes it.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "util/result.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace tools {

// A handle for further settings of an option. The program owns the option; copies refer to the same
// one.
class Option {
 public:
  explicit Option(CLI::Option& option) : option_(&option) {}

  // The name of the value in --help: FILE, TIME, N.
  Option Type(const char* name) const;
  // --help shows the variable's current value.
  Option ShowDefault() const;
  Option Required() const;
  // The value is a comma-separated list.
  Option Commas() const;
  // Takes all words up to the next option, and may be repeated.
  Option Several() const;
  // A value below `lowest` or above `highest` is an error.
  Option Range(uint64_t lowest, uint64_t highest) const;
  // Both options together are an error. The other one, such as --json, must exist already.
  Option Excludes(const char* other) const;
  // The option without the other one is an error. The other one must exist already.
  Option Needs(const char* other) const;

 private:
  CLI::Option* option_;
};

// A handle of a program or one of its subcommands. The program owns it; copies refer to the same
// command.
class Command {
 public:
  explicit Command(CLI::App& app) : app_(&app) {}

  // An option "-o,--output" or an argument "FILE" with a variable that outlives parsing. An option
  // with a vector may be repeated.
  Option Add(const char* names, std::string& value, const char* help) const;
  Option Add(const char* names, uint64_t& value, const char* help) const;
  Option Add(const char* names, std::vector<std::string>& values, const char* help) const;
  Option Add(const char* names, std::vector<uint32_t>& values, const char* help) const;
  Option Add(const char* names, bool& flag, const char* help) const;
  // A repeatable option whose order among other options matters: calls `take` for each value in
  // command-line order.
  Option AddInOrder(const char* names, std::function<void(const std::string&)> take,
                    const char* help) const;
  // A flag with an optional value behind a =; without one it is "true".
  Option AddFlag(const char* names, std::string& value, const char* help) const;

  Command AddSubcommand(const char* name, const char* help) const;
  // Text below the options in --help.
  void Footer(const char* text) const;
  // Called by Program::Parse if this subcommand was given.
  void OnRun(std::function<void()> run) const;

  // True if the option was given; `option` is its long name.
  bool Has(const char* option) const;

 protected:
  CLI::App& app() const { return *app_; }

 private:
  CLI::App* app_;
};

// The program: --help, --version and the added commands and options.
class Program : public Command {
 public:
  // `version` is the output of --version.
  Program(const char* name, const char* description, const char* version);
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  // The hint of the error for `word`, a command or an option that other tools have and this one
  // does not.
  void AddHint(const char* word, const char* hint);

  // Options end at the first other word: that word and all following are the Rest.
  void OptionsFirst() const;
  void RequireSubcommand() const;

  // Parses the command line into the variables. False if --help or --version was given and printed;
  // an error for a wrong command line.
  util::Result<bool> Parse(int argc, char** argv) const;
  // The words behind the options, without the -- between them.
  std::vector<std::string> Rest() const;
  // The error for an unknown option `word`, with the nearest known one.
  util::Error NoSuchOption(const std::string& word) const;
  // True if a -- stood before the Rest, which may be empty then.
  bool HasDashes() const;

 private:
  explicit Program(std::unique_ptr<CLI::App> app);

  std::unique_ptr<CLI::App> owned_;
  std::map<std::string, std::string> hints_;
};

}  // namespace tools
