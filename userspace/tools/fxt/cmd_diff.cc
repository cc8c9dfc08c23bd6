// SPDX-License-Identifier: BSD-2-Clause
#include <fmt/format.h>
#include <unistd.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "analyze/diff/diff_document.h"
#include "analyze/diff/diff_junit.h"
#include "analyze/document/render.h"
#include "analyze/page/diff_page.h"
#include "analyze/stack_diff/stack_changes.h"
#include "compare/compare.h"
#include "compare/variance_priors.h"
#include "text/clean_text.h"
#include "text/text_writer.h"
#include "tools/common/message.h"
#include "tools/fxt/commands.h"
#include "tools/fxt/support/capture_files.h"
#include "tools/fxt/support/failure.h"
#include "tools/fxt/support/output_file.h"
#include "tools/fxt/support/symbol_options.h"

namespace tools {
namespace {

struct DiffOptions {
  std::string base_path;
  std::string next_path;
  std::vector<std::string> base;
  std::vector<std::string> next;
  std::vector<std::string> noise;
  std::vector<std::string> spans;
  std::string markdown;
  std::string junit;
  std::string html;
  bool json = false;
  bool fail = false;
  bool lines = false;
  bool no_symbols = false;
  SymbolOptions symbol_files;
  size_t top = 10;

