// SPDX-License-Identifier: BSD-2-Clause
// Functions that a program has compiled while it ran, as it lists them for profilers in
// /tmp/perf-PID.map.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "symbols/symbol_table.h"
#include "util/result.h"

namespace symbols {

// Larger ones are not read: bytes.
inline constexpr uint64_t kMaxPerfMapBytes = uint64_t{256} << 20;

// Lines "START SIZE name", both numbers hexadecimal; a name may have blanks. Lines of another form
// are passed over. Where functions overlap the last one counts: it took the others' place.
SymbolTable ParsePerfMap(std::string_view text);

// Error: it cannot be opened or read, is no regular file, or is too large.
util::Result<SymbolTable> ReadPerfMap(const std::string& path);

}  // namespace symbols
