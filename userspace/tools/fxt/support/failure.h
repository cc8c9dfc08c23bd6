// SPDX-License-Identifier: BSD-2-Clause
// Exit statuses of `fxt` and its error messages.
#pragma once

#include "util/result.h"

namespace tools {

inline constexpr const char* kProgram = "fxt";

// Exit statuses.
inline constexpr int kExitOk = 0;
inline constexpr int kExitFindings = 1;
inline constexpr int kExitUnreadable = 2;  // also for a wrong command line, and unwritable output
inline constexpr int kExitWorse = 3;       // diff --fail, and something got worse

// Prints the error on standard error and returns kExitUnreadable.
int Fail(const util::Error& error);

}  // namespace tools
