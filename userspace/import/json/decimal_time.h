// SPDX-License-Identifier: BSD-2-Clause
// Times of the Trace Event Format, to the nanosecond.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace importer {

// Microseconds, a JSON number with or without a fraction, as nanoseconds, rounded to the nearest.
// Not by way of a double, which has no room for the nanoseconds of a wall clock. Empty: no number,
// or beyond 292 years.
std::optional<int64_t> NanosecondsOfMicroseconds(std::string_view number);
// The same for seconds, as ftrace prints them.
std::optional<int64_t> NanosecondsOfSeconds(std::string_view number);

}  // namespace importer
