// SPDX-License-Identifier: BSD-2-Clause
// A request, and the parts of its critical path.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "facts/timeline/fact.h"
#include "fxt/format.h"

namespace path {

// A number of a text in a LabelPool; 0: no text.
using Label = uint32_t;

// Anything with a begin, an end and a thread. Times are ns of the trace's clock.
struct Request {
  // The number of its end among the ends of all spans of the trace, from 1 on: the same whichever
  // spans are chosen. 0: an interval of a thread.
  uint64_t id = 0;
  uint64_t begin = 0;
  uint64_t end = 0;
  fxt::Koid thread = 0;  // that ended it; the path begins there
  std::optional<fxt::Koid> process = std::nullopt;
  std::string category = {};
  std::string name = {};
  std::string members = {};  // arguments as JSON, without braces, see PathOptions::arguments
  // False if its path is left out: none are wanted, or it is beyond PathOptions::free_steps.
  bool has_path = false;

  uint64_t duration() const { return end - begin; }
};

// The operation and object of a sleep, if known.
struct WaitedFor {
  Label what = 0;    // "futex", "block read", "page fault"
  Label object = 0;  // the thing: a device, an address, a file, a peer
  Label stack = 0;   // the kernel function that the thread slept in, and its callers if known

  bool operator==(const WaitedFor&) const = default;
};

enum class PartKind : uint8_t {
  kRunning,
  kRunnable,   // waited for a CPU
  kThrottled,  // its group had used up its CPU time
  kSleep,      // ended by an interrupt of which no more is known, or not ended
  kBlocked,    // the same, uninterruptible
  kDevice,     // a request of a block device
  kTimer,
  kPeer,  // another host
  kUnknown,
};
inline constexpr size_t kPartKinds = 9;
inline constexpr std::array<const char*, kPartKinds> kPartKindNames = {
    "running", "runnable", "throttled", "sleep", "blocked", "device", "timer", "peer", "unknown"};
inline const char* NameOf(PartKind kind) { return kPartKindNames[static_cast<size_t>(kind)]; }

// A part of a request's time. The parts of a request follow one another, from its begin to its end,
// and their lengths add up to its duration.
struct Part {
  uint64_t begin = 0;
  uint64_t length = 0;
  facts::ThreadIndex thread = facts::kNoThread;
  // For kRunnable: the thread on the CPU.
  facts::ThreadIndex holder = facts::kNoThread;
  // The thread whose sleep this part explains; kNoThread on the request's own thread.
  facts::ThreadIndex waiter = facts::kNoThread;
  // The operation that a wait was in. For other parts with a waiter: the operation of the waiter's
  // sleep.
  WaitedFor waited_for = {};
  uint16_t depth = 0;  // sleeps between the request's thread and this one
  PartKind kind = PartKind::kUnknown;
  bool idle_cpu = false;  // of kRunnable: the CPU had nothing to run

  // The same but for time.
  bool Continues(const Part& other) const {
    return thread == other.thread && holder == other.holder && waiter == other.waiter &&
           waited_for == other.waited_for && depth == other.depth && kind == other.kind &&
           idle_cpu == other.idle_cpu;
  }
};

}  // namespace path
