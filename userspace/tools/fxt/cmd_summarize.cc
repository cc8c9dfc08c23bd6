// SPDX-License-Identifier: BSD-2-Clause
#include <fmt/format.h>

#include <memory>
#include <span>
#include <string>
#include <thread>
#include <utility>

#include "measure/missing.h"
#include "measure/store/load.h"
#include "measure/store/summary_file.h"
#include "text/text_writer.h"
#include "tools/common/message.h"
#include "tools/fxt/commands.h"
#include "tools/fxt/support/filter_options.h"
#include "tools/fxt/support/output_file.h"
#include "tools/fxt/support/progress.h"
#include "util/quantity.h"

namespace tools {
namespace {

struct Options {
  std::string file;
  std::string output;
  FilterOptions filter;
};

int Run(const Options& options) {
  auto window = options.filter.MakeWindow();
  if (!window) return Fail(window.error());
  if (const auto status = RefuseSameFile(options.file, options.output); !status) {
    return Fail(status.error());
  }
  std::unique_ptr<Progress> progress;
  std::vector<std::string> notes;
  measure::LoadOptions load;
  load.collector = *window;
  load.two_threads = std::thread::hardware_concurrency() > 1;
  load.progress = [&](uint64_t done, const fxt::ByteSource& source) {
    if (!progress) progress = std::make_unique<Progress>("fxt summarize: " + options.file, source);
    progress->Update(done);
  };
  load.notes = &notes;
  const auto capture = measure::Load(options.file, load);
  if (progress) progress->Clear();
  if (!capture) return Fail(capture.error());
  for (std::string& line : measure::WhatIsMissing(*capture)) notes.push_back(std::move(line));
  for (const std::string& note : notes) PrintNote(kProgram, "note: " + note);
  const std::string summary = measure::EncodeSummary(*capture);
  // Where there is more than any summary may hold, one that nobody can read must not be left.
  if (!measure::DecodeSummary(std::as_bytes(std::span(summary)))) {
    return Fail({options.file + ": more groups and times than a summary has room for",
                 "take parts of it, with --from and --to"});
  }
  auto out = text::TextWriter::Open(options.output, OutputLike(options.file));
  if (!out) return Fail(out.error());
  out->Append(summary);
  const auto status = out->Finish();
  if (!status) return FailOutput(options.output, status.error());
  PrintNote(kProgram, fmt::format("1 capture of {}, {} groups: {} written to {}",
                                  util::FormatDuration(capture->length()), capture->groups.size(),
                                  util::FormatSize(summary.size()),
                                  options.output == "-" ? "standard output" : options.output));
  return kExitOk;
}

}  // namespace

void AddSummarize(const Command& program, int& exit_code) {
  auto options = std::make_shared<Options>();
  const Command command = program.AddSubcommand(
      "summarize",
      "Write what stands for a trace when it is compared: sums and distributions of "
      "each group of threads");
  command.Add("FILE", options->file, "A trace; - is standard input").Required();
  command
      .Add("-o,--output", options->output, "Summary to write, usually *.fxs; - is standard output")
      .Type("FILE")
      .Required();
  options->filter.AddTimesTo(command);
  command.Footer(
      "A summary is read in the place of its trace by fxt report and whatever compares captures.\n"
      "\n"
      "Examples:\n"
      "  fxt summarize trace.fxt -o trace.fxs\n"
      "  fxt report trace.fxs");
  command.OnRun([options, &exit_code] { exit_code = Run(*options); });
}

}  // namespace tools
