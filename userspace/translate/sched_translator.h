// SPDX-License-Identifier: BSD-2-Clause
// Context switches and wakeups; and what is known of each CPU between them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "fxt_record/event.h"
#include "model/task_tracker.h"
#include "translate/file/trace_writer.h"
#include "translate/translation_stats.h"

namespace translate {

class SchedTranslator {
 public:
  // `expect_continuity`: every switch is recorded, so that one CPU's switches have to follow from
  // each other. False under a task filter.
  SchedTranslator(TraceWriter& file, model::TaskTracker& tasks, TranslationStats& stats,
                  bool expect_continuity)
      : file_(file), tasks_(tasks), stats_(stats), expect_continuity_(expect_continuity) {}

  // What OnSwitch and OnWaking did most often is counted here, and only there; adds it to `stats`.
  void AddUsual(TranslationStats& stats) const;

  // Times are ns of the file's clock; bodies are those of event_table.h.
  void OnSwitch(uint32_t cpu, uint64_t time, uint64_t body);
  void OnWaking(uint64_t time, uint64_t body);
  // At the beginning of a file: what the CPU runs since before it. The file shows it as it shows
  // the end of a gap.
  void OnRunning(uint32_t cpu, uint64_t time, uint32_t tid);
  // Switches of this CPU were lost from here on: until the next one, nobody knows what it runs.
  void OnLostSwitches(uint32_t cpu, uint64_t time);

  // Its tid, 0: it idles; nothing when it is not known.
  std::optional<uint32_t> RunningTid(uint32_t cpu) const;
  // The CPU's idle thread.
  model::ThreadHandle IdleOf(uint32_t cpu);
  // Of which something on the CPU is told: the thread with this tid, the idle thread for 0. perf
  // says -1 of a task that has given its number back and has not left the CPU: for what no task can
  // have, the thread that is there, or one that stands for nobody known.
  model::ThreadHandle ThreadOn(uint32_t cpu, uint32_t tid);

 private:
  struct Cpu {
    model::ThreadHandle idle = model::kNoHandle;
    model::ThreadHandle lost = model::kNoHandle;  // stands for whatever ran during a gap
    FileThread* idle_thread = nullptr;            // once it is announced
    FileThread* running = nullptr;                // null when it is not known
    bool in_gap = false;                          // it is not known, and `lost` stands for it
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
      usual_cpus_ = static_cast<uint32_t>(std::min<size_t>(cpus_.size(), 0x100));
    }
    return cpus_[cpu];
  }
  // OnSwitch for any case. The common one is that the thread that goes is the one that came, both
  // are known and named, and the thread table in use has them.
  void OnAnySwitch(uint32_t cpu, uint64_t time, uint64_t body);
  // The same of OnWaking.
  void OnAnyWaking(uint64_t time, uint64_t body);
  model::ThreadHandle SettleOutgoing(const Cpu& state, model::ThreadHandle outgoing,
                                     fxr_task_state task_state);
  model::ThreadHandle SettleIncoming(uint32_t cpu, model::ThreadHandle incoming);
  void KeepSlot(model::ThreadHandle thread);
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
  uint64_t usual_switches_ = 0;
  uint64_t usual_wakeups_ = 0;
  std::vector<Cpu> cpus_;
  uint32_t usual_cpus_ = 0;  // those of cpus_ that fit into the older layout of a switch
  model::ProcessHandle idle_process_ = model::kNoHandle;
  model::ProcessHandle lost_process_ = model::kNoHandle;
};

}  // namespace translate
