// SPDX-License-Identifier: BSD-2-Clause
// Translates calls of probed functions into durations on their threads, and USDT probes into
// instants. docs/probes.md describes them.
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

  // `file` and `tasks` outlive the translator. Events carry an index into `probes`.
  ProbeTranslator(TraceWriter& file, model::TaskTracker& tasks, std::vector<probes::Probe> probes);

  // True if OnSlot handles this slot type.
  static bool Handles(uint32_t type) {
    return type >= FXR_SLOT_PROBE_ENTRY && type <= FXR_SLOT_PROBE_VALUE_TOP;
  }
  // Times are ns of the file's clock.
  void OnSlot(uint32_t type, uint64_t time, uint64_t body, uint64_t extra);
  // `values` are the event's bytes.
  void OnHit(uint64_t time, const fxr_probe_hit_long& hit, std::span<const uint64_t> values);
  // The thread `old_tid`, now `tid`, executes another program: none of its calls returns.
  void OnExec(uint64_t time, uint32_t old_tid, uint32_t tid);
  // A system call of the thread returned, and its duration ended.
  void OnSyscallExit(uint64_t time, uint32_t tid);
  // The thread exits, and its calls end.
  void OnThreadEnd(uint64_t time, uint32_t tid);
  // Probe events were lost: the pending return value may belong to a lost return.
  void OnLoss();

  const Stats& stats() const { return stats_; }

 private:
  // A call whose duration has begun in the file.
  struct Call {
    uint32_t probe = 0;
    uint64_t frame = 0;  // see event_table.h
    fxt::Koid process_koid = 0;
    fxt::Koid thread_koid = 0;  // koid at the begin; exec can change it
  };
  struct Thread {
    std::vector<Call> calls;  // innermost last
    int64_t value = 0;        // return value of the next return event
    uint64_t value_top = 0;
    bool has_value = false;
    bool has_top = false;
    bool executed = false;  // exec happened, and the execve call has not returned yet
  };

  void OnEntry(uint64_t time, const fxr_probe_entry_body& event);
  void OnReturn(uint64_t time, const fxr_probe_return_body& event);
  void OnValue(const fxr_probe_value_body& event);
  // Ends the innermost call. `value`: its return value; `returned`: its return was seen.
  void End(uint64_t time, uint32_t tid, Thread& thread, bool returned, const int64_t* value);
  void EndAll(uint64_t time, uint32_t tid, Thread& thread);

  TraceWriter& file_;
  model::TaskTracker& tasks_;
  Stats stats_;
  const std::vector<probes::Probe> probes_;
  std::vector<fxt::StringId> names_;           // by probe number
  std::vector<fxt::StringId> argument_names_;  // "arg1" and so on
  fxt::StringId no_return_;
  std::unordered_map<uint32_t, Thread> threads_;  // by tid
};

}  // namespace translate
