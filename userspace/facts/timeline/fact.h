// SPDX-License-Identifier: BSD-2-Clause
// The facts that a Timeline hands out: intervals of CPUs and threads, and switches of CPUs.
// All times are ns. An interval includes its begin and excludes its end.
//
//   Run    a thread is on a CPU: from the switch that brought it to the one that took it away.
//   Wait   a thread is on no CPU; its kind is the reason.
//   Idle   a CPU runs its idle thread. Idle threads have no runs and no waits.
//   Gap    the activity of a CPU is not known.
//
// A CPU that has a switch is in a Run, Idle or Gap at any time of the window. A thread that runs,
// is woken or is created is in a Run or Wait at any time. The lengths add up to the window exactly
// if the switches of the file are in time order. A fact is handed out when it ends: facts of one
// CPU or one thread are in order, facts of several are not. A Gap by an unseen switch may follow
// facts of other CPUs that are later than its begin.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>

#include "facts/scheduling.h"
#include "facts/wait_object.h"
#include "fxt/format.h"
#include "schema/linux_state.h"

namespace facts {

// A dense number for a thread's koid: 0, 1, 2, ... in order of appearance.
using ThreadIndex = uint32_t;
// The index of threads beyond the limit of a table.
inline constexpr ThreadIndex kNoThread = UINT32_MAX;

// The event that begins or ends a fact.
enum class Bound : uint8_t {
  kSeen,      // a switch or wakeup in the file
  kFileEdge,  // the window began or ended: the fact is cut, it may be longer than shown
  kLoss,      // events were lost: a Run lasts at least up to the loss, or began before its end
  kUnseen,    // a switch is missing: it happened at an unknown time
  kNoWakeup,  // a sleeping thread ran without a wakeup in the file: the time of the wakeup is
              // unknown
};

// The state of a CPU.
enum class CpuActivity : uint8_t {
  kNothingSeen,  // no switch and no loss yet
  kRun,
  kIdle,
  kGap,  // not known
};

struct Run {
  uint32_t cpu = 0;
  ThreadIndex index = kNoThread;
  fxt::Koid thread = 0;
  std::optional<fxt::Koid> process = std::nullopt;
  uint64_t begin = 0;
  uint64_t end = 0;
  // The kernel's 0..139, or the weight of the newer layout; at the end of the run, or else at its
  // begin.
  std::optional<int64_t> priority = std::nullopt;
  // Kernel state at the switch-out; empty if unknown.
  std::optional<fxr_task_state> end_state = std::nullopt;
  Bound began = Bound::kSeen;
  Bound ended = Bound::kSeen;

  // The thread left its CPU while it was runnable.
  bool is_preempted() const {
    return ended == Bound::kSeen &&
           (end_state == FXR_STATE_RUNNABLE || end_state == FXR_STATE_PREEMPTED);
  }
};

enum class WaitKind : uint8_t {
  kUnknown,    // before the thread is first seen, or after a loss or an unseen switch
  kAbsent,     // not created yet (up to its first wakeup), or gone (from its last switch)
  kWakeup,     // runnable since a wakeup, or since it left woken (state W)
  kPreempted,  // runnable since it left runnable: R+ preempted, R by itself
  kSleep,      // asleep in S, P or I; up to the wakeup
  kBlocked,    // asleep in D; up to the wakeup
  kStopped,    // T or t; up to the wakeup
  kThrottled,  // runnable, and the quota of its cgroup is used up
};

// The limit that throttled a thread: its cgroup, or the one above it whose quota was used up, may
// use `quota` of each `period`.
struct CpuLimit {
  std::string cgroup;     // path; empty if unknown
  uint64_t quota_ns = 0;  // 0: unknown
  uint64_t period_ns = 0;

  auto operator<=>(const CpuLimit&) const = default;
};
// An index of TimelineState::limits().
inline constexpr uint32_t kNoLimit = UINT32_MAX;

// The record that ends a wait.
enum class WaitEnd : uint8_t {
  kNone,    // no record of its thread: an edge, a loss, a limit that begins or ends
  kSwitch,  // its thread comes to a CPU
  kWakeup,
};

struct Wait {
  ThreadIndex index = kNoThread;
  fxt::Koid thread = 0;
  WaitKind kind = WaitKind::kUnknown;
  uint64_t begin = 0;
  uint64_t end = 0;
  Bound began = Bound::kSeen;
  Bound ended = Bound::kSeen;
  // Switches or wakeups were lost meanwhile, on any CPU: the thread may have been woken, run and
  // slept again.
  bool touches_loss = false;
  // Kernel state at the switch-out; empty if unknown.
  std::optional<fxr_task_state> state = std::nullopt;
  // For a wait that a wakeup began: the waker and the CPU that the wakeup chose. `waker` is empty
  // if an interrupt woke the thread.
  std::optional<fxt::Koid> waker = std::nullopt;
  std::optional<uint32_t> target_cpu = std::nullopt;
  WakeVia via = WakeVia::kNone;  // of `waker`
  // For kPreempted: the thread that took the CPU; empty if the CPU became idle, or if the
  // wait follows one in kThrottled.
  std::optional<fxt::Koid> preemptor = std::nullopt;
  // For kThrottled: the index of its limit; kNoLimit: unknown.
  uint32_t limit = kNoLimit;

