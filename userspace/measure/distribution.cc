// SPDX-License-Identifier: BSD-2-Clause
#include "measure/distribution.h"

namespace measure {

void Distribution::KeepWorst(const Instance& instance) {
  // Behind those of its length: the first one stays.
  const auto at = std::upper_bound(
      worst.begin(), worst.end(), instance,
      [](const Instance& left, const Instance& right) { return left.length > right.length; });
  worst.insert(at, instance);
  if (worst.size() > kWorst) worst.pop_back();
  const uint64_t least = worst.back().length;
  if (worst.size() == kWorst) keep_from = least + (least == UINT64_MAX ? 0 : 1);
}

void Distribution::Merge(const Distribution& other) {
  // The values that are read must not move.
  if (&other == this) return Merge(Distribution(other));
  whole.Merge(other.whole);
  whole_ns += other.whole_ns;
  longest_ns = std::max(longest_ns, other.longest_ns);
  cut.Merge(other.cut);
  cut_ns += other.cut_ns;
  unknown += other.unknown;
  unknown_ns += other.unknown_ns;
  for (const Instance& instance : other.worst) Keep(instance);
}

void Distribution::Include(const Distribution& part) {
  std::vector<Instance> longest = worst;
  longest.insert(longest.end(), part.worst.begin(), part.worst.end());
  std::sort(longest.begin(), longest.end(), [](const Instance& left, const Instance& right) {
    return left.length != right.length ? left.length > right.length : left.begin < right.begin;
  });
  Merge(part);
  worst.clear();
  keep_from = 0;
  for (const Instance& instance : longest) Keep(instance);
}

void Distribution::Remove(const Distribution& part) {
  whole.Remove(part.whole);
  whole_ns -= std::min(whole_ns, part.whole_ns);
  cut.Remove(part.cut);
  cut_ns -= std::min(cut_ns, part.cut_ns);
  unknown -= std::min(unknown, part.unknown);
  unknown_ns -= std::min(unknown_ns, part.unknown_ns);
  std::erase_if(worst, [&](const Instance& instance) {
    return std::find(part.worst.begin(), part.worst.end(), instance) != part.worst.end();
  });
  keep_from = 0;
}

}  // namespace measure
