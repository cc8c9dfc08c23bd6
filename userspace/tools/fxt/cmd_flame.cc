// SPDX-License-Identifier: BSD-2-Clause
#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analyze/flame/flame_text.h"
#include "analyze/page/flame_page.h"
#include "text/text_writer.h"
#include "tools/fxt/commands.h"
#include "tools/fxt/support/filter_options.h"
#include "tools/fxt/support/flame_input.h"
#include "tools/fxt/support/output_file.h"
#include "tools/fxt/support/symbol_options.h"
#include "util/quantity.h"

namespace tools {
namespace {

struct FlameOptions {
  std::string file;
  std::string of = "off";
  std::string format = "html";
  std::string output;
  std::string base;
  bool no_symbols = false;
  bool lines = false;
  bool hide_idle = false;
  std::string min;
  FilterOptions filter;
  SymbolOptions symbol_files;

  analyze::LbrSymbolOptions Symbols() const {
    analyze::LbrSymbolOptions symbols = symbol_files.Make(!no_symbols);
    symbols.lines = lines;
    return symbols;
  }

  util::Result<StackSelection> Selection() const {
    auto made = filter.Make();
    if (!made) return made.TakeError();
    StackSelection selection{.filter = std::move(*made), .min_away = 0, .hide_idle = hide_idle};
    if (min.empty()) return selection;
    const auto away = util::ParseDuration(min);
    if (!away) return away.error();
    selection.min_away = *away;
    return selection;
  }
};

int RunFlame(const FlameOptions& options) {
  const auto kind = ParseFlameKind(options.of);
  if (!kind) return Fail(kind.error());
  const bool folded = options.format == "folded";
  const bool speedscope = options.format == "speedscope";
  if (!folded && !speedscope && options.format != "html") {
    return Fail({fmt::format("\"{}\" is no format of a flame graph", options.format),
                 "formats: html, folded, speedscope"});
  }
  if (speedscope && !options.base.empty()) {
    return Fail({"speedscope's format has no place for a comparison", "use html or folded"});
  }
  for (const std::string& input : {options.file, options.base}) {
    if (const auto differ = RefuseSameFile(input, options.output); !differ) {
      return Fail(differ.error());
    }
  }
  const auto selection = options.Selection();
  if (!selection) return Fail(selection.error());
  auto stacks = ReadStacks(options.file, *kind, options.Symbols(), *selection);
  if (!stacks) return Fail(stacks.error());
  std::optional<analyze::FoldedStacks> base;
  if (!options.base.empty()) {
    auto read = ReadStacks(options.base, *kind, options.Symbols(), *selection);
    if (!read) return Fail(read.error());
    base = std::move(*read);
  }
  analyze::JoinNames(*stacks, base ? &*base : nullptr);
  auto out = text::TextWriter::Open(options.output, OutputLike(options.file));
  if (!out) return Fail(out.error());
  if (folded) {
    analyze::WriteFolded(*out, *stacks, base ? &*base : nullptr);
  } else if (speedscope) {
    analyze::WriteSpeedscope(*out, *stacks, *kind, options.file);
  } else {
    out->Append(
        analyze::FlamePage(*stacks, *kind, options.file, base ? &*base : nullptr, options.base));
  }
  const auto status = out->Finish();
  return status ? kExitOk : FailOutput(options.output, status.error());
}

}  // namespace

void AddFlame(const Command& program, int& exit_code) {
  auto options = std::make_shared<FlameOptions>();
  const Command command = program.AddSubcommand(
      "flame", "Flame graphs of recorded stacks: where threads wait, who wakes them, what runs");
  command.Add("FILE", options->file, "A trace; - is standard input").Required();
  command.Add("-o,--output", options->output, "File to write; - is standard output")
      .Type("FILE")
      .Required();
  command
      .Add("--of", options->of,
           "Which stacks: off (microseconds off the CPU), on (samples on it), wake (wakeups, the "
           "waker's stack above the sleeper's)")
      .Type("KIND")
      .ShowDefault();
  command.Add("--format", options->format, "html (a page that works offline), folded or speedscope")
      .Type("FORMAT")
      .ShowDefault();
  command
      .Add("--base", options->base,
           "A trace to compare with: red is more than there, blue is less, and what is gone is "
           "drawn "
           "too; folded has both counts")
      .Type("OLD");
  options->filter.AddTimesTo(command);
  options->filter.AddTasksTo(command);
  command.Add("--min", options->min, "The shortest sleep that counts").Type("TIME");
  command.Add("--hide-idle", options->hide_idle,
              "Leave out the sleeps of threads that waited for work, the next request");
  command.Add("--lines", options->lines,
              "Frames as function (file.c:123), with the inlined functions as frames of their own; "
              "from debug information of the programs or their debug files");
  command.Add("--no-symbols", options->no_symbols, "Look at no executable");
  options->symbol_files.AddTo(command);
  command.Footer(
      "A note gives how many stacks end before the thread's entry, and why.\n"
      "Addresses of just-in-time compilers are looked up in /tmp/perf-PID.map.\n"
      "\n"
      "Examples:\n"
      "  sudo fxt-record -c default,stack -d 10s\n"
      "  fxt flame trace.fxt -o flame.html\n"
      "  fxt flame --of on --format speedscope trace.fxt -o on.speedscope.json\n"
      "  fxt flame --base old.fxt new.fxt -o difference.html\n"
      "  fxt flame --of wake --format folded trace.fxt -o - | sort -k2 -n | tail");
  command.OnRun([options, &exit_code] { exit_code = RunFlame(*options); });
}

}  // namespace tools
