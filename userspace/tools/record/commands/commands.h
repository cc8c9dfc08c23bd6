// SPDX-License-Identifier: BSD-2-Clause
// The subcommands of fxt-record. A new one is a cmd_NAME.cc with an Add function that is declared
// here, and a line in the table of commands.cc.
#pragma once

#include <string_view>

#include "tools/common/command_line.h"

namespace tools {

// True if the first word of a command line is a subcommand, and no command to record.
bool IsControlCommand(std::string_view word);
// Runs the command line. Returns the exit code.
int RunControlCommand(int argc, char** argv);

// Each adds a subcommand to `program`: options, help, and a callback that runs it and sets
// `exit_code`.
using AddControlCommand = void (*)(const Command& program, int& exit_code);

void AddServe(const Command& program, int& exit_code);
void AddStart(const Command& program, int& exit_code);
void AddStatus(const Command& program, int& exit_code);
void AddSnapshot(const Command& program, int& exit_code);
void AddStop(const Command& program, int& exit_code);
void AddCancel(const Command& program, int& exit_code);
void AddAlert(const Command& program, int& exit_code);

}  // namespace tools
