// SPDX-License-Identifier: BSD-2-Clause
// Runs this program with other arguments and captures its output, within limits.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include "util/result.h"

namespace view {

struct ToolLimits {
  size_t max_bytes = size_t{16} << 20;
  size_t max_lines = SIZE_MAX;
  std::chrono::seconds timeout{60};
};

struct ToolOutput {
  std::string text;     // of standard output
  bool is_cut = false;  // the output exceeds the limits
};

// `words` are the arguments of `fxt`. Kills the process at a limit, or when `stops` becomes true.
// Errors: the message of a failed command, or the timeout.
util::Result<ToolOutput> RunTool(std::vector<std::string> words, const ToolLimits& limits,
                                 const std::atomic<bool>& stops);

}  // namespace view
