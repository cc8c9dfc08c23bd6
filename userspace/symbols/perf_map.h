// SPDX-License-Identifier: BSD-2-Clause
// Reads the list of JIT-compiled functions that a program writes for profilers, /tmp/perf-PID.map.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "symbols/symbol_table.h"
#include "util/result.h"

namespace symbols {

// Limits of one list: bytes of the file, and functions and bytes of names that are in use at once.
// Together they bound the memory of reading to about 200 MB.
inline constexpr uint64_t kMaxPerfMapBytes = uint64_t{256} << 20;
inline constexpr size_t kMaxPerfMapFunctions = size_t{1} << 20;
inline constexpr size_t kMaxPerfMapNames = size_t{64} << 20;

// Parses lines "START SIZE name" with hexadecimal numbers; a name may contain spaces. Other lines
// are skipped. Of overlapping functions the last one wins, because it replaced the others. Empty
// beyond the limits: a part of the list would name addresses wrongly.
std::optional<SymbolTable> ParsePerfMap(std::string_view text);

struct PerfMapSource {
  uint32_t pid = 0;  // as this machine numbers it
  // The process's user, if it is known.
  std::optional<uid_t> user = {};
  // The root of the recorded machine's files; empty: this machine.
  std::string root = {};
  std::string proc = "/proc";  // a parameter for tests
};

// Reads the list of a process, which any user may have put there. A process that still runs is
// asked for the list in its own mount namespace, under its pid there. The file must belong to the
// process's user or to root, and must be neither a link nor anything but a regular file.
util::Result<SymbolTable> ReadPerfMap(const PerfMapSource& source);

}  // namespace symbols
