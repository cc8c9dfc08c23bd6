// SPDX-License-Identifier: BSD-2-Clause
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "measure/missing.h"
#include "measure/store/load.h"
#include "measure/store/summary_file.h"
#include "text/text_writer.h"
#include "tools/common/message.h"
#include "tools/fxt/commands.h"
#include "tools/fxt/support/filter_options.h"
#include "tools/fxt/support/output_file.h"
#include "tools/fxt/support/progress.h"
#include "tools/fxt/support/span_patterns.h"
#include "util/quantity.h"

namespace tools {
namespace {

struct SummarizeOptions {
  std::vector<std::string> files;
  std::string output;
  std::vector<std::string> spans;
  FilterOptions filter;
};

struct Sum {
  uint64_t length = 0;  // ns, of all captures
  size_t groups = 0;
  std::string bytes;
};

// Appends the captures of a file to those that exist.
util::Status Append(const SummarizeOptions& options, const std::string& file,
                    const measure::CollectorOptions& window, Sum& sum) {
  std::unique_ptr<Progress> progress;
  std::vector<std::string> notes;
  measure::LoadOptions load;
  load.collector = window;
  ChooseRequests(load.collector, options.spans);
  load.progress = [&](uint64_t done, const fxt::ByteSource& source) {
    if (!progress) progress = std::make_unique<Progress>("fxt summarize: " + file, source);
    progress->Update(done);
  };
  load.notes = &notes;
  const auto captures = measure::LoadAll(file, load);
  if (progress) progress->Clear();
  if (!captures) return captures.error();
  for (const measure::Capture& capture : *captures) {
    for (const std::string& line : measure::WhatIsMissing(capture)) {
      notes.push_back(options.files.size() == 1 ? line : file + ": " + line);
    }
    sum.length += capture.length();
    sum.groups = std::max(sum.groups, capture.groups.size());
    sum.bytes += measure::EncodeSummary(capture);
  }
  for (const std::string& note : notes) PrintNote(kProgram, "note: " + note);
  return util::Ok();
}

int RunSummarize(const SummarizeOptions& options) {
  auto window = options.filter.MakeWindow();
  if (!window) return Fail(window.error());
  for (const std::string& file : options.files) {
    if (const auto status = RefuseSameFile(file, options.output); !status) {
      return Fail(status.error());
    }
  }
  Sum sum;
  for (const std::string& file : options.files) {
    if (const auto status = Append(options, file, *window, sum); !status) {
      return Fail(status.error());
    }
  }
  // Checks that the limits of a summary still allow reading it.
  const auto readable = measure::DecodeSummaries(std::as_bytes(std::span(sum.bytes)));
  if (!readable) {
    return Fail({options.files.front() + ": too many groups and times for a summary",
                 "summarize a part, with --from and --to, or fewer captures"});
  }
  auto out = text::TextWriter::Open(options.output, OutputLike(options.files.front()));
  if (!out) return Fail(out.error());
  out->Append(sum.bytes);
  const auto status = out->Finish();
  if (!status) return FailOutput(options.output, status.error());
  const size_t count = readable->size();
  PrintNote(kProgram,
            fmt::format("{} capture{} of {}, {} groups{}: {} written to {}", count,
                        count == 1 ? "" : "s", util::FormatDuration(sum.length), sum.groups,
                        count == 1 ? "" : " at most", util::FormatSize(sum.bytes.size()),
                        options.output == "-" ? "standard output" : options.output));
  return kExitOk;
}

}  // namespace

void AddSummarize(const Command& program, int& exit_code) {
  auto options = std::make_shared<SummarizeOptions>();
  const Command command =
      program.AddSubcommand("summarize",
                            "Write a summary of a trace for comparisons: sums and distributions of "
                            "each group of threads");
  command.Add("FILE", options->files, "Traces; several go into one file. - is standard input")
      .Required();
  command
      .Add("-o,--output", options->output, "Summary to write, usually *.fxs; - is standard output")
      .Type("FILE")
      .Required();
  command
      .Add("--span", options->spans,
           "Spans that are requests, by NAME or CATEGORY/NAME; by default outermost ones of "
           "threads, "
           "asynchronous ones, and category request")
      .Type("GLOB");
  options->filter.AddTimesTo(command);
  command.Footer(
      "fxt report, fxt diff and fxt export --clickhouse read a summary instead of its trace.\n"
      "\n"
      "Examples:\n"
      "  fxt summarize trace.fxt -o trace.fxs\n"
      "  fxt report trace.fxs\n"
      "  fxt summarize aa/*.fxt -o aa.fxs; fxt diff base/ new/ --noise aa.fxs");
  command.OnRun([options, &exit_code] { exit_code = RunSummarize(*options); });
}

}  // namespace tools
