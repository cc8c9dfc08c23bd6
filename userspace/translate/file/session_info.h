// SPDX-License-Identifier: BSD-2-Clause
// What a later comparison has to know of a recording; an instant at the start of the file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "model/task_table.h"
#include "translate/file/trace_writer.h"

namespace translate {

struct SessionInfo {
  std::string version;  // of the recorder
  std::string kernel;   // release
  std::string machine;  // architecture
  std::string cpu_model;
  uint32_t cpus = 0;  // online
  std::string host;
  std::string command;  // the recorder's command line
  // The process that the recorder started and records, by its number in the file; 0: none.
  uint32_t command_pid = 0;
  std::string categories;  // as for -c
  std::string filters;     // empty: every task
  // Whether wakeups by interrupts name no waker, or the task that was interrupted.
  std::string interrupt_wakers;
  std::string start_time;   // wall clock, RFC 3339
  uint64_t ring_bytes = 0;  // per CPU
  // ns by which other clocks are ahead of the file's.
  std::optional<int64_t> realtime_ahead;
  std::optional<int64_t> monotonic_ahead;
};

// Sets how far the other clocks are ahead, now.
void TakeClocks(SessionInfo& info);

// Category "fxt-record", name "session", one argument per field. `time` in ns of the file's clock.
void WriteSession(TraceWriter& file, model::ThreadHandle track, uint64_t time,
                  const SessionInfo& info);

}  // namespace translate
