// SPDX-License-Identifier: BSD-2-Clause
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analyze/flame/flame_text.h"
#include "analyze/page/flame_page.h"
#include "analyze/stack_diff/flame_sets.h"
#include "compare/values/normalization.h"
#include "text/text_writer.h"
#include "tools/common/message.h"
#include "tools/fxt/commands.h"
#include "tools/fxt/support/capture_files.h"
#include "tools/fxt/support/failure.h"
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
  std::vector<std::string> base;
  std::vector<std::string> next;
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

// A graph, compared or not.
struct Graph {
  analyze::FoldedStacks stacks;
  std::optional<analyze::FoldedStacks> base = std::nullopt;
  std::vector<double> q = {};  // of sets of captures, see analyze::FlameComparison
};

// The new captures are FILE, --new, or the last word behind --base.
util::Status NameSides(FlameOptions& options) {
  if (!options.file.empty()) options.next.insert(options.next.begin(), options.file);
  if (options.next.empty() && options.base.size() > 1) {
    options.next = {options.base.back()};
    options.base.pop_back();
  }
  if (options.next.empty()) {
    return util::Error{"a trace is needed", "fxt flame FILE, or fxt flame --base A/ --new B/"};
  }
  if (options.next.size() > 1 && options.base.empty()) {
    return util::Error{"several traces need --base and --new", "--base A/ --new B/"};
  }
  return util::Ok();
}

util::Result<std::vector<std::string>> FindTraces(const std::vector<std::string>& paths) {
  auto files = FindCaptures(paths);
  if (!files) return files;
  for (const std::string& file : *files) {
    if (file.ends_with(".fxs")) {
      return util::Error{fmt::format("{} is a summary, which has no stacks", file),
                         "give the trace that it was made of"};
    }
  }
  return files;
}

util::Result<Graph> ReadOne(const FlameOptions& options, analyze::FlameKind kind,
                            const std::string& file, const std::vector<std::string>& base_files) {
  const auto selection = options.Selection();
  if (!selection) return selection.error();
  auto stacks = ReadStacks(file, kind, options.Symbols(), *selection);
  if (!stacks) return stacks.TakeError();
  Graph graph{.stacks = std::move(*stacks)};
  if (!base_files.empty()) {
    auto read = ReadStacks(base_files.front(), kind, options.Symbols(), *selection);
    if (!read) return read.TakeError();
    graph.base = std::move(*read);
  }
  analyze::JoinNames(graph.stacks, graph.base ? &*graph.base : nullptr);
  return graph;
}

// Stacks and their frames in memory, of all captures together.
constexpr size_t kMaxSetFrames = size_t{1} << 22;

util::Result<Graph> ReadSets(const FlameOptions& options, analyze::FlameKind kind,
                             const std::vector<std::vector<std::string>>& lists) {
  auto loaded = LoadCaptures(lists, {});
  if (!loaded) return loaded.TakeError();
  std::vector<const measure::Capture*> captures;
  for (const auto& side : *loaded) {
    for (const measure::Capture& capture : side) captures.push_back(&capture);
  }
  const auto selection = options.Selection();
  if (!selection) return selection.error();
  analyze::FlameSets sets{.kind = kind,
                          .captures = {},
                          .seconds = comparison::NormalizationOf(captures).seconds,
                          .bases = lists[0].size()};
  size_t frames = 0;
  StackReading more;
  for (const auto& files : lists) {
    for (const std::string& file : files) {
      auto stacks = ReadStacks(file, kind, options.Symbols(), *selection, &more);
      if (!stacks) return stacks.TakeError();
      for (const auto& [stack, weight] : *stacks) frames += 2 * stack.size();
      if (frames > kMaxSetFrames) {
        return util::Error{"the captures have too many different stacks",
                           "choose some by --process, --thread, --from, --to or --min"};
      }
      sets.captures.push_back({std::move(*stacks), std::move(more.events)});
      more.events.clear();
    }
  }
  analyze::MatchRenamed(sets, captures);
  std::vector<analyze::FoldedStacks*> sides;
  for (analyze::FlameCapture& capture : sets.captures) {
    sides.push_back(&capture.stacks);
    sides.push_back(&capture.events);
  }
  analyze::JoinNames(sides);
  analyze::FlameComparison compared = analyze::CompareFlames(sets);
  if (!compared.enough) {
    PrintNote(kProgram, "note: a test needs three captures a side: all frames are undecided");
  }
  return Graph{std::move(compared.next), std::move(compared.base), std::move(compared.q)};
}

