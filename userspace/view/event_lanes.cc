// SPDX-License-Identifier: BSD-2-Clause
#include "view/event_lanes.h"

#include <algorithm>

namespace view {
void SpanLane::Add(const Span& span, EventBudget& budget) {
  if (!Push(spans_, span, budget)) return;
  is_sorted_ = false;
}

const std::vector<Span>& SpanLane::Sorted() {
  if (is_sorted_) return spans_;
  is_sorted_ = true;
  const auto is_before = [](const Span& a, const Span& b) {
    return a.begin != b.begin ? a.begin < b.begin : a.end > b.end;
  };
  // The spans of a saved index are already sorted.
  if (!std::is_sorted(spans_.begin(), spans_.end(), is_before)) {
    std::sort(spans_.begin(), spans_.end(), is_before);
  }
  std::vector<uint64_t> ends;  // ends of the open spans, by row
  latest_end_.clear();
  uint64_t latest = 0;
  rows_ = 0;
  without_row_ = 0;
  for (size_t i = 0; i < spans_.size(); ++i) {
    Span& span = spans_[i];
    size_t row = 0;
    if (is_overlapping_) {
      while (row < ends.size() && ends[row] > span.begin) ++row;
    } else {
      while (!ends.empty() && ends.back() <= span.begin) ends.pop_back();
      row = ends.size();
    }
    if (row >= ends.size()) {
      if (ends.size() < kMaxRows) ends.push_back(span.end);
    } else {
      ends[row] = span.end;
    }
    span.depth = static_cast<uint16_t>(std::min<size_t>(row, kMaxRows));
    without_row_ += span.depth == kMaxRows ? 1 : 0;
    rows_ = static_cast<uint16_t>(ends.size() > rows_ ? ends.size() : rows_);
    latest = std::max(latest, span.end);
    if (i % kBlock == 0) latest_end_.push_back(latest);
    latest_end_.back() = latest;
  }
  return spans_;
}

size_t SpanLane::FirstEndingAfter(uint64_t time) {
  Sorted();
  const auto block = std::upper_bound(latest_end_.begin(), latest_end_.end(), time);
  return std::min(static_cast<size_t>(block - latest_end_.begin()) * kBlock, spans_.size());
}

const Span* SpanLane::InnermostAt(uint64_t time) {
  const Span* found = nullptr;
  bool is_within = false;
  for (size_t i = FirstEndingAfter(time == 0 ? 0 : time - 1); i < spans_.size(); ++i) {
    const Span& span = spans_[i];
    if (span.begin > time) break;
    if (span.end < time) continue;
    const bool holds = span.end > time || span.begin == time;
    if (is_within && !holds) continue;
    if (found == nullptr || holds != is_within || span.depth >= found->depth) found = &span;
    is_within = holds;
  }
  return found;
}

template <typename Entry>
void PointLane<Entry>::Add(const Entry& entry, EventBudget& budget) {
  const bool in_order = entries_.empty() || entries_.back().time <= entry.time;
  if (Push(entries_, entry, budget)) is_sorted_ = is_sorted_ && in_order;
}

template <typename Entry>
const std::vector<Entry>& PointLane<Entry>::Sorted() {
  if (!is_sorted_) {
    std::stable_sort(entries_.begin(), entries_.end(),
                     [](const Entry& a, const Entry& b) { return a.time < b.time; });
    is_sorted_ = true;
  }
  return entries_;
}

template <typename Entry>
size_t PointLane<Entry>::FirstFrom(uint64_t time) {
  const auto& all = Sorted();
  return static_cast<size_t>(
      std::lower_bound(all.begin(), all.end(), time,
                       [](const Entry& one, uint64_t wanted) { return one.time < wanted; }) -
      all.begin());
}

template class PointLane<Instant>;
template class PointLane<Sample>;

}  // namespace view
