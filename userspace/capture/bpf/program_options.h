// SPDX-License-Identifier: BSD-2-Clause
// The options of the BPF programs.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "capture/bpf/category.h"
#include "probes/probe.h"
#include "schema/request_protocols.h"

namespace unwind {
class TableMaker;
}

namespace capture {

// An id that no task has.
inline constexpr uint32_t kNoTask = UINT32_MAX;

// The task filter: a task passes if any value selects it. Empty: all tasks. Followed tasks pass
// too, and so do their children from fork on.
struct TaskFilter {
  std::vector<uint32_t> tids;
  std::vector<uint32_t> tgids;
  std::vector<std::string> comms;
  std::vector<uint64_t> cgroups;  // ids in the default hierarchy; descendants included

  bool follow = false;  // follow children of tasks selected by tids, tgids and comms
  bool chosen = false;  // BpfPrograms::Follow selects the tasks at the start

  bool empty() const {
    return tids.empty() && tgids.empty() && comms.empty() && cgroups.empty() && !chosen;
  }
  bool follows() const {
    return chosen || (follow && !(tids.empty() && tgids.empty() && comms.empty()));
  }
};

// The behaviour of a full slot ring.
enum class RingUse : uint8_t {
  kDrained,      // drained in time; events without room are lost
  kOverwritten,  // never drained; the oldest events are overwritten
  kFilledOnce,   // never drained; the collector is woken when it is full
};

// Category `stack`.
struct StackOptions {
  static constexpr uint64_t kDefaultMinSleep = 100'000;
  static constexpr uint64_t kDefaultFrequency = 99;
  static constexpr uint64_t kMaxFrequency = 999;

  bool off = true;
  bool wake = true;
  bool on = true;
  uint64_t min_sleep = kDefaultMinSleep;   // ns; shorter sleeps have no stack
  uint64_t frequency = kDefaultFrequency;  // samples per second and CPU
  // The program that will be executed, whose unwind tables are loaded before; empty: not known.
  std::string program = {};
  // Started early, see util::IsolatedWorker::Start(); null: the session starts one.
  std::shared_ptr<unwind::TableMaker> table_maker = {};
};

// Category `wait`: shorter sleeps are not recorded, ns.
inline constexpr uint64_t kMinRecordedWait = 100'000;

struct ProgramOptions {
  CategorySet categories;
  StackOptions stack;  // if the category is selected

  std::vector<probes::Probe> probes;  // category `probe`
  // Category `counter`: at most eight of CounterSet::KnownNames().
  std::vector<std::string> counters;
  // Category `request`: if any, the first bytes of requests are sent.
  schema::RequestProtocols request_names;

  std::vector<uint32_t> syscall_numbers;  // empty: all
  std::vector<std::string> sched_events;  // from SchedEvents(); empty: all
  TaskFilter filter;
  uint64_t ring_bytes = 0;  // per CPU, a power of two; 0: DefaultRingBytes
  RingUse ring_use = RingUse::kDrained;
  bool verbose = false;  // prints the messages of libbpf and the verifier to stderr

  // True if the tracepoint's events are selected.
  bool Wants(const Tracepoint& tracepoint) const {
    if (tracepoint.category == FXR_CATEGORY_STACK) {
      // Sleep durations need the switches.
      return wants_stacks() && (stack.off || stack.wake) &&
             (tracepoint.name != "wake" || stack.wake);
    }
    if (tracepoint.category == FXR_CATEGORY_COUNTER) {
      return categories.test(FXR_CATEGORY_COUNTER) && !counters.empty();
    }
    return categories.test(tracepoint.category) &&
           (tracepoint.category != FXR_CATEGORY_SCHED || sched_events.empty() ||
            std::find(sched_events.begin(), sched_events.end(), tracepoint.name) !=
                sched_events.end());
  }
  bool wants_stacks() const { return categories.test(FXR_CATEGORY_STACK); }
  // True if every context switch is recorded.
  bool sees_switches() const {
    const auto all = AllTracepoints();
    const auto sched_switch = std::find_if(all.begin(), all.end(), [](const Tracepoint& each) {
      return each.tracepoint == "sched_switch";
    });
    return filter.empty() && Wants(*sched_switch);
  }
};

}  // namespace capture
