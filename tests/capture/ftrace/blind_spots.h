// SPDX-License-Identifier: BSD-2-Clause
// Switches that the kernel of some virtual machines hides from all tracers or from ftrace: those
// out of the threads of PID 1 and of their children until exec, and those out of an idle task. Such
// a switch leaves a gap: the CPU continues with another task than the one it switched to. Gaps are
// counted separately.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "capture/ftrace/switch_log.h"
#include "util/result.h"

namespace truth {

struct BlindSpots {
  bool init =
      false;  // no switch out of PID 1's threads is ever seen, nor the births of its children
  std::set<uint32_t> idle_cpus;  // the reference sees no switch out of the idle task of these

  std::string Describe() const;
};

// A blind spot needs gaps after the switches in and no switch out at all. PID 1 is invisible on
// both sides. If ftrace cannot see idle either, it may not see PID 1 enter, and only the recording
// has its gaps.
BlindSpots DetectBlindSpots(const SwitchLog& reference, const SwitchLog& recorded);

// `init` is "auto", "yes" or "no"; `idle` is "auto", "none" or a comma-separated list of CPUs.
util::Result<BlindSpots> ParseBlindSpots(const std::string& init, const std::string& idle,
                                         const SwitchLog& reference, const SwitchLog& recorded);

// A closed interval in nanoseconds of CLOCK_BOOTTIME.
struct Window {
  uint64_t begin_ns = 0;
  uint64_t end_ns = UINT64_MAX;
  bool Contains(uint64_t time_ns) const { return time_ns >= begin_ns && time_ns <= end_ns; }
};

// Counts of gaps: a CPU continues with another task than the one it switched to.
struct Gaps {
  uint64_t init = 0;         // after a switch to one of PID 1's threads
  uint64_t idle = 0;         // after a switch to idle, on a CPU whose idle is a blind spot
  uint64_t unborn = 0;       // after a switch to a child of PID 1 before its exec
  uint64_t takeover = 0;     // the task has another id since the switch
  uint64_t offline = 0;      // a CPU's last switch, from its stopper to idle, when it goes offline
  uint64_t unexplained = 0;  // the log lacks a switch
  std::vector<uint64_t> unexplained_times_ns;  // the first few
};

// Counts the gaps of `cpu`, a CPU of `reference` or of a recording of the same time. Both
// neighbours of a gap lie within `window`.
Gaps FindGaps(std::span<const Switch> cpu, const SwitchLog& reference, const Window& window,
              bool init_is_blind, bool idle_is_blind);

// Returns whether the task with `tid` at `time_ns` started without an event and kept its name.
bool IsUnborn(const SwitchLog& reference, int32_t tid, uint64_t time_ns);

// Returns whether an exec event after `time_ns` exchanged these ids. The thread takes the id of its
// leader, which may still be exiting. The event follows a while after the exchange.
bool IsExchange(const SwitchLog& reference, int32_t a, int32_t b, uint64_t time_ns);

bool IsInit(const std::vector<int32_t>& init_tids, int32_t tid);

}  // namespace truth
