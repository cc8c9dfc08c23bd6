// SPDX-License-Identifier: BSD-2-Clause
// The outputs of a recording in the foreground: the trace, and the summary of --stats-json.
#pragma once

#include <optional>
#include <string_view>

#include "sink/open_sink.h"
#include "sink/output.h"
#include "tools/record/options/record_options.h"
#include "util/result.h"

namespace tools {

class RecordOutputs {
 public:
  // Opens both, or neither. Existing files stay as they are until the trace is published and
  // WriteStats() is called. `keep_waiting`: how long to wait for the reader of a FIFO.
  static util::Result<RecordOutputs> Open(const RecordOptions& options,
                                          output::KeepWaiting keep_waiting);
  // True if the trace will go to standard output; opens nothing.
  static bool TraceGoesToStdout(const RecordOptions& options);

  // The output of the trace; once.
  sink::Output TakeTrace() { return std::move(*trace_); }
  bool trace_on_stdout() const { return trace_on_stdout_; }

  // True if the trace goes to a regular file, which can be read again; before TakeTrace().
  bool is_file() const { return trace_ && trace_->file() != nullptr; }

  bool wants_stats() const { return stats_.has_value(); }
  util::Status WriteStats(std::string_view json);

 private:
  RecordOutputs() = default;

  std::optional<sink::Output> trace_;
  std::optional<sink::Output> stats_;
  bool trace_on_stdout_ = false;
};

}  // namespace tools
