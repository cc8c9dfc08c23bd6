// SPDX-License-Identifier: BSD-2-Clause
// Other programs, run to their end.
#pragma once

#include <string>
#include <vector>

namespace testing_support {

struct CommandResult {
  // Exit status; 128 and the number of the signal that ended it; -1 when it could not be started.
  int status = -1;
  std::string out;
  std::string err;
};

// The first word is the program, found as a shell finds it. `input` is its standard input.
CommandResult RunCommand(const std::vector<std::string>& words, const std::string& input = "");
// A line for sh.
CommandResult RunShell(const std::string& line);

// A program that is built beside this one ("fxt"); "" if it is not there.
std::string BuiltProgram(const std::string& name);

}  // namespace testing_support
