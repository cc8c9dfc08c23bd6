// SPDX-License-Identifier: BSD-2-Clause
// Translates context switches and wakeups, and tracks the running thread of each CPU.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "fxt_record/event.h"
#include "fxt_record/long_event.h"
#include "model/task_tracker.h"
#include "translate/file/trace_writer.h"
#include "translate/translation_stats.h"

namespace translate {

class SchedTranslator {
 public:
  // `expect_continuity`: all switches are recorded, so a CPU's incoming thread must be the outgoing
  // thread of its next switch. False under a task filter.
  SchedTranslator(TraceWriter& file, model::TaskTracker& tasks, TranslationStats& stats,
                  bool expect_continuity)
      : file_(file), tasks_(tasks), stats_(stats), expect_continuity_(expect_continuity) {}

  // Adds the counts of the fast paths of OnSwitch and OnWaking to `stats`.
  void AddFastPathCounts(TranslationStats& stats) const;

  // Times are ns of the file's clock; bodies are defined in event_table.h.
  void OnSwitch(uint32_t cpu, uint64_t time, uint64_t body);
  void OnWaking(uint64_t time, uint64_t body, uint64_t extra);
  // Called before the thread is switched in. `cgroup`: path of the group; empty if unknown.
  void OnThrottled(uint64_t time, const fxr_throttled_long& event, uint64_t event_time,
                   std::string_view cgroup);
  // At the start of a file: the CPU has been running this thread since before `time`. Written like
  // the end of a gap.
  void OnRunning(uint32_t cpu, uint64_t time, uint32_t tid);
  // Switches of this CPU were lost from here on: the running thread is unknown until the next one.
  void OnLostSwitches(uint32_t cpu, uint64_t time);

  // The tid of the running thread, 0 if the CPU idles; empty if unknown.
  std::optional<uint32_t> RunningTid(uint32_t cpu) const;
  // The CPU's idle thread.
  model::ThreadHandle IdleOf(uint32_t cpu);
  // The thread of an event on this CPU: that with this tid, the idle thread for 0. perf reports -1
  // for a task that released its pid and has not left the CPU. For such a tid this is the running
  // thread, or a placeholder if it is unknown.
  model::ThreadHandle ThreadOn(uint32_t cpu, uint32_t tid);

 private:
  struct Cpu {
    model::ThreadHandle idle = model::kNoHandle;
    model::ThreadHandle lost = model::kNoHandle;  // represents the unknown thread during a gap
    FileThread* idle_thread = nullptr;            // set once it is announced
    FileThread* running = nullptr;                // null if unknown
    bool in_gap = false;                          // unknown, and represented by `lost`
  };
  // kNoHandle before the first switch.
  static model::ThreadHandle RunningOn(const Cpu& state) {
    return state.running ? state.running->handle : state.in_gap ? state.lost : model::kNoHandle;
  }
  model::ThreadHandle LostOf(uint32_t cpu);
  void SetRunning(Cpu& state, model::ThreadHandle thread);
  Cpu& CpuAt(uint32_t cpu) {
    if (cpu >= cpus_.size()) [[unlikely]] {
      cpus_.resize(cpu + 1);
      fast_path_cpus_ = static_cast<uint32_t>(std::min<size_t>(cpus_.size(), 0x100));
    }
    return cpus_[cpu];
  }
  // The general case of OnSwitch. The fast path requires that the outgoing thread is the one
  // switched in last, and that both threads are announced and in the current thread table.
  void OnSwitchSlowPath(uint32_t cpu, uint64_t time, uint64_t body);
  // The general case of OnWaking.
  void OnWakingSlowPath(uint64_t time, uint64_t body, uint64_t extra);
  model::ThreadHandle ResolveOutgoing(const Cpu& state, model::ThreadHandle outgoing,
                                      fxr_task_state task_state);
  model::ThreadHandle ResolveIncoming(uint32_t cpu, model::ThreadHandle incoming);
  void CacheSlot(model::ThreadHandle thread);
  model::ThreadHandle Unnumbered(uint32_t cpu);
  void WriteSwitch(uint32_t cpu, uint64_t time, fxt::ThreadState state,
                   model::ThreadHandle outgoing, model::ThreadHandle incoming,
                   uint8_t outgoing_priority, uint8_t incoming_priority);
  void CloseGap(uint32_t cpu, uint64_t time, model::ThreadHandle outgoing);
  void WriteLinuxState(uint64_t time, model::ThreadHandle thread, fxr_task_state state);
  void LeaveCpu(model::ThreadHandle thread);

  TraceWriter& file_;
  model::TaskTracker& tasks_;
  TranslationStats& stats_;
  bool expect_continuity_;
  uint64_t fast_switches_ = 0;
  uint64_t fast_wakeups_ = 0;
  uint64_t fast_wakeups_via_ = 0;
  std::vector<Cpu> cpus_;
  uint32_t fast_path_cpus_ = 0;  // CPUs of cpus_ that fit the older switch layout
  model::ProcessHandle idle_process_ = model::kNoHandle;
  model::ProcessHandle lost_process_ = model::kNoHandle;
};

}  // namespace translate
