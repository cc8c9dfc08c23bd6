// SPDX-License-Identifier: BSD-2-Clause
// What every end of the recorder, good or bad, has to keep to.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "capture/ftrace/fxt_log.h"
#include "capture/support/child_process.h"

namespace truth {

// The recorder refused: a nonzero exit code of its own, one or two lines that name `words` (any
// case), and nothing that only a programmer understands.
testing::AssertionResult IsClearError(const CommandResult& result,
                                      const std::vector<std::string>& words);

// It ended of its own accord with `exit_code`, in time.
testing::AssertionResult Exited(const CommandResult& result, int exit_code);

// The file at `path` is whole, in time order, with every thread named, and `fxt check` finds
// nothing in it. `log`, when given, is what it holds.
testing::AssertionResult IsWholeFile(const std::string& path, FxtLog* log = nullptr);

// Cut anywhere, but readable up to there.
testing::AssertionResult IsReadableFile(const std::string& path, FxtLog* log = nullptr);

// Whatever is not allowed: done and whole, or refused in a clear word with no broken file. `what`
// is named in failures and shown.
void ExpectWorksOrSaysWhy(const char* what, const CommandResult& result, const std::string& path);

// Whether `text` holds `word`, whatever the case.
bool Mentions(std::string_view text, std::string_view word);

}  // namespace truth
