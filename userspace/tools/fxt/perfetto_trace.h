// SPDX-License-Identifier: BSD-2-Clause
// Writes a trace as a Perfetto trace, for `fxt export` and `fxt open`.
#pragma once

#include <cstdint>
#include <string>

#include "export/perfetto/perfetto_export.h"
#include "fxt/byte_sink.h"
#include "fxt/byte_source.h"

namespace tools {

struct PerfettoTrace {
  std::string command;  // for messages: "fxt export"
  std::string file;     // for messages
  exporting::perfetto::SampleFormat format = exporting::perfetto::SampleFormat::kStackSample;
};

struct PerfettoWritten {
  uint64_t records = 0;
  std::string damage;  // why reading ended early; the records before it are written
};

// Writes all that `source` has to `sink`, which the caller closes and asks for errors. Shows
// progress (see Progress for `prints`) and notes on standard error what is left out.
PerfettoWritten WritePerfettoTrace(const PerfettoTrace& trace, bool prints, fxt::ByteSource& source,
                                   fxt::ByteSink& sink);

}  // namespace tools