  // The end. `end_cpu` is the CPU of the switch or wakeup, `end_waker` the waker of the wakeup.
  WaitEnd end_record = WaitEnd::kNone;
  uint32_t end_cpu = 0;
  std::optional<fxt::Koid> end_waker = std::nullopt;
  WakeVia end_via = WakeVia::kNone;  // of `end_waker`
  bool end_by_interrupt = false;     // the recorder emitted a wakeup without a waker
  int32_t next_priority = -1;        // kernel priority of the run that follows; -1: not known

  // For a sleep: the object that it waited for; null if unknown. Valid only during the call of
  // OnWait().
  const WaitObject* object = nullptr;

  bool ends_in_run() const { return end_record == WaitEnd::kSwitch && ended == Bound::kSeen; }
  bool ends_in_wakeup() const { return end_record == WaitEnd::kWakeup && ended == Bound::kSeen; }
  // The CPU of the next run, or the one chosen for it; empty if unknown.
  std::optional<uint32_t> run_cpu() const { return ends_in_run() ? end_cpu : target_cpu; }
  // The thread that woke it. Empty for an interrupt, and for a new thread's first wakeup.
  std::optional<fxt::Koid> woken_by() const {
    return ends_in_wakeup() && kind != WaitKind::kAbsent ? end_waker : std::nullopt;
  }
  // The thread waited for a CPU.
  bool is_runnable() const { return kind == WaitKind::kWakeup || kind == WaitKind::kPreempted; }
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
    kFiltered,  // the same in a recording with filters, which leaves out switches
  };
  uint32_t cpu = 0;
  uint64_t begin = 0;
  uint64_t end = 0;
  Why why = Why::kUnseen;
  // The recorder's stand-in "(lost events)" is on the CPU for it.
  bool shown = false;
  Bound ended = Bound::kSeen;  // or kFileEdge
};

// A switch of a CPU, after the facts that it ends.
struct CpuSwitch {
  uint32_t cpu = 0;
  uint64_t time = 0;
  // The outgoing thread; the pseudo thread for lost events counts as none.
  std::optional<fxt::Koid> outgoing = std::nullopt;
  std::optional<fxt::Koid> outgoing_process = std::nullopt;
  bool outgoing_idle = false;
  ThreadIndex preempted = kNoThread;  // the outgoing thread, if it left runnable
  // The new state of the CPU: kRun, kIdle, or kGap behind a loss.
  CpuActivity activity = CpuActivity::kRun;
  ThreadIndex index = kNoThread;
  fxt::Koid thread = 0;
  std::optional<fxt::Koid> process = std::nullopt;
  std::optional<int64_t> priority = std::nullopt;
};

// The same facts on the fast path, in brief. No bound is other than kSeen, and no loss is touched.
struct WholeRun {
  uint32_t cpu = 0;
  ThreadIndex index = kNoThread;
  fxt::Koid thread = 0;
  uint64_t begin = 0;
  uint64_t end = 0;
  int32_t priority = 0;
  fxr_task_state end_state = FXR_STATE_RUNNABLE;

  bool is_preempted() const {
    return end_state == FXR_STATE_RUNNABLE || end_state == FXR_STATE_PREEMPTED;
  }
};
// A wait for a CPU that its thread then runs on, or a sleep that a wakeup ends.
struct WholeWait {
  ThreadIndex index = kNoThread;
  fxt::Koid thread = 0;
  WaitKind kind = WaitKind::kUnknown;
  uint64_t begin = 0;
  uint64_t end = 0;
  uint32_t end_cpu = 0;
  int32_t next_priority = -1;
  ThreadIndex waker = kNoThread;  // of a sleep: the thread that woke it
};
struct WholeSwitch {
  uint32_t cpu = 0;
  uint64_t time = 0;
  bool idle = false;              // the CPU becomes idle
  ThreadIndex index = kNoThread;  // the incoming thread
  bool outgoing_idle = false;
  ThreadIndex outgoing = kNoThread;
  int32_t priority = 0;
  ThreadIndex preempted = kNoThread;
};

}  // namespace facts
