// SPDX-License-Identifier: BSD-2-Clause
// Reads the list of JIT-compiled functions that a program writes for profilers, /tmp/perf-PID.map.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "symbols/symbol_table.h"
#include "util/result.h"

namespace symbols {

// Limit of the file size, bytes.
inline constexpr uint64_t kMaxPerfMapBytes = uint64_t{256} << 20;

// Parses lines "START SIZE name" with hexadecimal numbers; a name may contain spaces. Other lines
// are skipped. Of overlapping functions the last one wins, because it replaced the others.
SymbolTable ParsePerfMap(std::string_view text);

// Error: it cannot be opened or read, is no regular file, or is too large.
util::Result<SymbolTable> ReadPerfMap(const std::string& path);

}  // namespace symbols
