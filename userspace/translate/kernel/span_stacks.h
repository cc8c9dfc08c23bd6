// SPDX-License-Identifier: BSD-2-Clause
// What the kernel does that begins and ends, as durations on tracks: timers and interrupts between
// CPUs on those of a CPU; work, reclaim and waits for locks on those of threads. On a track they
// lie within each other.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "fxt_record/slot_body.h"
#include "model/task_table.h"
#include "translate/file/trace_file.h"
#include "translate/kernel/function_names.h"

namespace translate {

class SpanStacks {
 public:
  // Both outlive it.
  SpanStacks(TraceFile& file, FunctionNames& functions) : file_(file), functions_(functions) {}

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
  // The thread ends.
  void OnTrackGone(model::ThreadHandle track) { stacks_.erase(track); }

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
  // The innermost span of the category on the track, with those that lie within it and have lost
  // their ends taken away; null: there is none.
  Open* Innermost(model::ThreadHandle track, fxr_category category);

  TraceFile& file_;
  FunctionNames& functions_;
  std::unordered_map<model::ThreadHandle, std::vector<Open>> stacks_;
};

}  // namespace translate
