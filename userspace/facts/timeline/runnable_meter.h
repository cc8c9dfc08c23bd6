// SPDX-License-Identifier: BSD-2-Clause
// RunnableReasons for a timeline without a record of the threads on the CPUs: keeps that too.
#pragma once

#include <cstdint>

#include "facts/dense_table.h"
#include "facts/timeline/cpu_history.h"
#include "facts/timeline/fact.h"
#include "facts/timeline/runnable_reasons.h"
#include "facts/timeline/timeline_state.h"
#include "fxt/record.h"

namespace facts {

// Memory: kBytesOfThread for each thread of the timeline, and what RunnableReasons and CpuHistory
// say.
class RunnableMeter {
 public:
  static constexpr size_t kBytesOfThread = 64;

  // Settings, forks and migrations, of the kernel's sections; other events change nothing.
  void AddEvent(const fxt::Event& event, uint64_t time, const TimelineState& timeline);
  // Facts of the timeline in its order.
  void Add(const Run& run);
  void Add(const Idle& idle);
  void Add(const Gap& gap);
  void Add(const CpuSwitch& change);
  // Takes any wait. Returns the parts of a wait for a CPU that ends in a run; empty for others.
  RunnableParts Add(const Wait& wait);

 private:
  struct Move {
    uint32_t from = UINT32_MAX;  // CPU
    uint64_t time = 0;
  };

  CpuHistory history_;
  RunnableReasons reasons_;
  DenseTable<Move> moves_;  // by ThreadIndex: the latest
};

}  // namespace facts
