// SPDX-License-Identifier: BSD-2-Clause
#include "view/flow_table.h"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace view {

void FlowTable::Add(FlowPoint point, EventBudget& budget) {
  point.order = static_cast<uint32_t>(points_.size());
  if (Push(points_, point, budget)) is_sorted_ = false;
}

const std::vector<FlowPoint>& FlowTable::Sorted() {
  if (is_sorted_) return points_;
  is_sorted_ = true;
  std::sort(points_.begin(), points_.end(), [](const FlowPoint& a, const FlowPoint& b) {
    return std::tie(a.thread, a.time, a.order) < std::tie(b.thread, b.time, b.order);
  });
  Connect();
  return points_;
}

bool FlowTable::Load(IndexReader& in, EventBudget& budget) {
  // Computes the connections again at the next read.
  is_sorted_ = false;
  return LoadEntries(points_, in, budget);
}

void FlowTable::Connect() {
  std::vector<uint32_t> order(points_.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    const FlowPoint& one = points_[a];
    const FlowPoint& other = points_[b];
    return std::tie(one.category, one.id, one.time, one.order) <
           std::tie(other.category, other.id, other.time, other.order);
  });
  for (FlowPoint& point : points_) point.previous = point.next = FlowPoint::kNone;
  for (size_t i = 1; i < order.size(); ++i) {
    FlowPoint& before = points_[order[i - 1]];
    FlowPoint& after = points_[order[i]];
    const bool is_same = before.category == after.category && before.id == after.id;
    // A reused id begins another flow.
    if (!is_same || before.kind == FlowPoint::Kind::kEnd || after.kind == FlowPoint::Kind::kBegin) {
      continue;
    }
    before.next = order[i];
    after.previous = order[i - 1];
  }
}

std::span<const FlowPoint> FlowTable::Of(uint32_t thread, uint64_t begin, uint64_t end) {
  const auto& all = Sorted();
  const auto first = std::lower_bound(all.begin(), all.end(), std::tie(thread, begin),
                                      [](const FlowPoint& one, const auto& wanted) {
                                        return std::tie(one.thread, one.time) < wanted;
                                      });
  const auto last = std::upper_bound(first, all.end(), std::tie(thread, end),
                                     [](const auto& wanted, const FlowPoint& one) {
                                       return wanted < std::tie(one.thread, one.time);
                                     });
  return {first, last};
}

}  // namespace view
