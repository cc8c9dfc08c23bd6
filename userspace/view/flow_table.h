// SPDX-License-Identifier: BSD-2-Clause
// The flows of providers: which span led to which.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "view/event_lanes.h"

namespace view {

// A record of a flow: on a thread, within the span that is open there. `category` and `name` are
// labels; flows of the same category and id are one, across threads and processes.
struct FlowPoint {
  enum class Kind : uint8_t { kBegin, kStep, kEnd };
  static constexpr uint32_t kNone = UINT32_MAX;

  uint64_t time = 0;  // ns
  uint64_t id = 0;
  uint32_t thread = 0;  // its number
  uint32_t category = 0;
  uint32_t name = 0;
  Kind kind = Kind::kStep;
  uint32_t order = 0;  // in the file
  // Indexes of Sorted(): where the flow comes from and goes to; kNone if that is not in the trace.
  uint32_t previous = kNone;
  uint32_t next = kNone;
};

// Points come in any order; reading sorts them.
class FlowTable {
 public:
  void Add(FlowPoint point, EventBudget& budget);
  // By thread, then by time.
  const std::vector<FlowPoint>& Sorted();
  // Those of a thread in [begin, end].
  std::span<const FlowPoint> Of(uint32_t thread, uint64_t begin, uint64_t end);
  bool empty() const { return points_.empty(); }
  void Save(IndexWriter& out) { out.PutAll(Sorted()); }
  // False: it cannot be read, or finds no room.
  bool Load(IndexReader& in, EventBudget& budget);

 private:
  void Connect();

  std::vector<FlowPoint> points_;
  bool is_sorted_ = true;
};

}  // namespace view