// The name of a side on the page.
std::string NameOfSide(const std::vector<std::string>& paths, size_t captures) {
  if (captures <= 1) return paths.empty() ? "" : paths.front();
  return fmt::format("{} ({} captures)", fmt::join(paths, " "), captures);
}

int RunFlame(FlameOptions& options) {
  const auto kind = ParseFlameKind(options.of);
  if (!kind) return Fail(kind.error());
  const bool folded = options.format == "folded";
  const bool speedscope = options.format == "speedscope";
  if (!folded && !speedscope && options.format != "html") {
    return Fail({fmt::format("\"{}\" is not a format of flame graphs", options.format),
                 "formats: html, folded, speedscope"});
  }
  if (speedscope && !options.base.empty()) {
    return Fail({"speedscope's format cannot hold a comparison", "use html or folded"});
  }
  if (auto named = NameSides(options); !named) return Fail(named.error());
  std::vector<std::vector<std::string>> lists;
  for (const auto* paths : {&options.base, &options.next}) {
    auto files = FindTraces(*paths);
    if (!files) return Fail(files.error());
    for (const std::string& file : *files) {
      if (const auto differ = RefuseSameFile(file, options.output); !differ) {
        return Fail(differ.error());
      }
    }
    lists.push_back(std::move(*files));
  }
  if (options.base.empty() && lists[1].size() > 1) {
    return Fail({"several traces need --base and --new", "--base A/ --new B/"});
  }
  const bool are_sets = std::max(lists[0].size(), lists[1].size()) > 1;
  auto graph = are_sets ? ReadSets(options, *kind, lists)
                        : ReadOne(options, *kind, lists[1].front(), lists[0]);
  if (!graph) return Fail(graph.error());
  const analyze::FoldedStacks* base = graph->base ? &*graph->base : nullptr;
  auto out = text::TextWriter::Open(options.output, OutputLike(lists[1].front()));
  if (!out) return Fail(out.error());
  if (folded) {
    analyze::WriteFolded(*out, graph->stacks, base);
  } else if (speedscope) {
    analyze::WriteSpeedscope(*out, graph->stacks, *kind, options.next.front());
  } else {
    out->Append(analyze::FlamePage(graph->stacks, *kind, NameOfSide(options.next, lists[1].size()),
                                   base, NameOfSide(options.base, lists[0].size()),
                                   graph->q.empty() ? nullptr : &graph->q));
  }
  const auto status = out->Finish();
  return status ? kExitOk : FailOutput(options.output, status.error());
}

}  // namespace

void AddFlame(const Command& program, int& exit_code) {
  auto options = std::make_shared<FlameOptions>();
  const Command command = program.AddSubcommand(
      "flame",
      "Draw flame graphs of recorded stacks: where threads wait, who wakes them, what runs");
  command.Add("FILE", options->file, "A trace; - is standard input");
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
           "Traces to compare with, or folders of them. Frames with more than there are red, with "
           "less blue; frames that only the base has are drawn, too. folded has both counts")
      .Type("OLD")
      .Several();
  command
      .Add("--new", options->next,
           "With --base: traces to compare, or folders of them. With at least three a side, a "
           "frame has "
           "a colour if its change is significant, and is grey otherwise")
      .Type("NEW")
      .Several();
  options->filter.AddTimesTo(command);
  options->filter.AddTasksTo(command);
  command.Add("--min", options->min, "The shortest sleep that counts").Type("TIME");
  command.Add("--hide-idle", options->hide_idle,
              "Leave out sleeps in which a thread waits for work, such as the next request");
  command.Add("--lines", options->lines,
              "Show frames as function (file.c:123), and inlined functions as frames of their own, "
              "by the debug information of the programs or their debug files");
  command.Add("--no-symbols", options->no_symbols, "Read no executables");
  options->symbol_files.AddTo(command);
  command.Footer(
      "A note has the number of stacks that end before the thread's entry, and the reasons.\n"
      "Addresses of just-in-time compilers are looked up in /tmp/perf-PID.map.\n"
      "\n"
      "Examples:\n"
      "  sudo fxt-record -c default,stack -d 10s\n"
      "  fxt flame trace.fxt -o flame.html\n"
      "  fxt flame --of on --format speedscope trace.fxt -o on.speedscope.json\n"
      "  fxt flame --base old.fxt new.fxt -o difference.html\n"
      "  fxt flame --base base/ --new new/ -o difference.html\n"
      "  fxt flame --of wake --format folded trace.fxt -o - | sort -k2 -n | tail");
  command.OnRun([options, &exit_code] { exit_code = RunFlame(*options); });
}

}  // namespace tools
