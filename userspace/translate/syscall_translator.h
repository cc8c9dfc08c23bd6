// SPDX-License-Identifier: BSD-2-Clause
// Translates system calls into durations on their threads.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>

#include "fxt_record/slot_body.h"
#include "model/task_tracker.h"
#include "translate/file/trace_writer.h"
#include "translate/translation_stats.h"

namespace translate {

class SyscallTranslator {
 public:
  SyscallTranslator(TraceWriter& file, model::TaskTracker& tasks, TranslationStats& stats)
      : file_(file), tasks_(tasks), stats_(stats) {}

  // Times are ns of the file's clock.
  void OnEntry(uint64_t time, const fxr_syscall_entry_body& event);
  void OnExit(uint64_t time, const fxr_syscall_exit_body& event);
  // The thread exits. Ends its open call.
  void OnThreadEnd(uint64_t time, uint32_t tid);

 private:
  fxt::StringId Name(uint32_t number, bool compat);
  // Ends the thread's open call without a result.
  void EndOpen(uint64_t time, model::ThreadHandle handle);

  TraceWriter& file_;
  model::TaskTracker& tasks_;
  TranslationStats& stats_;
  std::unordered_map<uint64_t, fxt::StringId> names_;
};

}  // namespace translate
