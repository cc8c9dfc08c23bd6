// SPDX-License-Identifier: BSD-2-Clause
// Makes the rows of requests and of the parts of their critical paths.
#pragma once

#include <span>

#include "facts/timeline/timeline_state.h"
#include "path/part_text.h"
#include "path/path_builder.h"
#include "tables/rows/batches.h"
#include "tables/task_names.h"

namespace tables {

// Requests are the spans of programs and the calls of probes: all spans but those of the kernel's
// other categories.
class RequestRows {
 public:
  // Steps of walks, see path::PathOptions. A row costs far more than its step, and a join keeps
  // rows in memory (query::KeptBudget), which must have room for this many.
  static constexpr uint64_t kFreeSteps = uint64_t{1} << 21;

  // All must outlive it.
  RequestRows(const TaskNames& names, const facts::TimelineState& timeline, Batches& batches);
  RequestRows(const RequestRows&) = delete;
  RequestRows& operator=(const RequestRows&) = delete;

  // Takes the facts of the timeline, and every record except switches and wakeups.
  path::PathBuilder& builder() { return builder_; }

 private:
  void Add(const path::Request& request, std::span<const path::Part> parts);
  void AddRequest(const path::Request& request);

  const TaskNames& names_;
  TextBudget& texts_;
  RowBatch* requests_;
  RowBatch* path_;
  path::PathBuilder builder_;
  path::PartText text_{builder_};
};

}  // namespace tables
