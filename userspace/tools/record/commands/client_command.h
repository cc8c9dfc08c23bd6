// SPDX-License-Identifier: BSD-2-Clause
// What the commands have in common that speak to a controller.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "control/client/client.h"
#include "tools/common/command_line.h"
#include "util/result.h"

namespace tools {

void AddSocketOption(const Command& command, std::string& socket);

// The program's name in messages.
inline constexpr const char* kControlProgram = "fxt-record";

// Says it on standard error. The exit code.
int FailControl(const util::Error& error);

// Connects and runs it; the exit code.
int WithClient(const std::string& socket, const std::function<int(control::Client&)>& run);

// "wrote FILE (1.2 MiB, 12,345 events, 10.0 s)", on standard error.
void TellWritten(const std::string& path, const request::WrittenTrace& written);

}  // namespace tools
