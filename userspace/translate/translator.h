// SPDX-License-Identifier: BSD-2-Clause
// Translates raw events in time order into records. Independent of the rings: the events may be
// live or buffered.
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
#include "schema/request_protocols.h"
#include "schema/settings.h"
#include "schema/tracepoint_format.h"
#include "translate/branch_translator.h"
#include "translate/calls/probe_translator.h"
#include "translate/calls/request_translator.h"
#include "translate/counters/counter_translator.h"
#include "translate/file/session_info.h"
#include "translate/file/settings_writer.h"
#include "translate/file/trace_writer.h"
#include "translate/instant_translator.h"
#include "translate/interrupt_translator.h"
#include "translate/kernel/block_translator.h"
#include "translate/kernel/function_names.h"
#include "translate/kernel/power_translator.h"
#include "translate/kernel/span_stacks.h"
#include "translate/kernel/wait_translator.h"
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
  bool filtered = false;                   // only events of some tasks arrive
  bool branches = false;                   // category `lbr`
  bool stacks = false;                     // category `stack`
  std::vector<probes::Probe> probes = {};  // category `probe`: indexed by probe number
  // Category `tracepoint`: indexed by tracepoint number.
  std::vector<schema::TracepointFormat> tracepoints = {};
  std::vector<std::string> counters = {};       // category `counter`: indexed by counter number
  schema::RequestProtocols request_names = {};  // category `request`
};

class Translator {
 public:
  // `writer` and `tasks` outlive the translator. `tasks` may already hold tasks, as for a file that
  // continues another one.
  Translator(fxt::ProviderWriter& writer, model::TaskTracker& tasks,
             const TranslatorOptions& options);

  // The description that OnStart writes.
  void set_session_info(SessionInfo info) { session_info_ = std::move(info); }
  void OnSnapshotTask(const fxr_task& task) { tracker_.OnSnapshotTask(task); }
  // Starts the recording: writes its description and announces all known tasks. `time` is ns of
  // CLOCK_MONOTONIC; earlier side events that still arrive only name tasks.
  void OnStart(uint64_t time);
  // Announces all known tasks without a description.
  void EndSnapshot();
  // Called after the last event for each task that still exists.
  void OnFinalTask(const fxr_task& task) { tracker_.OnFinalTask(task); }

  // The offset from event times (CLOCK_MONOTONIC) to file times (CLOCK_BOOTTIME), ns.
  void OnClockOffset(int64_t offset) { clock_offset_ = offset; }

  // `time` is ns of CLOCK_MONOTONIC. `commit` and `body` are those of struct fxr_slot.
  void OnSlot(uint32_t cpu, uint64_t time, uint64_t commit, uint64_t body) {
    const uint32_t type = fxr_type_of(commit);
    const uint64_t at = FileTime(time);
    if (type == FXR_SLOT_SWITCH) {
      sched_.OnSwitch(cpu, at, body);
    } else if (type == FXR_SLOT_WAKING) {
      sched_.OnWaking(at, body, fxr_extra_of(commit));
    } else {
      OnRareSlot(type, cpu, at, body, fxr_extra_of(commit));
    }
  }
  // An event of the side ring, of header.size bytes.
  void OnSideEvent(const fxr_side_header& header);
  // Records of perf's rings, if branches or stacks are recorded. Times as above.
  void OnBranchSample(const perf::BranchStackSample& sample) {
    branches_->OnSample(FileTime(sample.time), sample);
  }
  void OnMapping(uint64_t time, const perf::MmapRecord& record) {
    mappings_->OnMapping(FileTime(time), record);
  }
  // Called after OnStart for each CPU whose running thread is known; `tid` 0: it idles.
  void OnRunning(uint32_t cpu, uint64_t time, uint32_t tid) {
    sched_.OnRunning(cpu, FileTime(time), tid);
  }
  // The thread that the CPU runs after the events so far, 0 if it idles; empty if unknown.
  std::optional<uint32_t> RunningOn(uint32_t cpu) const { return sched_.RunningTid(cpu); }
  // Scheduling events of `cpu` are lost from `time` on; their number follows with the loss slot.
  void OnGap(uint32_t cpu, uint64_t time) { sched_.OnLostSwitches(cpu, FileTime(time)); }
  // Recording paused: the running thread of `cpu` is unknown until its next switch.
  void OnPause(uint32_t cpu, uint64_t time) { sched_.OnLostSwitches(cpu, FileTime(time)); }
  // Writes an instant on the recorder's track with text arguments. Empty arguments are left out.
  void OnMark(uint64_t time, std::string_view name,
              std::span<const std::pair<std::string_view, std::string>> arguments);
  // Writes settings at the time of the last event.
  void OnSettings(const schema::Settings& settings) { settings_.Write(last_time_, settings); }
  // Calls visit(tgid) for each live process that ran in this file, except kernel threads.
  template <typename Visit>
  void ForEachRunProcess(Visit visit) const {
    file_.ForEachRunProcess(visit);
  }
  // A loss without a loss slot. `cpu` -1: it belongs to no CPU.
  void OnLoss(int32_t cpu, uint64_t time, uint32_t category, uint64_t count);
  // Must be called periodically with the current time.
  void OnTick(uint64_t time) { tracker_.Sweep(time + static_cast<uint64_t>(clock_offset_)); }

