// SPDX-License-Identifier: BSD-2-Clause
// The triggers of a circular recording: looks for what fires them, and says when to write a
// snapshot.
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

// A trigger, and what it did so far.
struct TriggerState {
  TriggerSpec spec;
  uint64_t fired = 0;    // times
  uint64_t limited = 0;  // of them, those that its limits kept from a snapshot of their own
};

// A snapshot to be written.
struct DueSnapshot {
  std::vector<TriggerFired> fired;  // the first one asked for it; what came until its end follows
  uint64_t last = 0;                // SnapshotRequest's
  uint64_t until = 0;
};

class TriggerSet {
 public:
  // `before` and `after`: of triggers that do not have their own, ns. `recording` is circular where
  // slots have to be looked at, and outlives the set.
  static util::Result<std::unique_ptr<TriggerSet>> Make(const std::vector<TriggerSpec>& specs,
                                                        uint64_t before, uint64_t after,
                                                        Recording& recording);

  // From the start of the recording on.
  void Begin();

  void AddPollFds(std::vector<pollfd>& fds) const;
  // When it has to have a turn at the latest, ms; -1: when one of the descriptors says so.
  int TimeoutMs() const;
  // Looks at what there is. `polled`: what poll(2) made of a list that has the descriptors.
  void Turn(std::span<const pollfd> polled);
  // What is told from outside. Whether a trigger waits for it.
  bool OnSignal();
  bool OnAlert(std::string_view name);
  bool OnExit(int status);

  // Snapshots whose time has come; at the end of a recording `all` that were begun.
  std::vector<DueSnapshot> TakeDue(bool all);
  const std::deque<TriggerState>& triggers() const { return triggers_; }
  // Slots that came too fast to be looked at.
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
  std::deque<TriggerState> triggers_;  // they stay where they are
  std::deque<std::deque<uint64_t>> last_minute_;
  std::vector<Pressure> pressures_;
  std::vector<Log> logs_;
  LatencyWatch::Limits limits_{};
  std::optional<LatencyWatch> slots_;
  unsigned lookups_left_ = 0;
  std::optional<DueSnapshot> pending_;
};

}  // namespace session