  analyze::LbrSymbolOptions Symbols() const {
    analyze::LbrSymbolOptions symbols = symbol_files.Make(!no_symbols);
    symbols.lines = lines;
    return symbols;
  }
};

// A side is two words, or a list of files.
util::Status NameSides(DiffOptions& options) {
  const bool words = !options.base_path.empty();
  const bool lists = !options.base.empty() || !options.next.empty();
  if (words != lists) {
    if (words && !options.next_path.empty()) {
      options.base = {options.base_path};
      options.next = {options.next_path};
    }
    if (!options.base.empty() && !options.next.empty()) return util::Ok();
  }
  return util::Error{"a base and new captures are needed",
                     "fxt diff BASE NEW, or fxt diff --base FILE... --new FILE..."};
}

util::Result<comparison::DiffReport> Compare(const DiffOptions& options) {
  std::vector<std::vector<std::string>> lists;
  for (const auto* paths : {&options.base, &options.next, &options.noise}) {
    auto files = FindCaptures(*paths);
    if (!files) return files.TakeError();
    lists.push_back(std::move(*files));
  }
  auto captures = LoadCaptures(lists, options.spans);
  if (!captures) return captures.TakeError();
  const size_t noise = (*captures)[2].size();
  if (noise != 0 && noise < comparison::kConfirmed) {
    return util::Error{
        fmt::format("--noise has {} capture{}; an estimate of the noise needs at least three",
                    noise, noise == 1 ? "" : "s"),
        "give more, or put them into one file: fxt summarize A1 A2 A3 -o aa.fxs"};
  }
  return comparison::Compare(
      {std::move((*captures)[0]), std::move((*captures)[1]), std::move((*captures)[2])});
}

util::Status Write(const std::string& path, const std::string& text,
                   const output::FileOptions& like) {
  auto out = text::TextWriter::Open(path, like);
  if (!out) return out.TakeError();
  out->Append(text);
  return out->Finish();
}

void PrintWarnings(const analyze::FoundStacks& stacks) {
  for (const std::string& problem : stacks.problems) {
    PrintNote(kProgram, "note: " + text::CleanText(problem));
  }
  if (stacks.left_out == 0) return;
  PrintNote(kProgram,
            fmt::format("note: {} stacks beyond the limit were left out", stacks.left_out));
}

int RunDiff(DiffOptions& options) {
  if (auto named = NameSides(options); !named) return Fail(named.error());
  auto report = Compare(options);
  if (!report) return Fail(report.error());
  for (const std::string* output : {&options.markdown, &options.junit, &options.html}) {
    for (const auto* side : {&report->base, &report->next}) {
      for (const std::string& file : side->files) {
        if (auto status = RefuseSameFile(file, *output); !output->empty() && !status) {
          return Fail(status.error());
        }
      }
    }
  }
  const output::FileOptions like = OutputLike(report->next.files.front());
  const analyze::FoundStacks stacks = analyze::FindStackChanges(*report, options.Symbols());
  PrintWarnings(stacks);
  const analyze::document::Document document =
      analyze::DiffDocument(*report, options.top, stacks.changes);
  if (!options.markdown.empty()) {
    const auto status = Write(options.markdown, analyze::document::RenderMarkdown(document), like);
    if (!status) return FailOutput(options.markdown, status.error());
  }
  if (!options.junit.empty()) {
    const auto status = Write(options.junit, analyze::DiffJunit(*report), like);
    if (!status) return FailOutput(options.junit, status.error());
  }
  if (!options.html.empty()) {
    const auto status = Write(
        options.html,
        analyze::DiffPage(document, analyze::ReadDiffFigures(*report, options.Symbols())), like);
    if (!status) return FailOutput(options.html, status.error());
  }
  text::TextWriter out(STDOUT_FILENO, "standard output");
  out.Append(options.json ? analyze::document::RenderJson(document) + "\n"
                          : analyze::document::RenderText(document));
  const auto status = out.Finish();
  if (!status) return Fail(status.error());
  return options.fail && report->worse() ? kExitWorse : kExitOk;
}

}  // namespace

void AddDiff(const Command& program, int& exit_code) {
  auto options = std::make_shared<DiffOptions>();
  const Command command = program.AddSubcommand(
      "diff",
      "Compare two sets of captures: what got slower, and why. Lists the significant changes, the "
      "cause first");
  command.Add("BASE", options->base_path, "A folder of captures before the change, or a capture");
  command.Add("NEW", options->next_path, "A folder of captures after the change, or a capture");
  command.Add("--base", options->base, "Captures, or folders of them, before the change")
      .Type("FILE")
      .Several();
  command.Add("--new", options->next, "Captures, or folders of them, after the change")
      .Type("FILE")
      .Several();
  command
      .Add("--noise", options->noise,
           "At least three captures of the same program, or a summary of them, to estimate the "
           "noise "
           "between captures")
      .Type("FILE")
      .Several();
  command
      .Add("--span", options->spans,
           "Spans that are requests, by NAME or CATEGORY/NAME; by default outermost ones of "
           "threads, "
           "asynchronous ones, and category request")
      .Type("GLOB");
  command.Add("--markdown", options->markdown, "Write the table for a code review").Type("FILE");
  command
      .Add("--junit", options->junit,
           "Write a test for each row, which fails if the row got worse, for a build server")
      .Type("FILE");
  command
      .Add("--html", options->html,
           "Write a page with plots: the captures, the distributions, and the longest examples")
      .Type("FILE");
  command.Add("--json", options->json, "One JSON object on standard output, with every row");
  command.Add("--top", options->top, "Findings to print; 0 prints all").Type("N").ShowDefault();
  command.Add("--lines", options->lines,
              "Show frames as function (file.c:123), as `fxt flame --lines` does");
  command.Add("--no-symbols", options->no_symbols, "Read no executables for names of frames");
  options->symbol_files.AddTo(command);
  command.Add("--fail", options->fail, "Exit with 3 if something got worse");
  command.Footer(
      "Captures are traces (.fxt, .fxt.gz) or their summaries (.fxs). A significant change needs\n"
      "at least three captures a side. Five are better, recorded alternately "
      "(scripts/capture-ab).\n"
      "If a command was recorded, its process tree and the servers that it uses are judged.\n"
      "With stacks (-c default,stack) findings about sleep, D and CPU time name the stack that\n"
      "changed most; waits for work do not count.\n"
      "\n"
      "Examples:\n"
      "  fxt diff base/ new/\n"
      "  fxt diff --base a1.fxt a2.fxt a3.fxt --new b1.fxt b2.fxt b3.fxt --fail\n"
      "  fxt diff base/ new/ --html d.html --markdown d.md --json | jq '.findings[0]'");
  command.OnRun([options, &exit_code] { exit_code = RunDiff(*options); });
}

}  // namespace tools
