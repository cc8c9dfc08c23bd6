// SPDX-License-Identifier: BSD-2-Clause
#include <memory>
#include <utility>

#include "analyze/document/render.h"
#include "analyze/page/report_page.h"
#include "analyze/report/report.h"
#include "measure/missing.h"
#include "measure/store/load.h"
#include "text/text_writer.h"
#include "tools/fxt/commands.h"
#include "tools/fxt/support/filter_options.h"
#include "tools/fxt/support/output_file.h"
#include "tools/fxt/support/progress.h"

namespace tools {
namespace {

struct ReportOptions {
  std::string file;
  FilterOptions filter;
  bool json = false;
  std::string html;
  size_t top = 10;
};

// The number of longest waits shown per kind.
constexpr size_t kWorst = 10;

util::Status WritePage(const ReportOptions& options, const std::string& page) {
  auto out = text::TextWriter::Open(options.html, OutputLike(options.file));
  if (!out) return out.TakeError();
  out->Append(page);
  return out->Finish();
}

int RunReport(const ReportOptions& options) {
  if (auto differ = RefuseSameFile(options.file, options.html); !differ) {
    return Fail(differ.error());
  }
  auto window = options.filter.MakeWindow();
  if (!window) return Fail(window.error());
  std::unique_ptr<Progress> progress;
  analyze::ReportWatcher watcher(kWorst);
  measure::LoadOptions load;
  load.collector = *window;
  load.collector.watcher = &watcher;
  load.progress = [&](uint64_t done, const fxt::ByteSource& source) {
    if (!progress) progress = std::make_unique<Progress>("fxt report: " + options.file, source);
    progress->Update(done);
  };
  std::vector<std::string> notes;
  load.notes = &notes;
  const auto capture = measure::Load(options.file, load);
  if (progress) progress->Clear();
  if (!capture) return Fail(capture.error());
  const bool windowed = !options.filter.from.empty() || !options.filter.to.empty();
  if (windowed && watcher.strips().cpus().empty()) {
    notes.emplace_back("nothing in that time; a summary covers its whole capture");
  } else {
    for (std::string& line : measure::WhatIsMissing(*capture)) notes.push_back(std::move(line));
  }
  const analyze::Report report{*capture, watcher, notes, options.top};
  const analyze::document::Document document = analyze::ReportDocument(report);
  if (!options.html.empty()) {
    const auto written =
        WritePage(options, analyze::ReportPage(document, analyze::ReadWaitPictures(report)));
    if (!written) return FailOutput(options.html, written.error());
  }
  text::TextWriter out(STDOUT_FILENO, "standard output");
  out.Append(options.json ? analyze::document::RenderJson(document) + "\n"
                          : analyze::document::RenderText(document));
  const auto status = out.Finish();
  return status ? kExitOk : Fail(status.error());
}

}  // namespace

void AddReport(const Command& program, int& exit_code) {
  auto options = std::make_shared<ReportOptions>();
  const Command command = program.AddSubcommand(
      "report",
      "Report where time went and who waited for whom: the busiest and most delayed threads, the "
      "threads that ran meanwhile, wakers, the longest waits");
  command.Add("FILE", options->file, "A trace or a summary; - is standard input").Required();
  command.Add("--json", options->json, "Print the report as one JSON object");
  command
      .Add("--html", options->html,
           "Write a page with plots: CPUs over time, groups, who waits for whom, the longest waits")
      .Type("FILE");
  options->filter.AddTimesTo(command);
  command.Add("--top", options->top, "How many groups to list in each table")
      .Type("N")
      .ShowDefault();
  command.Footer(
      "A group is the threads with the same names of process and thread, apart from digits. p99 "
      "is\n"
      "left out if there are fewer than 200 waits.\n"
      "\n"
      "Examples:\n"
      "  fxt report trace.fxt\n"
      "  fxt report --html r.html trace.fxt\n"
      "  fxt report --from 1s --to 1.2s trace.fxt.gz\n"
      "  fxt report --json trace.fxt | jq '.groups[] | select(.inversion_ns > 0)'");
  command.OnRun([options, &exit_code] { exit_code = RunReport(*options); });
}

}  // namespace tools
