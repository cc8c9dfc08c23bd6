// SPDX-License-Identifier: BSD-2-Clause
// Shared parts of subcommands that write a file.
#pragma once

#include <string>

#include "output/output_file.h"
#include "tools/common/command_line.h"
#include "util/result.h"

namespace tools {

// The mandatory option -o of a subcommand that writes a trace.
void AddTraceOutput(const Command& command, std::string& output);

// Fails if both are the same file, which would be emptied before it is read. "-" is not a file.
util::Status RefuseSameFile(const std::string& input, const std::string& output);

// Reports a failed output and returns kExitUnreadable. If the reader of standard output closed the
// pipe, prints nothing and returns kExitOk.
int FailOutput(const std::string& output, const util::Error& error);

// Gives an output the mode and group of `input`, so that the same users may read it. Output from a
// pipe is readable by its owner only.
output::FileOptions OutputLike(const std::string& input);

}  // namespace tools
