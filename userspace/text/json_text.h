// SPDX-License-Identifier: BSD-2-Clause
// Pieces of JSON (RFC 8259), appended to a buffer.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string_view>

namespace text {

// Quoted; what JSON does not allow, or a terminal does not show (see clean_text.h), escaped. What
// is not UTF-8 becomes U+FFFD.
void AppendJsonString(fmt::memory_buffer& out, std::string_view text);

// Numbers that a reader which keeps numbers as doubles (JavaScript) would round, those beyond 2^53,
// are strings of the same digits.
void AppendJsonNumber(fmt::memory_buffer& out, uint64_t value);
void AppendJsonNumber(fmt::memory_buffer& out, int64_t value);
// Shortest text that reads back as the same number; "NaN", "Infinity" and "-Infinity" as strings,
// for which JSON has no numbers.
void AppendJsonNumber(fmt::memory_buffer& out, double value);

// "0x..." as a string.
void AppendJsonHex(fmt::memory_buffer& out, uint64_t value);

// ns as microseconds with three decimals, exactly.
void AppendJsonMicroseconds(fmt::memory_buffer& out, uint64_t ns);

}  // namespace text
