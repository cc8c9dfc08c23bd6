// SPDX-License-Identifier: BSD-2-Clause
// What `fxt` exits with, and how it says why.
#pragma once

#include "util/result.h"

namespace tools {

inline constexpr const char* kProgram = "fxt";

// What the process exits with.
inline constexpr int kExitOk = 0;
inline constexpr int kExitFindings = 1;
inline constexpr int kExitUnreadable = 2;  // also for a wrong command line, and unwritable output
inline constexpr int kExitWorse = 3;       // diff --fail, and something got worse

// Tells the error on standard error; kExitUnreadable.
int Fail(const util::Error& error);

}  // namespace tools
