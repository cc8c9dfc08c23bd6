// SPDX-License-Identifier: BSD-2-Clause
// Walks the critical path of a request backwards, from its end to its begin.
//
// On the request's thread each nanosecond is in a run, a wait for a CPU, or a sleep. A sleep that a
// thread ended is explained by what that thread did meanwhile: the walk goes on there, at the
// moment of the wakeup, and comes back at the begin of the sleep. The same holds for sleeps of that
// thread. docs/critical-path.md has the definitions.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "facts/timeline/activity_history.h"
#include "facts/timeline/timeline_state.h"
#include "path/request.h"
#include "path/sleep_evidence.h"

namespace path {

class PathWalker {
 public:
  // Sleeps within sleeps; deeper ones are kUnknown.
  static constexpr size_t kMaxDepth = 64;
  // Limit of parts of a request. Earlier ones become one part of kind kUnknown.
  static constexpr size_t kMaxParts = size_t{1} << 18;
  // Limit of the steps of all walks together, each an interval of a thread or CPU. Paths of
  // overlapping requests may be many times as long as the trace. The limit is kFreeSteps, plus one
  // for each kBytesOfStep bytes of the trace.
  static constexpr uint64_t kFreeSteps = uint64_t{1} << 24;
  static constexpr uint64_t kBytesOfStep = 8;

  // All must outlive it. Tracks of `threads` are indexes of threads, those of `cpus` are CPUs.
  PathWalker(const facts::TimelineState& timeline, facts::ActivityHistory& threads,
             facts::ActivityHistory& cpus, const SleepEvidence& evidence,
             uint64_t free_steps = kFreeSteps)
      : timeline_(timeline),
        threads_(threads),
        cpus_(cpus),
        evidence_(evidence),
        free_steps_(free_steps),
        max_steps_(free_steps) {}

  // The parts of `request` in order of time. They add up to its duration. Valid up to the next
  // call. A walk is never cut by the limit of all walks: it may exceed it by 2 * kMaxParts steps.
  const std::vector<Part>& Walk(const Request& request);

  // `position`: bytes of the trace that were read.
  void OnRead(uint64_t position) {
    max_steps_ = std::max(max_steps_, free_steps_ + position / kBytesOfStep);
  }
  // False if the walks up to now have taken all steps that there are for what was read.
  bool has_steps() const { return steps_ < max_steps_; }

 private:
  // A thread on the path, between the bounds of the sleep that it explains.
  struct Frame {
    facts::ThreadIndex thread = facts::kNoThread;
    uint64_t low = 0;
    facts::ThreadIndex waiter = facts::kNoThread;
    WaitedFor waited_for = {};
  };

  bool TakeStep() {
    if (parts_.size() >= kMaxParts) return false;
    ++steps_;
    return true;
  }
  std::optional<facts::ActivityInterval> ThreadBefore(facts::ThreadIndex thread, uint64_t time);
  facts::ActivityInterval CpuBefore(uint32_t cpu, uint64_t time);
  void Step();
  void StepOverSleep(const facts::ActivityInterval& interval, uint64_t begin);
  void AddWaitForCpu(uint64_t begin, uint32_t cpu);
  // Puts the time from `begin` up to the walk's position into a part of the innermost frame.
  Part& AddPart(PartKind kind, uint64_t begin);

  const facts::TimelineState& timeline_;
  facts::ActivityHistory& threads_;
  facts::ActivityHistory& cpus_;
  const SleepEvidence& evidence_;
  uint64_t free_steps_;
  uint64_t max_steps_;
  uint64_t steps_ = 0;

  // Current time of the walk.
  uint64_t at_ = 0;
  std::vector<Frame> frames_;
  std::vector<Part> parts_;  // the last one first
};

}  // namespace path
