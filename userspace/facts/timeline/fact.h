// SPDX-License-Identifier: BSD-2-Clause
// What a trace says about CPUs and threads over time, as intervals: the facts that Timeline tells.
// All times are ns, intervals include their begin and not their end.
//
//   Run    a thread is on a CPU: from the switch that brought it to the one that took it away.
//   Wait   a thread is on none; its kind says why.
//   Idle   a CPU runs its idle thread. Idle threads have no runs and no waits.
//   Gap    what a CPU does is not known.
//
// Every CPU that has a switch is in a Run, Idle or Gap at any time of the window, and every thread
// that runs, is woken or is made in a Run or Wait: the lengths add up to the window exactly, if the
// switches of the file are in time order. Facts come when they end, so those of one CPU or one
// thread are in order, and those of several are not; a Gap by an unseen switch is told behind facts
// of other CPUs that are later than its begin.
#pragma once

#include <cstdint>
#include <optional>

#include "fxt/format.h"
#include "schema/linux_state.h"

namespace facts {

// A dense number that stands for a thread's koid: 0, 1, 2, ... in order of appearance.
using ThreadIndex = uint32_t;
// Of threads beyond those that a table has room for.
inline constexpr ThreadIndex kNoThread = UINT32_MAX;

// What begins or ends a fact.
enum class Bound : uint8_t {
  kSeen,      // a switch or wakeup in the file
  kFileEdge,  // the window began or ended: the fact is cut, it may be longer than shown
  kLoss,    // events were lost: for a Run, it was there at least up to the loss, or is there since
  kUnseen,  // a switch is missing: it happened at an unknown time
  kNoWakeup,  // a sleeping thread ran without a wakeup in the file; when it was woken is not known
};

struct Run {
  uint32_t cpu = 0;
  ThreadIndex index = kNoThread;
  fxt::Koid thread = 0;
  std::optional<fxt::Koid> process = std::nullopt;
  uint64_t begin = 0;
  uint64_t end = 0;
  // The kernel's 0..139, or the weight of the newer layout; as it left, or else as it came.
  std::optional<int64_t> priority = std::nullopt;
  // Kernel state in which it left; empty where no switch says.
  std::optional<fxr_task_state> end_state = std::nullopt;
  Bound began = Bound::kSeen;
  Bound ended = Bound::kSeen;
};

enum class WaitKind : uint8_t {
  kUnknown,    // nothing says: before the thread is first seen, or behind a loss or unseen switch
  kAbsent,     // not made yet (up to its first wakeup), or gone (from its last switch)
  kWakeup,     // runnable since a wakeup, or since it left woken (state W)
  kPreempted,  // runnable since it left runnable: R+ preempted, R by itself
  kSleep,      // asleep in S, P or I; up to the wakeup
  kBlocked,    // asleep in D; up to the wakeup
  kStopped,    // T or t; up to the wakeup
};

struct Wait {
  ThreadIndex index = kNoThread;
  fxt::Koid thread = 0;
  WaitKind kind = WaitKind::kUnknown;
  uint64_t begin = 0;
  uint64_t end = 0;
  Bound began = Bound::kSeen;
  Bound ended = Bound::kSeen;
  // Switches or wakeups were lost meanwhile, on whichever CPU: the thread may have been woken, run
  // and slept again.
  bool touches_loss = false;
  // Kernel state in which it had left its CPU; empty where it was not seen to.
  std::optional<fxr_task_state> state = std::nullopt;
  // Who woke it and for which CPU: of kind kWakeup where a wakeup began it. `waker` is empty when
  // an interrupt did.
  std::optional<fxt::Koid> waker = std::nullopt;
  std::optional<uint32_t> target_cpu = std::nullopt;
};

struct Idle {
  uint32_t cpu = 0;
  ThreadIndex index = kNoThread;
  fxt::Koid thread = 0;
  uint64_t begin = 0;
  uint64_t end = 0;
  Bound began = Bound::kSeen;
  Bound ended = Bound::kSeen;
};

struct Gap {
  enum class Why : uint8_t {
    kLost,      // from a declared loss of scheduling events to the next switch
    kUnseen,    // from the last known switch to the one that shows that some are missing
    kFiltered,  // the same where a recording leaves out switches on purpose
  };
  uint32_t cpu = 0;
  uint64_t begin = 0;
  uint64_t end = 0;
  Why why = Why::kUnseen;
  // The recorder's stand-in "(lost events)" is on the CPU for it.
  bool shown = false;
  Bound ended = Bound::kSeen;  // or kFileEdge
};

}  // namespace facts
