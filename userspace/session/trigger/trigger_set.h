// SPDX-License-Identifier: BSD-2-Clause
// Evaluates the triggers of a circular recording and reports the snapshots that are due.
#pragma once

#include <poll.h>

#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "session/recording.h"
#include "session/trigger/kernel_log_watch.h"
#include "session/trigger/latency_watch.h"
#include "session/trigger/pressure_watch.h"
#include "session/trigger/trigger_spec.h"
#include "util/result.h"

namespace session {

// A trigger and its counters.
struct TriggerState {
  TriggerSpec spec;
  uint64_t fired = 0;
  uint64_t limited = 0;  // of them, those without an own snapshot because of the limits
};

// A snapshot that is due.
struct DueSnapshot {
  std::vector<TriggerFired> fired;  // the first one caused the snapshot
  uint64_t last = 0;                // SnapshotRequest's
  uint64_t until = 0;
};

class TriggerSet {
 public:
  // `before` and `after`: defaults of triggers that do not set their own, ns. `recording` outlives
  // the set. It must be circular if a trigger watches slots.
  static util::Result<std::unique_ptr<TriggerSet>> Make(const std::vector<TriggerSpec>& specs,
                                                        uint64_t before, uint64_t after,
                                                        Recording& recording);

  // Called at the start of the recording.
  void Begin();

  void AddPollFds(std::vector<pollfd>& fds) const;
  // The latest time of the next Turn(), ms from now; -1: none.
  int TimeoutMs() const;
  // Evaluates the triggers. `polled`: the result of poll(2) on the descriptors of AddPollFds().
  void Turn(std::span<const pollfd> polled);
  // Events from outside. Return true if a trigger fires on them.
  bool OnSignal();
  bool OnAlert(std::string_view name);
  bool OnExit(int status);

  // Snapshots whose time has come. `all`: also the pending ones, at the end of a recording.
  std::vector<DueSnapshot> TakeDue(bool all);
  const std::deque<TriggerState>& triggers() const { return triggers_; }
  // Slots that were skipped because they arrived too fast.
  uint64_t skipped_slots() const { return slots_ ? slots_->skipped() : 0; }

 private:
  struct Pressure {
    TriggerState* trigger;
    PressureWatch watch;
  };
  struct Log {
    TriggerState* trigger;
    KernelLogWatch watch;
  };
  TriggerSet(uint64_t before, uint64_t after, Recording& recording)
      : before_(before), after_(after), recording_(recording) {}

  void Fire(TriggerState& trigger, TriggerFired fired);
  void OnFound(const LatencyWatch::Found& found);
  bool IsOfTask(const TriggerSpec& spec, uint32_t tid);
  bool MayFire(const TriggerState& trigger, uint64_t time);

  const uint64_t before_;
  const uint64_t after_;
  Recording& recording_;
  std::deque<TriggerState> triggers_;  // a deque keeps their addresses
  std::deque<std::deque<uint64_t>> last_minute_;
  std::vector<Pressure> pressures_;
  std::vector<Log> logs_;
  LatencyWatch::Limits limits_{};
  std::optional<LatencyWatch> slots_;
  unsigned lookups_left_ = 0;
  std::optional<DueSnapshot> pending_;
};

}  // namespace session
