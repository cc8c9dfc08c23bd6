// SPDX-License-Identifier: BSD-2-Clause
// What the kernel does that begins and ends, as durations on tracks: timers and interrupts between
// CPUs on those of a CPU; work, reclaim, waits for locks and of page faults on those of threads. On
// a track they lie within each other.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "fxt_record/slot_body.h"
#include "model/task_table.h"
#include "translate/file/trace_writer.h"
#include "translate/kernel/function_names.h"

namespace translate {

class SpanStacks {
 public:
  // Both outlive it.
  SpanStacks(TraceWriter& file, FunctionNames& functions) : file_(file), functions_(functions) {}

  // Times are ns of the file's clock; bodies are those of event_table.h. False: an end of what
  // began before the recording.
  bool OnTimer(uint64_t time, model::ThreadHandle track, const fxr_timer_entry_body& event);
  bool OnTimerEnd(uint64_t time, model::ThreadHandle track);
  bool OnIpi(uint64_t time, model::ThreadHandle track, const fxr_ipi_entry_body& event);
  bool OnIpiEnd(uint64_t time, model::ThreadHandle track);
  bool OnWork(uint64_t time, model::ThreadHandle track, const fxr_work_start_body& event);
  bool OnWorkEnd(uint64_t time, model::ThreadHandle track);
  bool OnReclaim(uint64_t time, model::ThreadHandle track, const fxr_reclaim_begin_body& event);
  bool OnReclaimEnd(uint64_t time, model::ThreadHandle track, const fxr_reclaim_end_body& event);
  bool OnLock(uint64_t time, model::ThreadHandle track, const fxr_lock_begin_body& event);
  bool OnLockEnd(uint64_t time, model::ThreadHandle track, const fxr_lock_end_body& event);
  bool OnFaultWait(uint64_t time, model::ThreadHandle track, const fxr_fault_wait_body& event);
  // A major fault's end, whether it had to wait or not.
  bool OnMajorFault(uint64_t time, model::ThreadHandle track, const fxr_fault_major_body& event);
  // To be told at each fault's begin where there are any: one that waited has ended before.
  bool has_fault_waits() const { return !waiting_.empty(); }
  void OnFault(uint64_t time, model::ThreadHandle track) { EndMinorFault(time, track); }
  // The thread ends.
  void OnTrackGone(model::ThreadHandle track);
  // Events of the category were lost on the CPU that the track is of: what has begun may have ended
  // since, and ends here.
  void OnLoss(uint64_t time, model::ThreadHandle track, fxr_category category) {
    EndAll(time, track, category);
  }

 private:
  struct Open {
    fxr_category category;
    fxt::StringId name;
    int64_t lock = 0;
  };
  struct Number {
    std::string_view name;
    uint64_t value = 0;
  };

  void Begin(uint64_t time, model::ThreadHandle track, const Open& open);
  bool End(uint64_t time, model::ThreadHandle track, fxr_category category, const Number& number);
  bool End(uint64_t time, model::ThreadHandle track, fxr_category category) {
    return End(time, track, category, {});
  }
  void EndAll(uint64_t time, model::ThreadHandle track, fxr_category category);
  // The innermost span of the category on the track, with those that lie within it and have lost
  // their ends taken away; null: there is none.
  Open* Innermost(model::ThreadHandle track, fxr_category category);
  void BeginFault(uint64_t time, model::ThreadHandle track, int64_t address);
  void EndMinorFault(uint64_t time, model::ThreadHandle track);

  TraceWriter& file_;
  FunctionNames& functions_;
  std::unordered_map<model::ThreadHandle, std::vector<Open>> stacks_;
  std::unordered_set<model::ThreadHandle> waiting_;  // at a page fault
};

}  // namespace translate
