// SPDX-License-Identifier: BSD-2-Clause
// Lanes of spans, instants and counter values.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "view/index_stream.h"

namespace view {

// Times are ns. `category`, `name` and `args` are labels.
struct Span {
  uint64_t begin = 0;
  uint64_t end = 0;
  uint32_t name = 0;
  uint32_t args = 0;
  uint32_t category = 0;
  uint16_t depth = 0;  // 0: outermost; SpanLane::kMaxRows: the span has no row
  // Not bool, because a damaged saved index may contain any value.
  uint8_t began_before = 0;  // its begin is before the capture
  uint8_t ended_after = 0;   // its end is not in the capture
};

struct Instant {
  uint64_t time = 0;
  uint32_t name = 0;
  uint32_t args = 0;
  uint32_t category = 0;
};

struct Sample {
  uint64_t time = 0;
  double value = 0;
};

// Limits the memory of all lanes of events together.
struct EventBudget {
  size_t max_bytes = 0;
  size_t bytes = 0;
  uint64_t left_out = 0;

  bool Take(size_t wanted) {
    if (wanted > max_bytes - bytes) {
      ++left_out;
      return false;
    }
    bytes += wanted;
    return true;
  }
};

// Appends if the budget allows. Grows by a quarter, so that the counted bytes are close to the
// allocated ones.
template <typename Entry>
bool Push(std::vector<Entry>& entries, const Entry& entry, EventBudget& budget) {
  if (entries.size() == entries.capacity()) {
    const size_t more = std::max<size_t>(8, entries.capacity() / 4);
    if (!budget.Take(more * sizeof(Entry))) return false;
    entries.reserve(entries.capacity() + more);
  }
  entries.push_back(entry);
  return true;
}

// Reads entries that were saved with PutAll(). False: they cannot be read or exceed the budget.
template <typename Entry>
bool LoadEntries(std::vector<Entry>& entries, IndexReader& in, EventBudget& budget) {
  return in.GetAll(entries) && budget.Take(entries.size() * sizeof(Entry));
}

// Spans that may nest. They are added in any order and sorted at the first read.
class SpanLane {
 public:
  // Limit of rows. Spans in further rows are omitted from tiles and counted.
  static constexpr uint16_t kMaxRows = 64;

  void Add(const Span& span, EventBudget& budget);
  // Sorted by begin; of equal begins, longer spans first.
  const std::vector<Span>& Sorted();
  // The index of the first span of Sorted() that may end after `time`.
  size_t FirstEndingAfter(uint64_t time);
  // The innermost span at `time`; null if there is none. Prefers spans that continue over one that
  // ends at `time`.
  const Span* InnermostAt(uint64_t time);
  uint16_t rows() {
    Sorted();
    return rows_;
  }
  uint64_t without_row() {
    Sorted();
    return without_row_;
  }
  bool empty() const { return spans_.empty(); }
  void Save(IndexWriter& out) { out.PutAll(Sorted()); }
  bool Load(IndexReader& in, EventBudget& budget) {
    is_sorted_ = false;
    return LoadEntries(spans_, in, budget);
  }
  // Call for operations that overlap without nesting. Each span is placed in the first free row.
  void SetOverlapping() { is_overlapping_ = true; }

 private:
  static constexpr size_t kBlock = 64;

  std::vector<Span> spans_;
  std::vector<uint64_t> latest_end_;  // by block: of all spans up to its end
  bool is_sorted_ = true;
  bool is_overlapping_ = false;
  uint16_t rows_ = 0;
  uint64_t without_row_ = 0;
};

// Entries with a time, which are added nearly in order.
template <typename Entry>
class PointLane {
 public:
  void Add(const Entry& entry, EventBudget& budget);
  const std::vector<Entry>& Sorted();
  // The index of the first entry at `time` or later.
  size_t FirstFrom(uint64_t time);
  bool empty() const { return entries_.empty(); }
  void Save(IndexWriter& out) { out.PutAll(Sorted()); }
  bool Load(IndexReader& in, EventBudget& budget) { return LoadEntries(entries_, in, budget); }

 private:
  std::vector<Entry> entries_;
  bool is_sorted_ = true;
};

extern template class PointLane<Instant>;
extern template class PointLane<Sample>;

}  // namespace view
