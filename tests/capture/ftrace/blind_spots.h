// SPDX-License-Identifier: BSD-2-Clause
// Switches that a virtual machine's kernel shows no tracer, or not ftrace: those out of PID 1's
// threads and of the children these make until they execute a program, and those out of an idle
// task. They are recognised by what they leave behind, a CPU that goes on with another task than
// the one it switched to, and counted apart.
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

// A blind spot is called so only where gaps follow switches in, and not a single switch out was
// seen. PID 1 hides from both sides, and where ftrace is blind to idle as well it may not even see
// PID 1 come in: its gaps may then be in the recording alone.
BlindSpots DetectBlindSpots(const SwitchLog& reference, const SwitchLog& recorded);

// `init` is "auto", "yes" or "no"; `idle` is "auto", "none" or CPU numbers with commas between
// them.
util::Result<BlindSpots> ParseBlindSpots(const std::string& init, const std::string& idle,
                                         const SwitchLog& reference, const SwitchLog& recorded);

// Both ends included; nanoseconds of CLOCK_BOOTTIME.
struct Window {
  uint64_t begin_ns = 0;
  uint64_t end_ns = UINT64_MAX;
  bool Contains(uint64_t time_ns) const { return time_ns >= begin_ns && time_ns <= end_ns; }
};

// Places where a CPU goes on with another task than the one it switched to.
struct Gaps {
  uint64_t init = 0;      // after a switch to one of PID 1's threads
  uint64_t idle = 0;      // after a switch to idle, on a CPU whose idle is a blind spot
  uint64_t unborn = 0;    // after a switch to a child of PID 1 that has not executed anything yet
  uint64_t takeover = 0;  // the task that was switched to has another id since
  uint64_t offline = 0;   // a CPU's last switch, from its stopper to idle, when it goes offline
  uint64_t unexplained = 0;                    // the log lacks something it should have
  std::vector<uint64_t> unexplained_times_ns;  // the first few
};

// Gaps of `cpu`, a CPU of `reference` or of a recording of the same time, between neighbours that
// both lie within `window`.
Gaps FindGaps(std::span<const Switch> cpu, const SwitchLog& reference, const Window& window,
              bool init_is_blind, bool idle_is_blind);

// Whether the task that has `tid` at `time_ns` came to be unseen, and has not been renamed since.
bool IsUnborn(const SwitchLog& reference, int32_t tid, uint64_t time_ns);

// Whether an exec told of after `time_ns` exchanged these ids: the thread that takes its leader's,
// and the leader, which may still be on its way out. It is told of a while after the ids have
// changed.
bool IsExchange(const SwitchLog& reference, int32_t a, int32_t b, uint64_t time_ns);

bool IsInit(const std::vector<int32_t>& init_tids, int32_t tid);

}  // namespace truth
