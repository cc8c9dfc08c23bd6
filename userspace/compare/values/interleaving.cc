// SPDX-License-Identifier: BSD-2-Clause
#include "compare/values/interleaving.h"

#include <algorithm>
#include <numeric>
#include <vector>

namespace comparison {

Pairs TurnsOf(Captures captures, size_t bases) {
  const size_t count = captures.size();
  if (bases * 2 != count || bases < kLeastPairs) return {};
  std::vector<size_t> order(count);
  std::iota(order.begin(), order.end(), size_t{0});
  for (const measure::Capture* capture : captures) {
    if (!capture->start_time) return {};
  }
  const auto start = [&](size_t i) { return *captures[i]->start_time; };
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return start(a) < start(b); });
  Pairs pairs;
  for (size_t i = 0; i + 1 < count; i += 2) {
    const size_t base = std::min(order[i], order[i + 1]);
    const size_t next = std::max(order[i], order[i + 1]);
    if (base >= bases || next < bases || start(base) == start(next)) return {};
    pairs.emplace_back(base, next - bases);
  }
  return pairs;
}

}  // namespace comparison
