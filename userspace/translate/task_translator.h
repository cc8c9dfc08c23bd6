// SPDX-License-Identifier: BSD-2-Clause
// Who tasks are: keeps the task table in step with the events, and records what happens to tasks.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <string_view>

#include "fxt_record/event.h"
#include "model/identity_source.h"
#include "model/task_table.h"
#include "translate/trace_file.h"
#include "translate/translation_stats.h"

namespace translate {

class TaskTranslator {
 public:
  // `record_events`: fork, exec, exit and rename become instants; without it they only name tasks.
  // `sees_switches`: a thread's last switch will be told by OnLastSwitch.
  TaskTranslator(TraceFile& file, model::IdentitySource& identities, TranslationStats& stats,
                 bool record_events, bool sees_switches)
      : file_(file),
        identities_(identities),
        stats_(stats),
        record_events_(record_events),
        sees_switches_(sees_switches) {}

  // Events before this time only name tasks. ns of CLOCK_MONOTONIC.
  void RecordFrom(uint64_t time) { record_from_ = time; }

  // A task that exists at the start of the capture. EndSnapshot names them all in the file.
  void OnSnapshotTask(const fxr_task& task);
  void EndSnapshot();
  // A task that exists at the end: its process is told again if it is another user's or in another
  // cgroup than was told. Nothing tells of a change of the uid when it happens; the next exec,
  // fork, rename or exit shows it, or the end does.
  void OnFinalTask(const fxr_task& task);

  // Times are ns of the file's clock.
  void OnFork(uint64_t time, const fxr_task& task);
  void OnExec(uint64_t time, const fxr_exec& event);
  void OnRename(uint64_t time, const fxr_rename& event);
  void OnExit(uint64_t time, const fxr_exit& event);
  void OnCgroup(const fxr_cgroup& event);

  // The thread with this tid. One whose birth was not seen is looked up, or goes by its number.
  model::ThreadHandle Thread(uint32_t tid) {
    model::ThreadHandle handle = file_.tasks().Find(tid);
    return handle != model::kNoHandle ? handle : Unknown(tid);
  }

  // The thread takes the tid of its process's leader, which has exited: it is in the middle of
  // exec.
  void BecomeLeader(model::ThreadHandle handle, uint32_t tgid);

  // The thread will not run again.
  void OnLastSwitch(model::ThreadHandle thread) { Drop(thread); }
  // Lets go of threads that ended a while ago and whose last switch was not seen.
  void Sweep(uint64_t time);

 private:
  struct Ended {
    uint64_t time;
    model::ThreadHandle thread;
    fxt::Koid koid;
  };
  model::ThreadHandle Unknown(uint32_t tid);
  model::ThreadHandle TakenOver(uint32_t tid);
  void Identify(model::ThreadHandle thread, const fxr_task& task);
  void NameProcess(model::ThreadHandle leader);
  void TellAgain(model::ThreadHandle leader);
  bool Leads(model::ThreadHandle thread) const;
  void NoteUid(model::ThreadHandle thread, uint32_t uid);
  void NoteCgroup(model::ThreadHandle thread, uint64_t id);
  void Drop(model::ThreadHandle thread);
  void Rename(model::ThreadHandle thread, std::string_view comm, std::string_view full_name);
  void WriteInstant(uint64_t time, OpenRecord& record, Word name,
                    std::span<const fxt::Argument> arguments);
  // Counts an event; whether it has a record of its own.
  bool TakeIn(const fxr_side_header& header);

  TraceFile& file_;
  model::IdentitySource& identities_;
  TranslationStats& stats_;
  bool record_events_;
  uint64_t record_from_ = 0;
  bool sees_switches_;
  std::deque<Ended> ended_;
};

}  // namespace translate
