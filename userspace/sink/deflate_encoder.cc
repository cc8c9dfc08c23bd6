// SPDX-License-Identifier: BSD-2-Clause
#include "sink/deflate_encoder.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "sink/bit_writer.h"

namespace sink {
namespace {

static_assert(std::endian::native == std::endian::little, "records are little-endian words");

constexpr size_t kWord = sizeof(uint64_t);
constexpr size_t kWindow = 32768;
constexpr size_t kShortestLength = 3;
constexpr size_t kLongest = 258;
constexpr size_t kEndOfBlock = 256;
constexpr size_t kFirstLengthSymbol = 257;
// Limits codes so that four literals, or a length with its distance, fit into 57 bits.
constexpr int kCodeBits = 14;

// RFC 1951, 3.2.5: the first length of each symbol, and its extra bits.
constexpr std::array<uint16_t, 29> kLengthFrom = {3,  4,  5,  6,   7,   8,   9,   10,  11, 13,
                                                  15, 17, 19, 23,  27,  31,  35,  43,  51, 59,
                                                  67, 83, 99, 115, 131, 163, 195, 227, 258};
constexpr std::array<uint8_t, 29> kLengthExtra = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2,
                                                  2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0};

constexpr std::array<uint8_t, kLongest + 1> MakeLengthSymbols() {
  std::array<uint8_t, kLongest + 1> symbols = {};
  for (size_t symbol = 0; symbol < kLengthFrom.size(); ++symbol) {
    for (size_t length = kLengthFrom[symbol]; length <= kLongest; ++length) {
      symbols[length] = static_cast<uint8_t>(symbol);
    }
  }
  return symbols;
}
constexpr auto kLengthSymbols = MakeLengthSymbols();

// Ranges of distances double with every second symbol; its lowest bit is the distance's second bit.
size_t DistanceSymbol(size_t distance) {
  const size_t d = distance - 1;
  if (d < 2) return d;
  const auto top = static_cast<size_t>(std::bit_width(d)) - 1;
  return 2 * top + (d >> (top - 1) & 1);
}
constexpr uint32_t DistanceExtra(size_t symbol) {
  return symbol < 4 ? 0 : static_cast<uint32_t>(symbol / 2 - 1);
}

// RFC 1951, 3.2.6.
constexpr std::array<uint8_t, 288 + 30> MakeFixedLengths() {
  std::array<uint8_t, 288 + 30> lengths = {};
  for (size_t symbol = 0; symbol < lengths.size(); ++symbol) {
    const bool literal = symbol < 288;
    lengths[symbol] = !literal || (symbol >= 256 && symbol < 280) ? (literal ? 7 : 5)
                      : symbol >= 144 && symbol < 256             ? 9
                                                                  : 8;
  }
  return lengths;
}
constexpr auto kFixedLengths = MakeFixedLengths();

uint64_t Load(const std::byte* at) {
  uint64_t word;
  std::memcpy(&word, at, sizeof word);
  return word;
}

// The encoded code lengths of a dynamic block (RFC 1951, 3.2.7).
class LengthsHeader {
 public:
  explicit LengthsHeader(std::span<const uint8_t> literals, std::span<const uint8_t> distances) {
    literals_ = Used(literals, 257);
    distances_ = Used(distances, 1);
    std::array<uint8_t, kMaxCodeSymbols + 32> all;
    std::copy_n(literals.begin(), literals_, all.begin());
    std::copy_n(distances.begin(), distances_, all.begin() + static_cast<long>(literals_));
    AddRuns(std::span(all).first(literals_ + distances_));
    std::array<uint32_t, 19> counts = {};
    for (size_t i = 0; i < item_count_; ++i) ++counts[items_[i].symbol];
    // The format does not allow an incomplete code here, so a single symbol gets a second one.
    if (std::ranges::count(counts, 0u) == 18) ++counts[counts[0] == 0 ? 0 : 1];
    MakeCodeLengths(counts, 7, lengths_);
    while (order_used_ > 4 && lengths_[kOrder[order_used_ - 1]] == 0) --order_used_;
    bits_ = 14 + 3 * order_used_;
    for (size_t symbol = 0; symbol < counts.size(); ++symbol) {
      bits_ += counts[symbol] * (lengths_[symbol] + ExtraBits(symbol));
    }
  }

