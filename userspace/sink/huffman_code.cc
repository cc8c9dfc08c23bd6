// SPDX-License-Identifier: BSD-2-Clause
#include "sink/huffman_code.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

namespace sink {
namespace {

constexpr int kSymbolBits = 9;
using Leaves = std::array<uint32_t, kMaxCodeSymbols>;

// Sorts the symbols that occur by count, rarest first: count << kSymbolBits | symbol.
size_t SortedLeaves(std::span<const uint32_t> counts, Leaves& leaves) {
  // A radix sort by the two low bytes of the count; std::sort for larger counts.
  std::array<std::array<uint16_t, 256>, 2> starts = {};
  Leaves unsorted;
  size_t used = 0;
  uint32_t all_bits = 0;
  for (size_t symbol = 0; symbol < counts.size(); ++symbol) {
    const uint32_t count = counts[symbol];
    if (count == 0) continue;
    all_bits |= count;
    ++starts[0][count & 0xff];
    ++starts[1][count >> 8 & 0xff];
    unsorted[used++] = count << kSymbolBits | static_cast<uint32_t>(symbol);
  }
  if (all_bits >> 16 != 0) {
    std::copy_n(unsorted.begin(), used, leaves.begin());
    std::sort(leaves.begin(), leaves.begin() + static_cast<long>(used));
    return used;
  }
  for (auto& bucket : starts) {
    uint16_t at = 0;
    for (auto& start : bucket) at = static_cast<uint16_t>(at + std::exchange(start, at));
  }
  Leaves half;
  for (size_t i = 0; i < used; ++i)
    half[starts[0][unsorted[i] >> kSymbolBits & 0xff]++] = unsorted[i];
  for (size_t i = 0; i < used; ++i) leaves[starts[1][half[i] >> (kSymbolBits + 8)]++] = half[i];
  return used;
}

// Counts the codes of each length, longer ones at the last entry (Moffat and Katajainen, "In-place
// calculation of minimum-redundancy codes"): `node` holds weights of trees, then parents, then
// depths.
void CountLengths(std::span<const uint32_t> leaves, std::span<uint16_t> of_length) {
  const size_t n = leaves.size();
  std::array<uint32_t, kMaxCodeSymbols> node;
  size_t leaf = 0;
  size_t root = 0;
  const auto take = [&](size_t next) {
    if (leaf >= n || (root < next && node[root] < leaves[leaf] >> kSymbolBits)) {
      const uint32_t weight = node[root];
      node[root++] = static_cast<uint32_t>(next);
      return weight;
    }
    return leaves[leaf++] >> kSymbolBits;
  };
  for (size_t next = 0; next < n - 1; ++next) {
    const uint32_t weight = take(next);
    node[next] = weight + take(next);
  }
  node[n - 2] = 0;
  std::array<uint16_t, kMaxCodeSymbols> inner_at_depth = {};
  inner_at_depth[0] = 1;
  for (size_t next = n - 2; next-- > 0;) {
    node[next] = node[node[next]] + 1;
    ++inner_at_depth[node[next]];
  }
  const size_t most = of_length.size() - 1;
  for (size_t depth = 0; depth + 1 < n; ++depth) {
    const size_t children = size_t{2} * inner_at_depth[depth];
    if (children == 0) break;
    of_length[std::min(depth + 1, most)] = static_cast<uint16_t>(
        of_length[std::min(depth + 1, most)] + children - inner_at_depth[depth + 1]);
  }
}

}  // namespace

void MakeCodeLengths(std::span<const uint32_t> counts, int limit, std::span<uint8_t> lengths) {
  Leaves leaves;
  const size_t used = SortedLeaves(counts, leaves);
  std::fill(lengths.begin(), lengths.end(), uint8_t{0});
  constexpr uint32_t kSymbolMask = (1 << kSymbolBits) - 1;
  if (used < 2) {
    if (used == 1) lengths[leaves[0] & kSymbolMask] = 1;
    return;
  }
  std::array<uint16_t, kMaxCodeBits + 1> of_length = {};
  const auto longest = static_cast<size_t>(limit);
  CountLengths(std::span(leaves).first(used), std::span(of_length).first(longest + 1));

  // Codes that were cut to the limit exceed the code space. A code that becomes one bit longer
  // frees the place of one of the longest codes.
  uint32_t taken = 0;
  for (size_t length = 1; length <= longest; ++length)
    taken += of_length[length] << (longest - length);
  for (; taken > uint32_t{1} << longest; --taken) {
    size_t length = longest - 1;
    while (of_length[length] == 0) --length;
    --of_length[length];
    of_length[length + 1] = static_cast<uint16_t>(of_length[length + 1] + 2);
    --of_length[longest];
  }
  size_t leaf = 0;
  for (size_t length = longest; length > 0; --length) {
    for (uint16_t i = 0; i < of_length[length]; ++i) {
      lengths[leaves[leaf++] & kSymbolMask] = static_cast<uint8_t>(length);
    }
  }
}

void MakeCodes(std::span<const uint8_t> lengths, std::span<uint16_t> codes) {
  std::array<uint16_t, kMaxCodeBits + 1> next = {};
  for (const uint8_t length : lengths) ++next[length];
  next[0] = 0;
  uint32_t code = 0;
  for (size_t length = 1; length <= kMaxCodeBits; ++length) {
    const uint32_t first = code;
    code = (code + next[length]) << 1;
    next[length] = static_cast<uint16_t>(first);
  }
  const auto reversed = [](uint32_t bits) {
    bits = (bits & 0x5555) << 1 | (bits >> 1 & 0x5555);
    bits = (bits & 0x3333) << 2 | (bits >> 2 & 0x3333);
    bits = (bits & 0x0f0f) << 4 | (bits >> 4 & 0x0f0f);
    return (bits & 0x00ff) << 8 | bits >> 8;
  };
  for (size_t symbol = 0; symbol < lengths.size(); ++symbol) {
    const uint8_t length = lengths[symbol];
    codes[symbol] = length == 0 ? uint16_t{0}
                                : static_cast<uint16_t>(reversed(next[length]++) >> (16 - length));
  }
}

}  // namespace sink
