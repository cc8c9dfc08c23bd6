// SPDX-License-Identifier: BSD-2-Clause
#include "tools/fxt/perfetto_trace.h"

#include <fmt/format.h>

#include "fxt/reader.h"
#include "text/clean_text.h"
#include "tools/common/message.h"
#include "tools/fxt/support/progress.h"
#include "tools/fxt/support/read_loop.h"

namespace tools {

PerfettoWritten WritePerfettoTrace(const PerfettoTrace& trace, bool prints, fxt::ByteSource& source,
                                   fxt::ByteSink& sink) {
  PerfettoWritten written;
  fxt::Reader reader(source);
  exporting::perfetto::PerfettoExport exporter(sink, trace.format);
  Progress progress(fmt::format("{}: {}", trace.command, trace.file), source, prints);
  ReadAll(reader, progress, [&] {
    ++written.records;
    return exporter.Add(reader);
  });
  exporter.Finish();
  progress.Clear();
  WarnAboutDamage(text::CleanText(trace.file), reader);
  const auto counts = exporter.counts();
  if (counts.undefined_stacks > 0) {
    PrintNote(trace.command, fmt::format("{} samples have no stack in the trace and were dropped",
                                         counts.undefined_stacks));
  }
  if (counts.left_out > 0) {
    PrintNote(trace.command,
              fmt::format("{} async events without a begin were dropped", counts.left_out));
  }
  if (reader.error() != fxt::ReadError::kNone) written.damage = reader.error_message();
  return written;
}

}  // namespace tools
