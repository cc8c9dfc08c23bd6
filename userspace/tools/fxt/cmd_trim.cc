// SPDX-License-Identifier: BSD-2-Clause
#include <fmt/format.h>

#include <memory>

#include "analyze/rewrite/trimmer.h"
#include "sink/open_sink.h"
#include "source/input.h"
#include "tools/common/message.h"
#include "tools/fxt/commands.h"
#include "tools/fxt/support/filter_options.h"
#include "tools/fxt/support/output_file.h"
#include "tools/fxt/support/read_loop.h"

namespace tools {
namespace {

struct TrimOptions {
  std::string file;
  std::string output;
  FilterOptions filter;
};

int RunTrim(const TrimOptions& options) {
  auto filter = options.filter.Make();
  if (!filter) return Fail(filter.error());
  if (const auto status = RefuseSameFile(options.file, options.output); !status) {
    return Fail(status.error());
  }
  auto source = source::OpenInput(options.file);
  if (!source) return Fail(source.error());
  fxt::Reader reader(**source);
  const fxt::ReadStatus first = facts::NextRecord(reader);
  if (first == fxt::ReadStatus::kError) {
    return Fail({fmt::format("{}: {}", options.file, reader.error_message()), ""});
  }
  sink::SinkOptions sink_options;
  sink_options.path = options.output;
  sink_options.file = OutputLike(options.file);
  auto out = sink::OpenSink(sink_options);
  if (!out) return Fail(out.error());
  Progress progress("fxt trim: " + options.file, **source, options.output == "-");
  analyze::Trimmer trimmer(**out, {std::move(*filter), options.filter.Describe()});
  if (first == fxt::ReadStatus::kRecord) trimmer.Add(reader);
  ReadAll(reader, progress, [&] {
    trimmer.Add(reader);
    return !trimmer.copier().failed();
  });
  trimmer.Finish();
  progress.Clear();
  if (const auto status = (*out)->Close(); !status) {
    return FailOutput(options.output, status.error());
  }
  WarnAboutDamage(options.file, reader);
  if (trimmer.kept() == 0) {
    PrintNote(kProgram, "note: nothing matches; the output has no events");
  }
  if (reader.error() != fxt::ReadError::kNone) {
    return Fail({fmt::format("{}: {}", options.file, reader.error_message()), ""});
  }
  return kExitOk;
}

}  // namespace

void AddTrim(const Command& program, int& exit_code) {
  auto options = std::make_shared<TrimOptions>();
  const Command command =
      program.AddSubcommand("trim", "Write a part of a trace, with the names it needs, as a trace");
  command.Add("FILE", options->file, "A trace; - is standard input").Required();
  AddTraceOutput(command, options->output);
  options->filter.AddTo(command);
  command.Footer(
      "Records in the time range that match every other option are kept. A switch matches if one "
      "of\n"
      "its two threads does.\n"
      "\n"
      "Examples:\n"
      "  fxt trim --from 1s --to 1.2s trace.fxt -o part.fxt\n"
      "  fxt trim --process postgres trace.fxt.gz -o postgres.fxt.gz\n"
      "  fxt trim --cpu 0,1 --thread 'kworker/*' trace.fxt -o - | fxt info -");
  command.OnRun([options, &exit_code] { exit_code = RunTrim(*options); });
}

}  // namespace tools