  size_t bits() const { return bits_; }

  void Write(BitWriter& out) const {
    out.Add((literals_ - 257) | (distances_ - 1) << 5 | (order_used_ - 4) << 10, 14);
    out.Flush();
    for (size_t i = 0; i < order_used_; ++i) {
      out.Add(lengths_[kOrder[i]], 3);
      if (i % 16 == 15) out.Flush();
    }
    out.Flush();
    std::array<uint16_t, 19> codes;
    MakeCodes(lengths_, codes);
    for (size_t i = 0; i < item_count_; ++i) {
      const auto [symbol, extra] = items_[i];
      out.Add(codes[symbol] | uint32_t{extra} << lengths_[symbol],
              lengths_[symbol] + ExtraBits(symbol));
      if (i % 4 == 3) out.Flush();
    }
    out.Flush();
  }

 private:
  static constexpr std::array<uint8_t, 19> kOrder = {16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                                     11, 4,  12, 3, 13, 2, 14, 1, 15};
  static constexpr uint32_t ExtraBits(size_t symbol) {
    return symbol < 16 ? 0 : symbol == 16 ? 2 : symbol == 17 ? 3 : 7;
  }
  static size_t Used(std::span<const uint8_t> lengths, size_t least) {
    size_t used = lengths.size();
    while (used > least && lengths[used - 1] == 0) --used;
    return used;
  }

  void Add(size_t symbol, size_t extra = 0) {
    items_[item_count_++] = {static_cast<uint8_t>(symbol), static_cast<uint8_t>(extra)};
  }

  void AddRuns(std::span<const uint8_t> lengths) {
    for (size_t at = 0; at < lengths.size();) {
      const uint8_t length = lengths[at];
      size_t run = 1;
      while (at + run < lengths.size() && lengths[at + run] == length) ++run;
      at += run;
      if (length != 0) {
        Add(length);
        --run;
      }
      while (run >= 3) {
        const size_t most = length != 0 ? 6 : run >= 11 ? 138 : 10;
        const size_t part = std::min(run, most);
        Add(length != 0 ? 16 : most == 10 ? 17 : 18, part - (most == 138 ? 11 : 3));
        run -= part;
      }
      for (; run > 0; --run) Add(length);
    }
  }

  struct Item {
    uint8_t symbol;
    uint8_t extra;
  };
  std::array<Item, kMaxCodeSymbols + 32> items_;
  size_t item_count_ = 0;
  size_t literals_;
  size_t distances_;
  std::array<uint8_t, 19> lengths_;
  size_t order_used_ = kOrder.size();
  size_t bits_;
};

}  // namespace

void DeflateEncoder::AddSequence(const std::byte* literals, size_t count, size_t length,
                                 size_t distance) {
  for (size_t i = 0; i < count; ++i) ++counts_[static_cast<size_t>(literals[i])];
  const size_t symbol = DistanceSymbol(distance);
  for (;;) {
    // The rest must not be shorter than the shortest length.
    size_t part = length;
    if (length > kLongestLength) {
      part = length - kLongestLength < kShortestLength ? kLongestLength - kShortestLength
                                                       : kLongestLength;
    }
    ++length_counts_[part];
    ++counts_[kLiteralSymbols + symbol];
    sequences_[sequence_count_++] = {.literals = static_cast<uint16_t>(count),
                                     .length = static_cast<uint16_t>(part),
                                     .distance = static_cast<uint16_t>(distance),
                                     .distance_symbol = static_cast<uint16_t>(symbol)};
    length -= part;
    if (length == 0) return;
    count = 0;
  }
}

