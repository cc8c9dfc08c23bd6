// SPDX-License-Identifier: BSD-2-Clause
#include <fmt/format.h>

#include <memory>

#include "analyze/show/trace_event_writer.h"
#include "source/input.h"
#include "tools/common/message.h"
#include "tools/fxt/commands.h"
#include "tools/fxt/support/output_file.h"
#include "tools/fxt/support/read_loop.h"

namespace tools {
namespace {

struct JsonOptions {
  std::string file;
  std::string output;
  analyze::TraceEventOptions events;
};

int RunJson(const JsonOptions& options) {
  if (const auto status = RefuseSameFile(options.file, options.output); !status) {
    return Fail(status.error());
  }
  auto source = source::OpenInput(options.file);
  if (!source) return Fail(source.error());
  fxt::Reader reader(**source);
  // Read before the output is opened, so that a wrong input leaves no output behind.
  const fxt::ReadStatus first = facts::NextRecord(reader);
  if (first == fxt::ReadStatus::kError) {
    return Fail({fmt::format("{}: {}", options.file, reader.error_message()), ""});
  }
  auto out = text::TextWriter::Open(options.output, OutputLike(options.file));
  if (!out) return Fail(out.error());
  Progress progress("fxt json: " + options.file, **source, options.output == "-");
  analyze::TraceEventWriter writer(*out, options.events);
  util::Status status = first == fxt::ReadStatus::kRecord ? writer.Add(reader) : util::Ok();
  ReadAll(reader, progress, [&] {
    status = writer.Add(reader);
    return status.ok() && !out->failed();
  });
  progress.Clear();
  if (status && !out->failed()) status = writer.Finish();
  if (status) status = out->Finish();
  if (!status) return Fail(status.error());
  if (out->closed_by_reader()) return kExitOk;
  WarnAboutDamage(options.file, reader);
  if (writer.counts().left_out != 0) {
    PrintNote(kProgram,
              fmt::format("note: {} records have no counterpart in the Trace Event Format "
                          "(blobs, userspace objects, profiler records)",
                          writer.counts().left_out));
  }
  if (reader.error() != fxt::ReadError::kNone) {
    return Fail({fmt::format("{}: {}", options.file, reader.error_message()), ""});
  }
  return kExitOk;
}

}  // namespace

void AddJson(const Command& program, int& exit_code) {
  auto options = std::make_shared<JsonOptions>();
  const Command command = program.AddSubcommand(
      "json",
      "Convert to the Trace Event Format, which chrome://tracing, Perfetto and speedscope "
      "read");
  command.Add("FILE", options->file, "A trace; - is standard input").Required();
  command.Add("-o,--output", options->output, "JSON file to write; - is standard output")
      .Type("FILE")
      .Required();
  command.Add("--cpu-slices", options->events.cpu_slices,
              "Also write runs as slices on a track per CPU, for speedscope, which ignores "
              "systemTraceEvents");
  command.Footer(
      "Switches and wakeups become systemTraceEvents as ftrace text, which Perfetto and\n"
      "chrome://tracing read. From the trace itself Perfetto shows more (fxt open).\n"
      "\n"
      "Examples:\n"
      "  fxt json trace.fxt -o trace.json\n"
      "  fxt json --cpu-slices trace.fxt -o - | gzip > trace.json.gz");
  command.OnRun([options, &exit_code] { exit_code = RunJson(*options); });
}

}  // namespace tools
