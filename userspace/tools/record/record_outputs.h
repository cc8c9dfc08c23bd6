// SPDX-License-Identifier: BSD-2-Clause
// What fxt-record writes: the trace, and the numbers of the summary.
#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "sink/open_sink.h"
#include "sink/output.h"
#include "tools/record/options/record_options.h"
#include "util/result.h"

namespace tools {

class RecordOutputs {
 public:
  // Opens both, or neither: nothing that exists is touched until Publish() and WriteStats().
  // `keep_waiting`: for whoever reads a FIFO or a pipe.
  static util::Result<RecordOutputs> Open(const RecordOptions& options,
                                          output::KeepWaiting keep_waiting);
  // Whether standard output will carry the trace, before anything is opened.
  static bool TraceGoesToStdout(const RecordOptions& options);

  // The trace's; once.
  std::unique_ptr<sink::Sink> TakeSink() { return std::move(sink_); }
  // Standard output carries the trace.
  bool trace_on_stdout() const { return trace_on_stdout_; }

  // The trace becomes a file that can be read again; before Publish().
  bool is_file() const { return file_ != nullptr; }

  // The recording has begun: the trace takes its name. Without it the trace goes away.
  util::Status Publish();

  bool wants_stats() const { return stats_.has_value(); }
  util::Status WriteStats(std::string_view json);

 private:
  RecordOutputs() = default;

  std::unique_ptr<sink::Sink> sink_;
  std::shared_ptr<output::OutputFile> file_;
  std::optional<sink::Output> stats_;
  bool trace_on_stdout_ = false;
};

}  // namespace tools
