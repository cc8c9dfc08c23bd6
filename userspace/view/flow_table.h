// SPDX-License-Identifier: BSD-2-Clause
// The flows of providers, which connect spans.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "view/event_lanes.h"

namespace view {

// A record of a flow. It belongs to the open span of its thread. `category` and `name` are labels.
// Category and id identify a flow across threads and processes.
struct FlowPoint {
  enum class Kind : uint8_t { kBegin, kStep, kEnd };
  static constexpr uint32_t kNone = UINT32_MAX;

  uint64_t time = 0;  // ns
  uint64_t id = 0;
  uint32_t thread = 0;  // number of the thread
  uint32_t category = 0;
  uint32_t name = 0;
  Kind kind = Kind::kStep;
  uint32_t order = 0;  // position in the file
  // Indexes in Sorted() of the flow's previous and next point; kNone if not in the trace.
  uint32_t previous = kNone;
  uint32_t next = kNone;
};

// Points are added in any order and sorted at the first read.
class FlowTable {
 public:
  void Add(FlowPoint point, EventBudget& budget);
  // Sorted by thread, then by time.
  const std::vector<FlowPoint>& Sorted();
  // The points of a thread in [begin, end].
  std::span<const FlowPoint> Of(uint32_t thread, uint64_t begin, uint64_t end);
  bool empty() const { return points_.empty(); }
  void Save(IndexWriter& out) { out.PutAll(Sorted()); }
  // False: the table cannot be read or exceeds the budget.
  bool Load(IndexReader& in, EventBudget& budget);

 private:
  void Connect();

  std::vector<FlowPoint> points_;
  bool is_sorted_ = true;
};

}  // namespace view
