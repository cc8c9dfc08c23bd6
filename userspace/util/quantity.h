// SPDX-License-Identifier: BSD-2-Clause
// Parses and prints durations and sizes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "util/result.h"

namespace util {

// "500us", "20ms", "10s", "2m", "1h", with an optional fraction ("1.5s"); a number without a unit
// is seconds. In ns, above 0 and below a hundred years.
Result<uint64_t> ParseDuration(std::string_view text);

// "4096", "64K", "8M", "1G", in powers of 1024, with or without "iB" or "B". In bytes, above 0.
Result<uint64_t> ParseSize(std::string_view text);

// "12.3 MiB"; below 1 KiB "512 B".
std::string FormatSize(uint64_t bytes);
// "1:02:03" from an hour on, "2:03.4" from a minute on, "3.45 s" below, "12.3 ms" below a
// second, "45 us" below a millisecond; zero is "0.0 ms".
std::string FormatDuration(uint64_t ns);
// "1,234,567".
std::string FormatCount(uint64_t count);

}  // namespace util
