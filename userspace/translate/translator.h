// SPDX-License-Identifier: BSD-2-Clause
// Raw events in time order, in; records, out. Knows nothing of rings, and neither who delivers the
// events nor whether they happen now: a capture and a raw log do alike.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fxt/provider_writer.h"
#include "fxt_record/event.h"
#include "fxt_record/slot_body.h"
#include "model/task_tracker.h"
#include "perf/record/branch_stack_sample.h"
#include "perf/record/record_decoder.h"
#include "probes/probe.h"
#include "schema/tracepoint_format.h"
#include "translate/branch_translator.h"
#include "translate/calls/probe_translator.h"
#include "translate/counters/counter_translator.h"
#include "translate/file/session_info.h"
#include "translate/file/trace_writer.h"
#include "translate/instant_translator.h"
#include "translate/interrupt_translator.h"
#include "translate/kernel/block_translator.h"
#include "translate/kernel/function_names.h"
#include "translate/kernel/power_translator.h"
#include "translate/kernel/span_stacks.h"
#include "translate/log_translator.h"
#include "translate/loss_translator.h"
#include "translate/sched_translator.h"
#include "translate/stacks/mapping_follower.h"
#include "translate/stacks/stack_translator.h"
#include "translate/syscall_translator.h"
#include "translate/task_translator.h"
#include "translate/tracepoints/tracepoint_translator.h"
#include "translate/translation_stats.h"

namespace translate {

struct TranslatorOptions {
  bool record_task_events = true;          // category `task`
  bool filtered = false;                   // only some tasks' events come
  bool branches = false;                   // category `lbr`
  bool stacks = false;                     // category `stack`
  std::vector<probes::Probe> probes = {};  // category `probe`: what its events' numbers stand for
  // Category `tracepoint`: what its events are, by their numbers.
  std::vector<schema::TracepointFormat> tracepoints = {};
  std::vector<std::string> counters = {};  // category `counter`: the counters, by their numbers
};

class Translator {
 public:
  // `writer` and `tasks` outlive the translator. `tasks` may know tasks already: a file that
  // follows another one goes on with what they are.
  Translator(fxt::ProviderWriter& writer, model::TaskTracker& tasks,
             const TranslatorOptions& options);

  // What OnStart says of the recording.
  void set_session_info(SessionInfo info) { session_info_ = std::move(info); }
  void OnSnapshotTask(const fxr_task& task) { tracker_.OnSnapshotTask(task); }
  // The recording begins: describes it, and names all tasks that are known. `time`: ns of
  // CLOCK_MONOTONIC; side events before it, which may still come, only name tasks.
  void OnStart(uint64_t time);
  // Names them, without a description.
  void EndSnapshot();
  // After the last event, for each task that exists then.
  void OnFinalTask(const fxr_task& task) { tracker_.OnFinalTask(task); }

  // What to add to an event's time (CLOCK_MONOTONIC) to have the file's (CLOCK_BOOTTIME), ns.
  void OnClockOffset(int64_t offset) { clock_offset_ = offset; }

  // `time` in ns of CLOCK_MONOTONIC. `commit` and `body` are those of struct fxr_slot.
  void OnSlot(uint32_t cpu, uint64_t time, uint64_t commit, uint64_t body) {
    const uint32_t type = fxr_type_of(commit);
    const uint64_t at = FileTime(time);
    if (type == FXR_SLOT_SWITCH) {
      sched_.OnSwitch(cpu, at, body);
    } else if (type == FXR_SLOT_WAKING) {
      sched_.OnWaking(at, body);
    } else {
      OnRareSlot(type, cpu, at, body, fxr_extra_of(commit));
    }
  }
  // An event of the side ring, of header.size bytes.
  void OnSideEvent(const fxr_side_header& header);
  // What perf's rings tell, when branches or stacks are recorded; times as above.
  void OnBranchSample(const perf::BranchStackSample& sample) {
    branches_->OnSample(FileTime(sample.time), sample);
  }
  void OnMapping(uint64_t time, const perf::MmapRecord& record) {
    mappings_->OnMapping(FileTime(time), record);
  }
  // Right after OnStart, for each CPU of which it is known: the thread that it runs since before;
  // 0: it idles.
  void OnRunning(uint32_t cpu, uint64_t time, uint32_t tid) {
    sched_.OnRunning(cpu, FileTime(time), tid);
  }
  // The thread that the CPU runs by what was translated so far, 0: it idles; nothing: not known.
  std::optional<uint32_t> RunningOn(uint32_t cpu) const { return sched_.RunningTid(cpu); }
  // Nothing was recorded from here on, until `cpu` switches again.
  void OnPause(uint32_t cpu, uint64_t time) { sched_.OnLostSwitches(cpu, FileTime(time)); }
  // An instant on the recorder's track, with arguments that are texts. What has no text is left
  // out.
  void OnMark(uint64_t time, std::string_view name,
              std::span<const std::pair<std::string_view, std::string>> arguments);
  // A loss that no slot tells of. `cpu` -1: not tied to one.
  void OnLoss(int32_t cpu, uint64_t time, uint32_t category, uint64_t count);
  // To be called now and then with the present time.
  void OnTick(uint64_t time) { tracker_.Sweep(time + static_cast<uint64_t>(clock_offset_)); }

