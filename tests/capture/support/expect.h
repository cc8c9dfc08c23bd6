// SPDX-License-Identifier: BSD-2-Clause
// Requirements for every end of the recorder.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "capture/ftrace/fxt_log.h"
#include "capture/support/child_process.h"

namespace truth {

// The recorder failed with its own exit code and one or two lines that contain `words` (any case)
// and no internal details.
testing::AssertionResult IsClearError(const CommandResult& result,
                                      const std::vector<std::string>& words);

// The recorder ended by itself with `exit_code` before the limit.
testing::AssertionResult Exited(const CommandResult& result, int exit_code);

// The file at `path` is complete and in time order, every thread has a name, and `fxt check`
// passes. `log` gets its contents.
testing::AssertionResult IsWholeFile(const std::string& path, FxtLog* log = nullptr);

// The file is readable up to a truncation.
testing::AssertionResult IsReadableFile(const std::string& path, FxtLog* log = nullptr);

// The recorder either succeeds with a valid file or fails with a clear message and no file.
// Failures name `what`.
void ExpectWorksOrSaysWhy(const char* what, const CommandResult& result, const std::string& path);

// Returns whether `text` contains `word`, ignoring case.
bool Mentions(std::string_view text, std::string_view word);

}  // namespace truth
