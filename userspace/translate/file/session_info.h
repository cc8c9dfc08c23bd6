// SPDX-License-Identifier: BSD-2-Clause
// The description of a recording, written as an instant at the start of the file.
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
  // The process of the recorded command, as numbered in the file; 0: none.
  uint32_t command_pid = 0;
  std::string categories;  // as for -c
  std::string filters;     // empty: every task
  // How wakeups from interrupts are recorded: without a waker, or with the interrupted task.
  std::string interrupt_wakers;
  std::string start_time;   // wall clock, RFC 3339
  uint64_t ring_bytes = 0;  // per CPU
  // Offsets of other clocks from the file's, ns.
  std::optional<int64_t> realtime_ahead;
  std::optional<int64_t> monotonic_ahead;
};

// Measures the offsets of the other clocks now.
void TakeClocks(SessionInfo& info);

// Writes the instant "session" of category "fxt-record" with one argument per field. `time` is ns
// of the file's clock.
void WriteSession(TraceWriter& file, model::ThreadHandle track, uint64_t time,
                  const SessionInfo& info);

}  // namespace translate
