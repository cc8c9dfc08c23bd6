// SPDX-License-Identifier: BSD-2-Clause
// Deflate (RFC 1951) for records: a row of 8-byte words, many of them repeated.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "sink/huffman_code.h"

namespace sink {

class BitWriter;

// What general compressors spend most on, looking for repetitions at every byte, is done at every
// word here. Records repeat in words: the whole of one, or all but the low bytes that make a time
// or a number differ from the last one. Other bytes come out as valid, but longer than elsewhere.
class DeflateEncoder {
 public:
  static constexpr size_t kMaxInputBytes = 0xffff;
  // What the output has to have room for beyond the input's size, however little of it is used.
  static constexpr size_t kSpareBytes = 16;

  // Writes a deflate stream that unpacks to `in`, kMaxInputBytes at most, to `out`, which has room
  // for kSpareBytes more. Returns its size, at most 5 bytes more than the input.
  size_t Encode(std::span<const std::byte> in, std::span<std::byte> out);

 private:
  static constexpr size_t kLiteralSymbols = 288;  // 286 of them are used
  static constexpr size_t kDistanceSymbols = 30;
  static constexpr size_t kLongestLength = 258;
  static constexpr int kTableBits = 12;
  using Table = std::array<uint16_t, size_t{1} << kTableBits>;

  // Bytes that stand for themselves, then a repetition of what stands `distance` before.
  struct Sequence {
    uint16_t literals;
    uint16_t length;
    uint16_t distance;
    uint16_t distance_symbol;
  };
  // A symbol's code and its extra bits behind it, ready to be written.
  struct Code {
    uint32_t bits;
    uint32_t size;
  };

  static size_t Slot(uint64_t word) { return (word * 0x9e3779b97f4a7c15) >> (64 - kTableBits); }
  // What the word at `at` differs by from one before that shares its upper half, if there is one
  // (the upper half of what is returned is 0 then). Tries what stands `distance` before first, and
  // sets `distance` to that of the best.
  uint64_t FindSimilar(const std::byte* in, size_t at, size_t end, size_t& distance);
  void FindSequences(std::span<const std::byte> in);
  void AddSequence(const std::byte* literals, size_t count, size_t length, size_t distance);
  void CountSymbols();
  // Of everything in the block but its header, with codes of these lengths.
  size_t BodyBits(std::span<const uint8_t> lengths) const;
  void MakeBlockCodes(std::span<const uint8_t> lengths);
  void WriteBody(std::span<const std::byte> in, BitWriter& out) const;

  // Positions of the last word that hashed to it, by all of its bytes and by its upper half.
  Table by_word_;
  Table by_upper_half_;
  std::array<Sequence, kMaxInputBytes / 8 + kMaxInputBytes / 255 + 1> sequences_;
  size_t sequence_count_ = 0;
  std::array<uint32_t, kLongestLength + 1> length_counts_;
  // Of literals, the end, lengths; then of distances.
  std::array<uint32_t, kLiteralSymbols + kDistanceSymbols> counts_;
  std::array<Code, 257> literal_codes_;  // and the end's
  std::array<Code, kLongestLength + 1> length_codes_;
  std::array<Code, kDistanceSymbols> distance_codes_;
};

}  // namespace sink
