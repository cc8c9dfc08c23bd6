// SPDX-License-Identifier: BSD-2-Clause
// What the BPF programs are to record.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "capture/bpf/category.h"

namespace capture {

// An id that no task has.
inline constexpr uint32_t kNoTask = UINT32_MAX;

// Which tasks to record; a task passes when any of these names it. Empty: all tasks. A task that is
// followed passes as well, and so do those that it makes, from their first moment on.
struct TaskFilter {
  std::vector<uint32_t> tids;
  std::vector<uint32_t> tgids;
  std::vector<std::string> comms;
  std::vector<uint64_t> cgroups;  // ids in the default hierarchy; descendants are included

  bool follow = false;  // what tasks named by tids, tgids and comms make is followed
  bool chosen = false;  // BpfPrograms::Follow will say who is followed at the start

  bool empty() const {
    return tids.empty() && tgids.empty() && comms.empty() && cgroups.empty() && !chosen;
  }
  bool follows() const {
    return chosen || (follow && !(tids.empty() && tgids.empty() && comms.empty()));
  }
};

// What becomes of a slot ring that is full.
enum class RingUse : uint8_t {
  kDrained,      // it is emptied in time; what finds no room is lost
  kOverwritten,  // its oldest events are lost, and it is never emptied
  kFilledOnce,   // it is never emptied either; the collector is woken when it is full
};

// Category `stack`.
struct StackOptions {
  static constexpr uint64_t kDefaultMinSleep = 100'000;
  static constexpr uint64_t kDefaultFrequency = 99;
  static constexpr uint64_t kMaxFrequency = 999;

  bool off = true;
  bool wake = true;
  bool on = true;
  uint64_t min_sleep = kDefaultMinSleep;   // ns; of shorter ones there is no stack
  uint64_t frequency = kDefaultFrequency;  // samples per second and CPU
};

struct ProgramOptions {
  CategorySet categories;
  StackOptions stack;  // where the category is among them

  // Category `counter`: names out of CounterSet::KnownNames(), eight at most.
  std::vector<std::string> counters;

  std::vector<uint32_t> syscall_numbers;  // empty: all
  std::vector<std::string> sched_events;  // out of SchedEvents(); empty: all
  TaskFilter filter;
  uint64_t ring_bytes = 0;  // per CPU, a power of two; 0: DefaultRingBytes
  RingUse ring_use = RingUse::kDrained;
  bool verbose = false;  // the loader's and the verifier's words go to stderr

  // Whether the tracepoint's events are to be recorded.
  bool Wants(const Tracepoint& tracepoint) const {
    if (tracepoint.category == FXR_CATEGORY_STACK) {
      // Who was away for how long, is known from switches.
      const bool wanted = tracepoint.name == "wake" ? stack.wake : stack.off || stack.wake;
      return categories.test(FXR_CATEGORY_STACK) && wanted;
    }
    if (tracepoint.category == FXR_CATEGORY_COUNTER) {
      return categories.test(FXR_CATEGORY_COUNTER) && !counters.empty();
    }
    return categories.test(tracepoint.category) &&
           (tracepoint.category != FXR_CATEGORY_SCHED || sched_events.empty() ||
            std::find(sched_events.begin(), sched_events.end(), tracepoint.name) !=
                sched_events.end());
  }
  // Every context switch is recorded.
  bool sees_switches() const {
    const auto all = AllTracepoints();
    const auto sched_switch = std::find_if(all.begin(), all.end(), [](const Tracepoint& each) {
      return each.tracepoint == "sched_switch";
    });
    return filter.empty() && Wants(*sched_switch);
  }
};

}  // namespace capture
