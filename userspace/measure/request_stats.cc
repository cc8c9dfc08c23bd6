// SPDX-License-Identifier: BSD-2-Clause
#include "measure/request_stats.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "measure/group_name.h"

namespace measure {

void RequestStats::Merge(const RequestStats& other) {
  times.Merge(other.times);
  for (const auto& [part, ns] : other.parts) parts[part] += ns;
  LimitParts(parts);
}

void LimitParts(std::map<PathPart, uint64_t>& parts) {
  if (parts.size() <= RequestStats::kParts) return;
  std::vector<std::pair<uint64_t, const PathPart*>> order;
  std::map<PathPart, uint64_t> kept;
  const auto others = [](path::PartKind kind) {
    return PathPart{.kind = kind, .thread = std::string(kOthers)};
  };
  for (const auto& [part, ns] : parts) {
    if (part == others(part.kind)) {
      kept[part] += ns;
    } else {
      order.emplace_back(ns, &part);
    }
  }
  // Room for one more of each kind.
  constexpr size_t kNamed = RequestStats::kParts - path::kPartKinds;
  std::stable_sort(order.begin(), order.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  for (size_t i = 0; i < order.size(); ++i) {
    const auto& [ns, part] = order[i];
    kept[i < kNamed ? *part : others(part->kind)] += ns;
  }
  parts = std::move(kept);
}

}  // namespace measure