uint64_t DeflateEncoder::FindSimilar(const std::byte* in, size_t at, size_t end, size_t& distance) {
  const uint64_t word = Load(in + at);
  const uint64_t differing = word ^ Load(in + at - distance);
  const size_t after = at + kWord;
  const bool has_next = after < end;
  const uint64_t next = has_next ? Load(in + after) : 0;
  // The common case: the record repeats but for a slightly later timestamp.
  if (differing >> 24 == 0 && has_next && next == Load(in + after - distance)) return differing;

  const size_t half_before =
      std::exchange(by_upper_half_[Slot(word >> 32)], static_cast<uint16_t>(at));
  // Prefers a word before an occurrence of the next word: one match instead of two.
  const size_t next_before = by_word_[Slot(next)];
  if (has_next && next_before >= kWord && Load(in + next_before) == next &&
      after - next_before <= kWindow) {
    const uint64_t other = word ^ Load(in + next_before - kWord);
    if (other >> 32 == 0) {
      distance = after - next_before;
      return other;
    }
  }
  // Otherwise the last occurrence, if that leaves fewer literals.
  const uint64_t other = word ^ Load(in + half_before);
  if (other < differing >> 4 && at - half_before <= kWindow) {
    distance = at - half_before;
    return other;
  }
  return differing;
}

void DeflateEncoder::FindSequences(std::span<const std::byte> bytes) {
  const std::byte* const in = bytes.data();
  const size_t end = bytes.size() / kWord * kWord;
  // Position 0 also means none: every candidate is compared.
  by_word_.fill(0);
  by_upper_half_.fill(0);
  size_t literals_from = 0;
  size_t distance = kWord;
  size_t at = kWord;
  while (at < end) {
    const uint64_t word = Load(in + at);
    const size_t before = std::exchange(by_word_[Slot(word)], static_cast<uint16_t>(at));
    size_t from = at;
    if (Load(in + before) == word && at - before <= kWindow) {
      distance = at - before;
    } else {
      size_t similar = distance;
      const uint64_t differing = FindSimilar(in, at, end, similar);
      if (differing >> 32 != 0) {
        at += kWord;
        continue;
      }
      distance = similar;
      // The match begins behind the last differing byte.
      from = at + kWord - static_cast<size_t>(std::countl_zero(differing)) / 8;
    }
    from = std::max(from, literals_from);
    at += kWord;
    size_t to = at;
    for (; at < end; to = at) {
      const uint64_t next = Load(in + at);
      const uint64_t differing = next ^ Load(in + at - distance);
      if (differing != 0) {
        // At most half a word, so that the rest is long enough for another match.
        to += std::min(static_cast<size_t>(std::countr_zero(differing)) / 8, kWord / 2);
        break;
      }
      by_word_[Slot(next)] = static_cast<uint16_t>(at);
      at += kWord;
    }
    AddSequence(in + literals_from, from - literals_from, to - from, distance);
    literals_from = to;
  }
  for (const std::byte literal : bytes.subspan(literals_from))
    ++counts_[static_cast<size_t>(literal)];
}

void DeflateEncoder::CountSymbols() {
  for (size_t length = kShortestLength; length <= kLongestLength; ++length) {
    counts_[kFirstLengthSymbol + kLengthSymbols[length]] += length_counts_[length];
  }
  ++counts_[kEndOfBlock];
}

size_t DeflateEncoder::BodyBits(std::span<const uint8_t> lengths) const {
  size_t bits = 0;
  for (size_t i = 0; i < counts_.size(); ++i) bits += counts_[i] * lengths[i];
  for (size_t i = 0; i < kLengthExtra.size(); ++i) {
    bits += counts_[kFirstLengthSymbol + i] * kLengthExtra[i];
  }
  for (size_t i = 0; i < kDistanceSymbols; ++i) {
    bits += counts_[kLiteralSymbols + i] * DistanceExtra(i);
  }
  return bits;
}

