// SPDX-License-Identifier: BSD-2-Clause
// Prefix codes as deflate has them (RFC 1951, section 3.2.2).
#pragma once

#include <cstdint>
#include <span>

namespace sink {

// The longest code of a symbol, and the most symbols, that deflate knows.
inline constexpr int kMaxCodeBits = 15;
inline constexpr int kMaxCodeSymbols = 288;

// Lengths of codes, `limit` bits at most, for symbols that occur `counts` times: the best there
// are, or close to it where the limit binds. 0 for a symbol that does not occur. A symbol that
// occurs alone gets one bit. There are at most 2^limit and kMaxCodeSymbols symbols; counts are
// below 2^23.
void MakeCodeLengths(std::span<const uint32_t> counts, int limit, std::span<uint8_t> lengths);

// The codes that belong to the lengths, first bit lowest, as they are written.
void MakeCodes(std::span<const uint8_t> lengths, std::span<uint16_t> codes);

}  // namespace sink
