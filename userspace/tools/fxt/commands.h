// SPDX-License-Identifier: BSD-2-Clause
// The subcommands of `fxt`. A new one is a cmd_NAME.cc with an Add function, declared here, and a
// line in the table of main.cc.
#pragma once

#include "tools/common/command_line.h"
#include "tools/fxt/support/failure.h"

namespace tools {

// Adds a subcommand to `program`: options, help, and a callback that does the work and sets
// `exit_code`.
using AddCommand = void (*)(const Command& program, int& exit_code);

void AddInfo(const Command& program, int& exit_code);
void AddCheck(const Command& program, int& exit_code);
void AddDump(const Command& program, int& exit_code);
void AddJson(const Command& program, int& exit_code);
void AddTrim(const Command& program, int& exit_code);
void AddRecover(const Command& program, int& exit_code);
void AddImport(const Command& program, int& exit_code);
void AddMerge(const Command& program, int& exit_code);
void AddLbr(const Command& program, int& exit_code);
void AddDiff(const Command& program, int& exit_code);
void AddReport(const Command& program, int& exit_code);
void AddSummarize(const Command& program, int& exit_code);
void AddQuery(const Command& program, int& exit_code);
void AddExport(const Command& program, int& exit_code);
void AddFlame(const Command& program, int& exit_code);
void AddDraw(const Command& program, int& exit_code);
void AddPath(const Command& program, int& exit_code);
void AddOpen(const Command& program, int& exit_code);
void AddView(const Command& program, int& exit_code);

}  // namespace tools
