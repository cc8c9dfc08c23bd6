// SPDX-License-Identifier: BSD-2-Clause
// Options, subcommands and help of the programs: the little that they use of CLI11, which takes
// seconds to compile in every file that includes it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "util/result.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace tools {

// An option, to say more about. It belongs to the program; copies stand for the same option.
class Option {
 public:
  explicit Option(CLI::Option& option) : option_(&option) {}

  // What the value is called in --help: FILE, TIME, N.
  Option Type(const char* name) const;
  // --help shows what the variable holds now.
  Option ShowDefault() const;
  Option Required() const;
  // The value is several with commas between them.
  Option Commas() const;
  // Takes all words behind it up to the next option, and may be given again.
  Option Several() const;
  // A value below `lowest` or above `highest` is an error.
  Option Range(uint64_t lowest, uint64_t highest) const;
  // It is an error to give both. The other one, such as --json, has been added before.
  Option Excludes(const char* other) const;

 private:
  CLI::Option* option_;
};

// A program or one of its subcommands. It belongs to the program; copies stand for the same
// command.
class Command {
 public:
  explicit Command(CLI::App& app) : app_(&app) {}

  // An option "-o,--output" or an argument "FILE", whose value goes to a variable that outlives
  // parsing. An option with a vector may be given again.
  Option Add(const char* names, std::string& value, const char* help) const;
  Option Add(const char* names, uint64_t& value, const char* help) const;
  Option Add(const char* names, std::vector<std::string>& values, const char* help) const;
  Option Add(const char* names, std::vector<uint32_t>& values, const char* help) const;
  Option Add(const char* names, bool& flag, const char* help) const;
  // An option that may be given again, and whose place among others counts: `take` is called with
  // each value, in the order of the command line.
  Option AddInOrder(const char* names, std::function<void(const std::string&)> take,
                    const char* help) const;
  // A flag that may have a value behind a =; without one it is "true".
  Option AddFlag(const char* names, std::string& value, const char* help) const;

  Command AddSubcommand(const char* name, const char* help) const;
  // Shown below the options in --help.
  void Footer(const char* text) const;
  // Called by Program::Parse when this is the subcommand that was given.
  void OnRun(std::function<void()> run) const;

  // Whether the option was given, by its long name.
  bool Has(const char* option) const;

 protected:
  CLI::App& app() const { return *app_; }

 private:
  CLI::App* app_;
};

// The program as a whole: --help, --version and what was added.
class Program : public Command {
 public:
  // `version` is the line that --version prints.
  Program(const char* name, const char* description, const char* version);
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  // Options end at the first word that is none: that one and what follows are the Rest.
  void OptionsFirst() const;
  void RequireSubcommand() const;

  // Fills the variables. False if --help or --version was given, and answered on standard output;
  // an error for a wrong command line.
  util::Result<bool> Parse(int argc, char** argv) const;
  // What stands behind the options, without the -- between them.
  std::vector<std::string> Rest() const;
  // That `word` is no option of the program; names the nearest one.
  util::Error NoSuchOption(const std::string& word) const;
  // Whether a -- stood before the Rest, which may be empty then.
  bool HasDashes() const;

 private:
  explicit Program(std::unique_ptr<CLI::App> app);

  std::unique_ptr<CLI::App> owned_;
};

}  // namespace tools