  // For records of providers. FileTimeOf returns the file's time, which may be earlier than the
  // last record's. MentionThread announces a thread of process `tgid`; empty if the process has no
  // such thread.
  uint64_t FileTimeOf(uint64_t time) const { return time + static_cast<uint64_t>(clock_offset_); }
  std::optional<fxt::ThreadKey> MentionThread(uint32_t tid, uint32_t tgid);

  TranslationStats stats() const;
  uint64_t refused_records() const { return file_.refused_records(); }
  const LossTranslator& losses() const { return losses_; }
  const model::TaskTable& task_table() const { return tracker_.table(); }

 private:
  void OnRareSlot(uint32_t type, uint32_t cpu, uint64_t at, uint64_t body, uint64_t extra);
  // Handles slots that begin or end a kernel activity; returns false for others.
  bool OnKernelSlot(uint32_t type, uint32_t cpu, uint64_t at, uint64_t body, uint64_t extra);
  // The same for receives, sends and closes of connections.
  bool OnRequestSlot(uint32_t type, uint64_t at, uint64_t body, uint64_t extra);
  bool CountRequest(RequestTranslator::Outcome outcome);
  // Side events by type; fxr_side_header for unreadable ones.
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
  // Counts an event as recorded or, if it is an end without a begin, as unmatched.
  bool Count(fxr_category category, bool recorded) {
    ++(recorded ? stats_.recorded[category] : stats_.unmatched_ends);
    return true;
  }
  model::ThreadHandle TimerTrack(uint32_t cpu, bool is_hrtimer);
  model::ThreadHandle ThreadOn(uint32_t cpu, uint32_t tid) { return sched_.ThreadOn(cpu, tid); }
  // The process that called fork(). With CLONE_PARENT it is not the parent of the child.
  uint32_t CreatorOf(const fxr_task& task) const;
  // Writes a loss and ends the spans whose ends may be lost. `cpu` -1: it belongs to no CPU.
  void HandleLoss(int32_t cpu, uint64_t at, uint32_t category, uint64_t count);

  // Converts to the file's time, which is monotonic.
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
  WaitTranslator waits_;
  RequestTranslator requests_;
  PowerTranslator power_;
  SpanStacks spans_;
  SyscallTranslator syscalls_;
  LogTranslator log_;
  LossTranslator losses_;
  SettingsWriter settings_;
  std::optional<MappingFollower> mappings_;  // where addresses are recorded
  std::optional<BranchTranslator> branches_;
  std::optional<StackTranslator> stacks_;
  std::optional<ProbeTranslator> probes_;
  std::optional<TracepointTranslator> tracepoints_;
  std::optional<CounterTranslator> counters_;
};

}  // namespace translate
