// SPDX-License-Identifier: BSD-2-Clause
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analyze/document/render.h"
#include "analyze/lbr/lbr_document.h"
#include "analyze/lbr/lbr_filter.h"
#include "analyze/lbr/lbr_raw.h"
#include "analyze/lbr/lbr_report.h"
#include "analyze/lbr/lbr_samples.h"
#include "source/input.h"
#include "text/clean_text.h"
#include "text/text_writer.h"
#include "tools/common/message.h"
#include "tools/fxt/commands.h"
#include "tools/fxt/support/filter_options.h"
#include "tools/fxt/support/read_loop.h"
#include "tools/fxt/support/symbol_options.h"

namespace tools {
namespace {

struct LbrOptions {
  std::string file;
  FilterOptions filter;
  bool raw = false;
  bool brstack = false;
  bool json = false;
  bool symbols = false;     // names in --raw
  bool no_symbols = false;  // offsets in reports
  std::vector<std::string> sections;
  size_t top = 20;
  SymbolOptions symbol_files;
};

util::Result<analyze::LbrSections> SectionsOf(const std::vector<std::string>& names) {
  analyze::LbrSections sections;
  if (names.empty()) return sections;
  sections = {false, false, false, false, false};
  const std::pair<std::string_view, bool*> known[] = {{"branches", &sections.branches},
                                                      {"mispredicted", &sections.mispredicted},
                                                      {"blocks", &sections.blocks},
                                                      {"functions", &sections.functions},
                                                      {"threads", &sections.threads}};
  for (const std::string& name : names) {
    const auto* const found =
        std::find_if(std::begin(known), std::end(known),
                     [&](const auto& section) { return section.first == name; });
    if (found == std::end(known)) {
      return util::Error{fmt::format("\"{}\" is not a report", name),
                         "reports: branches, mispredicted, blocks, functions, threads"};
    }
    *found->second = true;
  }
  return sections;
}

// Prints the first problems of symbol lookup.
void NoteProblems(const analyze::LbrPlaces& places) {
  constexpr size_t kShown = 3;
  const std::vector<std::string> problems = places.Problems();
  for (size_t i = 0; i < std::min(problems.size(), kShown); ++i) {
    PrintNote(kProgram, fmt::format("note: no symbols: {}", text::CleanText(problems[i])));
  }
  if (problems.size() > kShown) {
    PrintNote(kProgram, fmt::format("note: no symbols for {} more files (--json lists them)",
                                    problems.size() - kShown));
  }
}

// Passes the filtered trace to `visitor`.
int Visit(const LbrOptions& options, fxt::ByteSource& source, analyze::RecordFilter filter,
          analyze::LbrVisitor& visitor) {
  fxt::Reader reader(source);
  analyze::LbrFilter selection(
      {filter.time, std::move(filter.threads), std::move(filter.processes), std::move(filter.cpus)},
      visitor);
  analyze::LbrWalk walk(selection);
  Progress progress("fxt lbr: " + options.file, source);
  ReadAll(reader, progress, [&] {
    walk.Take(reader);
    return visitor.WantsMore();
  });
  walk.Finish();
  progress.Clear();
  if (!visitor.WantsMore()) return kExitOk;
  WarnAboutDamage(options.file, reader);
  const analyze::LbrProblems& problems = walk.problems();
  if (problems.damaged_blobs != 0) {
    PrintNote(kProgram, fmt::format("note: {}: {} damaged blobs; the first: {}", options.file,
                                    problems.damaged_blobs, problems.first_damaged));
  }
  if (reader.error() != fxt::ReadError::kNone) {
    return Fail({fmt::format("{}: {}", options.file, reader.error_message()), ""});
  }
  if (selection.samples() == 0) {
    PrintNote(kProgram,
              fmt::format("note: {} has no branch stacks (`fxt-record -c lbr` records them, `fxt "
                          "import` takes them from perf.data)",
                          options.file));
  }
  return kExitOk;
}

int RunLbr(const LbrOptions& options) {
  auto filter = options.filter.Make();
  if (!filter) return Fail(filter.error());
  const auto sections = SectionsOf(options.sections);
  if (!sections) return Fail(sections.error());
  auto source = source::OpenInput(options.file);
  if (!source) return Fail(source.error());
  text::TextWriter out(STDOUT_FILENO, "standard output");
  int exit_code = kExitOk;
  if (options.raw || options.brstack) {
    const analyze::LbrRawForm form = options.brstack ? analyze::LbrRawForm::kBrstack
                                     : options.json  ? analyze::LbrRawForm::kJson
                                                     : analyze::LbrRawForm::kText;
    std::optional<analyze::LbrSymbolOptions> symbols;
    if (options.symbols) symbols = options.symbol_files.Make(!options.no_symbols);
    analyze::LbrRawWriter writer(out, form, symbols);
    exit_code = Visit(options, **source, std::move(*filter), writer);
    if (writer.places() != nullptr) NoteProblems(*writer.places());
  } else {
    analyze::LbrReport report(options.symbol_files.Make(!options.no_symbols));
    exit_code = Visit(options, **source, std::move(*filter), report);
    if (exit_code == kExitOk || report.totals().samples != 0) {
      const analyze::document::Document document =
          analyze::LbrDocument(options.file, report, {*sections, options.top});
      out.Append(options.json ? analyze::document::RenderJson(document) + "\n"
                              : analyze::document::RenderText(document));
    }
    if (!options.json) NoteProblems(report.places());
  }
  const auto status = out.Finish();
  return status ? exit_code : Fail(status.error());
}

}  // namespace

void AddLbr(const Command& program, int& exit_code) {
  auto options = std::make_shared<LbrOptions>();
  const Command command = program.AddSubcommand("lbr",
                                                "Report branch stacks (Intel LBR, AMD Zen): "
                                                "hottest and mispredicted branches, cycles, calls; "
                                                "or print the stacks");
  command.Add("FILE", options->file, "A trace; - is standard input").Required();
  command.Add("--raw", options->raw,
              "Print every sample, and below it a branch per line, newest first: from, "
              "to, M (mispredicted) or P (predicted) or -, cycles");
  command
      .Add("--brstack", options->brstack,
           "Print every sample as `perf script -F pid,tid,cpu,time,brstack --ns` does")
      .Excludes("--raw");
  command
      .Add("--json", options->json,
           "The report as one JSON object; with --raw an object per sample and line")
      .Excludes("--brstack");
  command
      .Add("--report", options->sections,
           "Reports to print: branches, mispredicted, blocks, functions, threads (by default all)")
      .Type("NAME")
      .Commas();
  command.Add("--top", options->top, "Lines of each report; 0 prints all").Type("N").ShowDefault();
  options->filter.AddTo(command);
  command.Add("--symbols", options->symbols, "Use names for addresses in --raw, too");
  command
      .Add("--no-symbols", options->no_symbols,
           "Read no executables: addresses are offsets in files")
      .Excludes("--symbols");
  options->symbol_files.AddTo(command);
  command.Footer(
      "Slots of the CPU's stack that no branch had filled yet are not counted as branches. Cycles\n"
      "are those since the branch before, where the CPU counts them. What kind of branch it is, "
      "the\n"
      "CPU says, or the instruction, if the executable is at hand.\n"
      "\n"
      "Examples:\n"
      "  fxt lbr trace.fxt                              all reports\n"
      "  fxt lbr --report branches --top 50 --thread postgres trace.fxt\n"
      "  fxt lbr --from 1s --to 1.01s --cpu 3 trace.fxt\n"
      "  fxt lbr --raw --symbols trace.fxt | less       branch by branch\n"
      "  fxt lbr --json trace.fxt | jq '.blocks.top[0]'\n"
      "  fxt import perf.data -o - | fxt lbr --kallsyms kallsyms.txt -");
  command.OnRun([options, &exit_code] { exit_code = RunLbr(*options); });
}

}  // namespace tools
