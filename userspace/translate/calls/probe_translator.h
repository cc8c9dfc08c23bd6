// SPDX-License-Identifier: BSD-2-Clause
// Calls of probed functions as durations on their threads, USDT probes as instants. docs/probes.md
// describes them.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "fxt_record/long_event.h"
#include "model/task_tracker.h"
#include "probes/probe.h"
#include "translate/file/trace_writer.h"

namespace translate {

class ProbeTranslator {
 public:
  struct Stats {
    uint64_t events = 0;
    uint64_t recorded = 0;
    uint64_t unmatched_ends = 0;  // returns without their entries
    uint64_t unreadable = 0;
  };

  // `file` and `tasks` outlive it. The events' numbers are places in `probes`.
  ProbeTranslator(TraceWriter& file, model::TaskTracker& tasks, std::vector<probes::Probe> probes);

  // Whether slots of this type are taken by OnSlot.
  static bool Knows(uint32_t type) {
    return type >= FXR_SLOT_PROBE_ENTRY && type <= FXR_SLOT_PROBE_VALUE_TOP;
  }
  // Times are ns of the file's clock.
  void OnSlot(uint32_t type, uint64_t time, uint64_t body, uint64_t extra);
  // `values`: its bytes.
  void OnHit(uint64_t time, const fxr_probe_hit_long& hit, std::span<const uint64_t> values);
  // The thread `old_tid`, which is `tid` now, executes another program: none of its calls returns.
  void OnExec(uint64_t time, uint32_t old_tid, uint32_t tid);
  // A system call of the thread has ended, and so has its duration.
  void OnSyscallExit(uint64_t time, uint32_t tid);
  // The thread ends, and its calls with it.
  void OnThreadEnd(uint64_t time, uint32_t tid);
  // Events were lost: what belongs to one that is still to come may have been.
  void OnLoss();

  const Stats& stats() const { return stats_; }

 private:
  // A call whose duration has begun in the file and not ended.
  struct Call {
    uint32_t probe = 0;
    uint64_t frame = 0;  // see event_table.h
    fxt::Koid process_koid = 0;
    fxt::Koid thread_koid = 0;  // the thread's when it began: exec can change it
  };
  struct Thread {
    std::vector<Call> calls;  // the innermost last
    int64_t value = 0;        // that the next return returns
    uint64_t value_top = 0;
    bool has_value = false;
    bool has_top = false;
    bool executed = false;  // another program, whose execve has not ended yet
  };

  void OnEntry(uint64_t time, const fxr_probe_entry_body& event);
  void OnReturn(uint64_t time, const fxr_probe_return_body& event);
  void OnValue(const fxr_probe_value_body& event);
  // Ends the innermost call; `value`: what it returned. `returned`: its end was seen.
  void End(uint64_t time, uint32_t tid, Thread& thread, bool returned, const int64_t* value);
  void EndAll(uint64_t time, uint32_t tid, Thread& thread);

  TraceWriter& file_;
  model::TaskTracker& tasks_;
  Stats stats_;
  const std::vector<probes::Probe> probes_;
  std::vector<fxt::StringId> names_;           // by number
  std::vector<fxt::StringId> argument_names_;  // arg1 and so on
  fxt::StringId no_return_;
  std::unordered_map<uint32_t, Thread> threads_;  // by tid
};

}  // namespace translate
