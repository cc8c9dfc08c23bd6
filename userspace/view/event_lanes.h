// SPDX-License-Identifier: BSD-2-Clause
// Spans, instants and counter values by lane.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace view {

// Times are ns. `category`, `name` and `args` are labels.
struct Span {
  uint64_t begin = 0;
  uint64_t end = 0;
  uint32_t name = 0;
  uint32_t args = 0;
  uint32_t category = 0;
  uint16_t depth = 0;         // 0: the outermost one
  bool began_before = false;  // before the capture
  bool ended_after = false;   // its end is not in the capture
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

// The bytes that all lanes of events may take together.
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

// Spans that may be in one another. They come in any order; reading sorts them.
class SpanLane {
 public:
  static constexpr uint16_t kMaxDepth = 63;

  void Add(const Span& span, EventBudget& budget);
  // By begin, longer ones first.
  const std::vector<Span>& Sorted();
  // The index of the first span of Sorted() that may end after `time`.
  size_t FirstEndingAfter(uint64_t time);
  uint16_t rows() {
    Sorted();
    return rows_;
  }
  bool empty() const { return spans_.empty(); }
  // For operations that overlap without nesting: a span takes the first free row.
  void SetOverlapping() { is_overlapping_ = true; }

 private:
  static constexpr size_t kBlock = 64;

  std::vector<Span> spans_;
  std::vector<uint64_t> latest_end_;  // of the spans up to the end of each block
  bool is_sorted_ = true;
  bool is_overlapping_ = false;
  uint16_t rows_ = 0;
};

// Entries with a time, which come nearly in order.
template <typename Entry>
class PointLane {
 public:
  void Add(const Entry& entry, EventBudget& budget);
  const std::vector<Entry>& Sorted();
  // The index of the first entry at `time` or later.
  size_t FirstFrom(uint64_t time);
  bool empty() const { return entries_.empty(); }

 private:
  std::vector<Entry> entries_;
  bool is_sorted_ = true;
};

extern template class PointLane<Instant>;
extern template class PointLane<Sample>;

}  // namespace view
