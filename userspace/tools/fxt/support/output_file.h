// SPDX-License-Identifier: BSD-2-Clause
// What the subcommands that write a file have in common.
#pragma once

#include <string>

#include "output/output_file.h"
#include "tools/common/command_line.h"
#include "util/result.h"

namespace tools {

// The option -o of a subcommand that writes a trace, which has to be given.
void AddTraceOutput(const Command& command, std::string& output);

// An error when both are one file: it would be emptied before it is read. "-" is no file.
util::Status RefuseSameFile(const std::string& input, const std::string& output);

// After an output could not be written: tells why, and kExitUnreadable; but nothing, and kExitOk,
// when it was standard output and whoever read it has enough.
int FailOutput(const std::string& output, const util::Error& error);

// What is made of a trace is for those who may read the trace: the mode and group of `input`. What
// was piped in is for its owner alone.
output::FileOptions OutputLike(const std::string& input);

}  // namespace tools
