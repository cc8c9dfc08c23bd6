// SPDX-License-Identifier: BSD-2-Clause
// A deflate encoder (RFC 1951) for records, which are sequences of 8-byte words.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "sink/huffman_code.h"

namespace sink {

class BitWriter;

// Looks for matches at every word, where general compressors look at every byte. Records repeat
// words, whole or without the low bytes in which times and numbers differ. Other data compress
// correctly but less well. docs/performance.md compares it with libraries.
class DeflateEncoder {
 public:
  static constexpr size_t kMaxInputBytes = 0xffff;
  // Room that the output needs beyond the size of the input.
  static constexpr size_t kSpareBytes = 16;

  // Writes a deflate stream of `in`, at most kMaxInputBytes, to `out`, which has kSpareBytes more.
  // Returns its size, at most in.size() + 5.
  size_t Encode(std::span<const std::byte> in, std::span<std::byte> out);

 private:
  static constexpr size_t kLiteralSymbols = 288;  // 286 of them are used
  static constexpr size_t kDistanceSymbols = 30;
  static constexpr size_t kLongestLength = 258;
  static constexpr int kTableBits = 12;
  using Table = std::array<uint16_t, size_t{1} << kTableBits>;

  // Literals, then a match of `length` bytes at `distance`.
  struct Sequence {
    uint16_t literals;
    uint16_t length;
    uint16_t distance;
    uint16_t distance_symbol;
  };
  // A symbol's code with its extra bits.
  struct Code {
    uint32_t bits;
    uint32_t size;
  };

  static size_t Slot(uint64_t word) { return (word * 0x9e3779b97f4a7c15) >> (64 - kTableBits); }
  // Finds an earlier word with the same upper half as the word at `at`, first at `distance`.
  // Returns the XOR of both and sets `distance`; the upper half of the XOR is not 0 if there is
  // none.
  uint64_t FindSimilar(const std::byte* in, size_t at, size_t end, size_t& distance);
  void FindSequences(std::span<const std::byte> in);
  void AddSequence(const std::byte* literals, size_t count, size_t length, size_t distance);
  void CountSymbols();
  // Size of the block without its header, with codes of these lengths.
  size_t BodyBits(std::span<const uint8_t> lengths) const;
  void MakeBlockCodes(std::span<const uint8_t> lengths);
  void WriteBody(std::span<const std::byte> in, BitWriter& out) const;

  // Hash tables of last positions, by the whole word and by its upper half.
  Table by_word_;
  Table by_upper_half_;
  std::array<Sequence, kMaxInputBytes / 8 + kMaxInputBytes / 255 + 1> sequences_;
  size_t sequence_count_ = 0;
  std::array<uint32_t, kLongestLength + 1> length_counts_;
  // Occurrences of literals, end and lengths; then of distances.
  std::array<uint32_t, kLiteralSymbols + kDistanceSymbols> counts_;
  std::array<Code, 257> literal_codes_;  // literals and the end of block
  std::array<Code, kLongestLength + 1> length_codes_;
  std::array<Code, kDistanceSymbols> distance_codes_;
};

}  // namespace sink
