// SPDX-License-Identifier: BSD-2-Clause
// The subcommands of `fxt`. A new one is a cmd_NAME.cc with an Add function, declared here, and a
// line in the table of main.cc.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "util/result.h"

namespace tools {

// What the process exits with.
inline constexpr int kExitOk = 0;
inline constexpr int kExitFindings = 1;
inline constexpr int kExitUnreadable = 2;  // also for a wrong command line, and unwritable output

// Adds a subcommand to `app`: options, help, and a callback that does the work and sets
// `exit_code`.
using AddCommand = void (*)(CLI::App& app, int& exit_code);

void AddInfo(CLI::App& app, int& exit_code);
void AddCheck(CLI::App& app, int& exit_code);
void AddDump(CLI::App& app, int& exit_code);
void AddJson(CLI::App& app, int& exit_code);
void AddTrim(CLI::App& app, int& exit_code);
void AddRecover(CLI::App& app, int& exit_code);
void AddImport(CLI::App& app, int& exit_code);
void AddLbr(CLI::App& app, int& exit_code);

inline constexpr const char* kProgram = "fxt";

// Tells the error on standard error; kExitUnreadable.
int Fail(const util::Error& error);

}  // namespace tools
