// SPDX-License-Identifier: BSD-2-Clause
#include <fmt/format.h>

#include <memory>
#include <utility>

#include "analyze/rewrite/recoverer.h"
#include "sink/open_sink.h"
#include "source/input.h"
#include "tools/common/message.h"
#include "tools/fxt/commands.h"
#include "tools/fxt/support/output_file.h"
#include "tools/fxt/support/progress.h"
#include "util/quantity.h"

namespace tools {
namespace {

struct RecoverOptions {
  std::string file;
  std::string output;
};

int RunRecover(const RecoverOptions& options) {
  if (const auto status = RefuseSameFile(options.file, options.output); !status) {
    return Fail(status.error());
  }
  auto source = source::OpenInput(options.file);
  if (!source) return Fail(source.error());
  sink::SinkOptions sink_options;
  sink_options.path = options.output;
  sink_options.file = OutputLike(options.file);
  auto output = sink::OpenOutput(sink_options);
  if (!output) return Fail(output.error());
  const std::shared_ptr<output::OutputFile> file = output->file();
  const auto out = sink::MakeSink(std::move(*output), sink_options);
  Progress progress("fxt recover: " + options.file, **source, options.output == "-");
  const analyze::RecoverResult result =
      analyze::RecoverTrace(**source, *out, [&](uint64_t bytes) { progress.Update(bytes); });
  progress.Clear();
  if (result.records == 0 && file) file->Discard();
  if (const auto status = out->Close(); !status) {
    return FailOutput(options.output, status.error());
  }
  PrintNote(
      kProgram,
      fmt::format("{} records saved; skipped {} in {} places{}", util::FormatCount(result.records),
                  util::FormatSize(result.skipped_bytes), util::FormatCount(result.gaps),
                  result.truncated ? "; the end is cut" : ""));
  if (result.lost_references != 0) {
    PrintNote(kProgram, fmt::format("{} references have lost their definition and are marked",
                                    util::FormatCount(result.lost_references)));
  }
  if (!result.unreadable.empty()) {
    return Fail({fmt::format("{}: {}", options.file, result.unreadable), ""});
  }
  if (result.records == 0) return Fail({fmt::format("{}: no valid record", options.file), ""});
  return kExitOk;
}

}  // namespace

void AddRecover(const Command& program, int& exit_code) {
  auto options = std::make_shared<RecoverOptions>();
  const Command command =
      program.AddSubcommand("recover", "Save the valid records of a damaged trace");
  command.Add("FILE", options->file, "A trace; - is standard input").Required();
  AddTraceOutput(command, options->output);
  command.Footer(
      "Records behind damage are found by their shape. Where bytes were passed over the output "
      "says\n"
      "so, as a recorder says that events were lost.\n"
      "\n"
      "Examples:\n"
      "  fxt recover damaged.fxt -o saved.fxt && fxt check saved.fxt\n"
      "  fxt recover cut.fxt.gz -o saved.fxt.gz");
  command.OnRun([options, &exit_code] { exit_code = RunRecover(*options); });
}

}  // namespace tools
