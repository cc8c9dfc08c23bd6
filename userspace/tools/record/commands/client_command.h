// SPDX-License-Identifier: BSD-2-Clause
// Helpers of the commands that call a controller.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "control/client/client.h"
#include "tools/common/command_line.h"
#include "util/result.h"

namespace tools {

void AddSocketOption(const Command& command, std::string& socket);

// The name of the program in messages.
inline constexpr const char* kControlProgram = "fxt-record";

// Prints the error. Returns the exit code.
int FailControl(const util::Error& error);

// Connects and calls `run`. Returns the exit code.
int WithClient(const std::string& socket, const std::function<int(control::Client&)>& run);

// "wrote FILE (1.2 MiB, 12,345 events, 10.0 s)", on standard error.
void NoteWritten(const std::string& path, const request::WrittenTrace& written);

}  // namespace tools
