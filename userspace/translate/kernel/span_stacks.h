// SPDX-License-Identifier: BSD-2-Clause
// Translates paired kernel events into durations: timers and IPIs on the tracks of a CPU; work
// items, reclaim, lock waits and page-fault waits on threads. Durations of a track nest.
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
  // Both outlive the translator.
  SpanStacks(TraceWriter& file, FunctionNames& functions) : file_(file), functions_(functions) {}

  // Times are ns of the file's clock; bodies are defined in event_table.h. Returns false for the
  // end of a span that began before the recording.
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
  // The end of a major fault, whether it waited or not.
  bool OnMajorFault(uint64_t time, model::ThreadHandle track, const fxr_fault_major_body& event);
  // True: OnFault must be called at each page fault, because it ends an earlier fault wait of the
  // thread.
  bool has_fault_waits() const { return !waiting_.empty(); }
  void OnFault(uint64_t time, model::ThreadHandle track) { EndMinorFault(time, track); }
  // The thread exits.
  void OnTrackGone(model::ThreadHandle track);
  // Events of the category were lost on the track's CPU. Ends its open spans, because their ends
  // may be lost.
  void OnLoss(uint64_t time, model::ThreadHandle track, fxr_category category) {
    EndAll(time, track, category);
  }
  // The same for a category whose spans are on threads. Ends the spans of all threads: each may
  // have ended on the CPU that lost events.
  void OnLoss(uint64_t time, fxr_category category);

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
  // The innermost open span of the category on the track; null if there is none. Drops spans nested
  // in it, whose ends were lost.
  Open* Innermost(model::ThreadHandle track, fxr_category category);
  void BeginFault(uint64_t time, model::ThreadHandle track, int64_t address);
  void EndMinorFault(uint64_t time, model::ThreadHandle track);

  TraceWriter& file_;
  FunctionNames& functions_;
  std::unordered_map<model::ThreadHandle, std::vector<Open>> stacks_;
  std::unordered_set<model::ThreadHandle> waiting_;  // in a page-fault wait
};

}  // namespace translate
