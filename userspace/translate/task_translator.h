// SPDX-License-Identifier: BSD-2-Clause
// Translates task events into instants; the task tracker keeps the identities.
#pragma once

#include <cstdint>
#include <span>

#include "fxt_record/event.h"
#include "model/task_tracker.h"
#include "translate/file/trace_writer.h"
#include "translate/translation_stats.h"

namespace translate {

class TaskTranslator {
 public:
  // `record_events`: write instants for fork, exec, exit and rename. Otherwise they only name
  // tasks.
  TaskTranslator(TraceWriter& file, model::TaskTracker& tasks, TranslationStats& stats,
                 bool record_events)
      : file_(file), tasks_(tasks), stats_(stats), record_events_(record_events) {}

  // Events before `time` (ns of CLOCK_MONOTONIC) only name tasks.
  void RecordFrom(uint64_t time) { record_from_ = time; }

  // Announces all tasks in the file.
  void NameAll();

  // Times are ns of the file's clock.
  void OnFork(uint64_t time, const fxr_task& task);
  void OnExec(uint64_t time, const fxr_exec& event);
  void OnRename(uint64_t time, const fxr_rename& event);
  void OnExit(uint64_t time, const fxr_exit& event);
  void OnCgroup(const fxr_cgroup& event);

 private:
  void WriteInstant(uint64_t time, OpenRecord& record, CommonString name,
                    std::span<const fxt::Argument> arguments);
  // Counts an event and returns whether it is recorded.
  bool Count(const fxr_side_header& header);

  TraceWriter& file_;
  model::TaskTracker& tasks_;
  TranslationStats& stats_;
  bool record_events_;
  uint64_t record_from_ = 0;
};

}  // namespace translate
