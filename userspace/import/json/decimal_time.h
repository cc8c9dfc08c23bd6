// SPDX-License-Identifier: BSD-2-Clause
// Parses times of the Trace Event Format to the nanosecond.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace importer {

// Converts microseconds (a JSON number with or without a fraction) to nanoseconds, rounded to
// nearest. Avoids doubles, which cannot hold the nanoseconds of a wall clock. Empty if it is not
// a number or beyond 292 years.
std::optional<int64_t> NanosecondsOfMicroseconds(std::string_view number);
// The same for seconds, as printed by ftrace.
std::optional<int64_t> NanosecondsOfSeconds(std::string_view number);

}  // namespace importer