void DeflateEncoder::MakeBlockCodes(std::span<const uint8_t> lengths) {
  std::array<uint16_t, kMaxCodeSymbols> codes;
  MakeCodes(lengths.first(kLiteralSymbols), codes);
  for (size_t i = 0; i < literal_codes_.size(); ++i) literal_codes_[i] = {codes[i], lengths[i]};
  for (size_t length = kShortestLength; length <= kLongestLength; ++length) {
    const size_t symbol = kLengthSymbols[length];
    const uint32_t size = lengths[kFirstLengthSymbol + symbol];
    length_codes_[length] = {codes[kFirstLengthSymbol + symbol] |
                                 static_cast<uint32_t>(length - kLengthFrom[symbol]) << size,
                             size + kLengthExtra[symbol]};
  }
  MakeCodes(lengths.subspan(kLiteralSymbols), codes);
  for (size_t i = 0; i < kDistanceSymbols; ++i) {
    distance_codes_[i] = {codes[i], lengths[kLiteralSymbols + i]};
  }
}

void DeflateEncoder::WriteBody(std::span<const std::byte> in, BitWriter& out) const {
  const std::byte* at = in.data();
  const auto add_literal = [&] {
    const Code code = literal_codes_[static_cast<size_t>(*at++)];
    out.Add(code.bits, code.size);
  };
  const auto add_literals = [&](size_t count) {
    for (; count >= 4; count -= 4) {
      add_literal();
      add_literal();
      add_literal();
      add_literal();
      out.Flush();
    }
    for (; count > 0; --count) add_literal();
    out.Flush();
  };
  for (const Sequence& sequence : std::span(sequences_).first(sequence_count_)) {
    add_literals(sequence.literals);
    const Code length = length_codes_[sequence.length];
    out.Add(length.bits, length.size);
    const size_t symbol = sequence.distance_symbol;
    const uint32_t extra = DistanceExtra(symbol);
    const Code distance = distance_codes_[symbol];
    out.Add(distance.bits, distance.size);
    out.Add((sequence.distance - 1u) & ((1u << extra) - 1), extra);
    out.Flush();
    at += sequence.length;
  }
  add_literals(static_cast<size_t>(in.data() + in.size() - at));
  out.Add(literal_codes_[kEndOfBlock].bits, literal_codes_[kEndOfBlock].size);
}

size_t DeflateEncoder::Encode(std::span<const std::byte> in, std::span<std::byte> out) {
  sequence_count_ = 0;
  counts_.fill(0);
  length_counts_.fill(0);
  FindSequences(in);
  CountSymbols();

  std::array<uint8_t, kLiteralSymbols + kDistanceSymbols> lengths;
  const auto literal_lengths = std::span(lengths).first(kLiteralSymbols);
  const auto distance_lengths = std::span(lengths).subspan(kLiteralSymbols);
  const auto counts = std::span<const uint32_t>(counts_);
  MakeCodeLengths(counts.first(kLiteralSymbols), kCodeBits, literal_lengths);
  MakeCodeLengths(counts.subspan(kLiteralSymbols), kCodeBits, distance_lengths);
  const LengthsHeader header(literal_lengths, distance_lengths);
  const size_t dynamic_bits = header.bits() + BodyBits(lengths);
  const size_t fixed_bits = BodyBits(kFixedLengths);
  const size_t stored_bits = 8 * (in.size() + 4);

  // Three bits precede each kind of block: last block, and type (RFC 1951, 3.2.3).
  if (stored_bits <= std::min(dynamic_bits, fixed_bits)) {
    const auto size = static_cast<uint16_t>(in.size());
    const auto inverted = static_cast<uint16_t>(~size);
    out[0] = std::byte{1};
    std::memcpy(&out[1], &size, sizeof size);
    std::memcpy(&out[3], &inverted, sizeof inverted);
    if (!in.empty()) std::memcpy(&out[5], in.data(), in.size());
    return in.size() + 5;
  }
  BitWriter writer(out.data());
  if (fixed_bits <= dynamic_bits) {
    writer.Add(1 | 1 << 1, 3);
    MakeBlockCodes(kFixedLengths);
  } else {
    writer.Add(1 | 2 << 1, 3);
    header.Write(writer);
    MakeBlockCodes(lengths);
  }
  WriteBody(in, writer);
  return static_cast<size_t>(writer.End() - out.data());
}

}  // namespace sink