  // For records of other programs. The file's time, which need not be later than the last one's;
  // and a thread of the process `tgid` as the file knows it, named there by then: nothing where the
  // process has no such thread.
  uint64_t FileTimeOf(uint64_t time) const { return time + static_cast<uint64_t>(clock_offset_); }
  std::optional<fxt::ThreadKey> MentionThread(uint32_t tid, uint32_t tgid);

  TranslationStats stats() const;
  uint64_t refused_records() const { return file_.refused_records(); }
  const LossTranslator& losses() const { return losses_; }
  const model::TaskTable& task_table() const { return tracker_.table(); }

 private:
  void OnRareSlot(uint32_t type, uint32_t cpu, uint64_t at, uint64_t body, uint64_t extra);
  // Whether it is the beginning or the end of something that the kernel does.
  bool OnKernelSlot(uint32_t type, uint32_t cpu, uint64_t at, uint64_t body, uint64_t extra);
  // Side events, by type; fxr_side_header for those that cannot be read.
  void OnSide(uint64_t at, const fxr_task& event);
  void OnSide(uint64_t at, const fxr_exec& event);
  void OnSide(uint64_t at, const fxr_rename& event) { tasks_.OnRename(at, event); }
  void OnSide(uint64_t at, const fxr_exit& event);
  void OnSide(uint64_t at, const fxr_log& event);
  void OnSide(uint64_t at, const fxr_side_slot& event);
  void OnSide(uint64_t /*at*/, const fxr_cgroup& event) { tasks_.OnCgroup(event); }
  void OnSide(uint64_t at, const fxr_long& event);
  void OnSide(uint64_t at, const fxr_side_header& header);
  void CountUnreadable();
  // Counts what became of an event that has a record of its own unless it is an end without a
  // beginning.
  bool Count(fxr_category category, bool recorded) {
    ++(recorded ? stats_.recorded[category] : stats_.unmatched_ends);
    return true;
  }
  model::ThreadHandle TimerTrack(uint32_t cpu, bool is_hrtimer);
  model::ThreadHandle ThreadOn(uint32_t cpu, uint32_t tid) { return sched_.ThreadOn(cpu, tid); }
  // The process that called fork(), which is not the parent where that shares its own with the
  // child (CLONE_PARENT).
  uint32_t MakerOf(const fxr_task& task) const;
  // Says it, and ends what may have ended with what was lost. `cpu` -1: not tied to one.
  void HandleLoss(int32_t cpu, uint64_t at, uint32_t category, uint64_t count);

  // The file's time, which never runs backwards.
  uint64_t FileTime(uint64_t time) {
    uint64_t file_time = time + static_cast<uint64_t>(clock_offset_);
    if (file_time < last_time_) [[unlikely]] {
      ++stats_.late;
      return last_time_;
    }
    last_time_ = file_time;
    return file_time;
  }

  int64_t clock_offset_ = 0;
  uint64_t last_time_ = 0;
  TranslationStats stats_;
  SessionInfo session_info_;
  model::TaskTracker& tracker_;
  TraceWriter file_;
  TaskTranslator tasks_;
  SchedTranslator sched_;
  InterruptTranslator interrupts_;
  FunctionNames functions_;
  InstantTranslator instants_;
  BlockTranslator blocks_;
  PowerTranslator power_;
  SpanStacks spans_;
  SyscallTranslator syscalls_;
  LogTranslator log_;
  LossTranslator losses_;
  std::optional<MappingFollower> mappings_;  // where addresses are recorded
  std::optional<BranchTranslator> branches_;
  std::optional<StackTranslator> stacks_;
  std::optional<ProbeTranslator> probes_;
  std::optional<TracepointTranslator> tracepoints_;
  std::optional<CounterTranslator> counters_;
};

}  // namespace translate
