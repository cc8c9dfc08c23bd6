// SPDX-License-Identifier: BSD-2-Clause
// What --symbols does once a recording has its end.
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
  uint64_t stacks = 0;    // that have names
  uint64_t left_out = 0;  // that came after the time or the memory for it was used up
};

// Writes the recording at `path` anew, with names (analyze::SymbolWriter), in its own place: it is
// there as it was until then, and stays so after an error or when `goes_on` says false. No names
// are looked for after kSymbolTimeout. Progress goes to `console`, on a terminal.
util::Result<SymbolPassResult> WriteSymbols(const std::string& path, bool gzip, Console& console,
                                            const std::function<bool()>& goes_on);

// One line about it.
std::string DescribeNames(const SymbolPassResult& names);

inline constexpr uint64_t kSymbolTimeout = 60'000'000'000;  // ns

}  // namespace tools
