// SPDX-License-Identifier: BSD-2-Clause
// Huffman codes of deflate (RFC 1951, section 3.2.2).
#pragma once

#include <cstdint>
#include <span>

namespace sink {

// Deflate's limits for the length of a code and the number of symbols.
inline constexpr int kMaxCodeBits = 15;
inline constexpr int kMaxCodeSymbols = 288;

// Computes code lengths of at most `limit` bits for symbols that occur `counts` times. They are
// optimal unless the limit applies, and near-optimal then. The length is 0 for a symbol that does
// not occur, and 1 for a single symbol. At most 2^limit and kMaxCodeSymbols symbols; counts below
// 2^23.
void MakeCodeLengths(std::span<const uint32_t> counts, int limit, std::span<uint8_t> lengths);

// Computes the codes of these lengths with their first bit lowest, the order of BitWriter.
void MakeCodes(std::span<const uint8_t> lengths, std::span<uint16_t> codes);

}  // namespace sink
