// SPDX-License-Identifier: BSD-2-Clause
// Implements --symbols after the end of a recording.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "tools/record/process/console.h"
#include "util/result.h"

namespace tools {

struct SymbolPassResult {
  uint64_t file_bytes = 0;  // the file's size now
  uint64_t record_bytes = 0;
  uint64_t functions = 0;
  uint64_t stacks = 0;    // with names
  uint64_t left_out = 0;  // without names, because the time or the memory was used up
};

// Replaces the recording at `path` by one with function names (analyze::SymbolWriter). On an error,
// and when `goes_on` returns false, the file stays as it is. Stops naming after kSymbolTimeout.
// Shows progress on a terminal.
util::Result<SymbolPassResult> WriteSymbols(const std::string& path, bool gzip, Console& console,
                                            const std::function<bool()>& goes_on);

// One line about it.
std::string DescribeNames(const SymbolPassResult& names);

inline constexpr uint64_t kSymbolTimeout = 60'000'000'000;  // ns

}  // namespace tools
