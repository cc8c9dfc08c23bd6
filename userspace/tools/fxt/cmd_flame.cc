// SPDX-License-Identifier: BSD-2-Clause
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analyze/flame/flame_stacks.h"
#include "analyze/flame/flame_text.h"
#include "analyze/page/flame_page.h"
#include "source/input.h"
#include "text/clean_text.h"
#include "text/text_writer.h"
#include "tools/common/message.h"
#include "tools/fxt/commands.h"
#include "tools/fxt/support/output_file.h"
#include "tools/fxt/support/read_loop.h"

namespace tools {
namespace {

struct Options {
  std::string file;
  std::string of = "off";
  std::string format = "html";
  std::string output;
  std::string base;
  bool no_symbols = false;
  std::string root;
  std::vector<std::string> debug_folders;
  std::string perf_cache;
  std::string kallsyms;
};

analyze::LbrSymbolOptions SymbolsOf(const Options& options) {
  analyze::LbrSymbolOptions symbols;
  symbols.enabled = !options.no_symbols;
  symbols.files.root = options.root;
  symbols.files.debug_folders.insert(symbols.files.debug_folders.begin(),
                                     options.debug_folders.begin(), options.debug_folders.end());
  symbols.files.perf_cache = options.perf_cache;
  if (const char* home = std::getenv("HOME"); symbols.files.perf_cache.empty() && home != nullptr) {
    symbols.files.perf_cache = fmt::format("{}/.debug", home);
  }
  symbols.kallsyms = options.kallsyms;
  return symbols;
}

void Tell(const std::string& file, analyze::FlameKind kind, const analyze::FlameBuilder& builder) {
  constexpr size_t kShown = 3;
  const analyze::FlameCounts& counts = builder.counts();
  if (counts.stacks == 0) {
    PrintNote(
        kProgram,
        fmt::format("note: {} has no stacks of kind {} (`fxt-record -c default,stack` records "
                    "them; {} of other kinds are in it)",
                    file, NameOf(kind), counts.others));
  }
  if (counts.undefined != 0) {
    PrintNote(kProgram,
              fmt::format("note: {}: {} stacks are named whose addresses it does not have", file,
                          counts.undefined));
  }
  if (counts.dropped != 0) {
    PrintNote(kProgram, fmt::format("note: {}: {} stacks beyond what is kept are left out", file,
                                    counts.dropped));
  }
  const std::vector<std::string> problems = builder.Problems();
  for (size_t i = 0; i < std::min(problems.size(), kShown); ++i) {
    PrintNote(kProgram, fmt::format("note: no symbols: {}", text::CleanText(problems[i])));
  }
  if (problems.size() > kShown) {
    PrintNote(kProgram,
              fmt::format("note: no symbols for {} files more", problems.size() - kShown));
  }
}

util::Result<analyze::FoldedStacks> Read(const Options& options, const std::string& file,
                                         analyze::FlameKind kind) {
  auto source = source::OpenInput(file);
  if (!source) return source.TakeError();
  fxt::Reader reader(**source);
  analyze::FlameBuilder builder(kind, SymbolsOf(options));
  Progress progress("fxt flame: " + file, **source);
  ReadAll(reader, progress, [&] {
    builder.Add(reader);
    return true;
  });
  progress.Clear();
  if (reader.error() != fxt::ReadError::kNone) {
    return util::Error{fmt::format("{}: {}", file, reader.error_message()), ""};
  }
  WarnAboutDamage(file, reader);
  analyze::FoldedStacks stacks = builder.Finish();
  Tell(file, kind, builder);
  return stacks;
}

int Run(const Options& options) {
  const auto kind = analyze::FlameKindNamed(options.of);
  if (!kind) {
    return Fail({fmt::format("\"{}\" is no kind of stacks", options.of), "kinds: off, on, wake"});
  }
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
  auto stacks = Read(options, options.file, *kind);
  if (!stacks) return Fail(stacks.error());
  std::optional<analyze::FoldedStacks> base;
  if (!options.base.empty()) {
    auto read = Read(options, options.base, *kind);
    if (!read) return Fail(read.error());
    base = std::move(*read);
  }
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
  auto options = std::make_shared<Options>();
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
  command.Add("--no-symbols", options->no_symbols, "Look at no executable");
  command.Add("--root", options->root, "Folder with the files of the recorded machine").Type("DIR");
  command
      .Add("--debug-dir", options->debug_folders,
           "Folder with separate debug files, besides /usr/lib/debug. May be given again")
      .Type("DIR");
  command
      .Add("--perf-cache", options->perf_cache,
           "perf's cache of executables by build id (usually ~/.debug)")
      .Type("DIR");
  command
      .Add("--kallsyms", options->kallsyms,
           "Kernel symbols, a copy of the recorded machine's /proc/kallsyms. Without it "
           "this machine's are taken when it runs the recorded kernel")
      .Type("FILE");
  command.Footer(
      "Stacks are followed by their frame pointers: what was built without them shows short ones.\n"
      "Addresses of just-in-time compilers are looked up in /tmp/perf-PID.map.\n"
      "\n"
      "Examples:\n"
      "  sudo fxt-record -c default,stack -d 10s\n"
      "  fxt flame trace.fxt -o flame.html\n"
      "  fxt flame --of on --format speedscope trace.fxt -o on.speedscope.json\n"
      "  fxt flame --base old.fxt new.fxt -o difference.html\n"
      "  fxt flame --of wake --format folded trace.fxt -o - | sort -k2 -n | tail");
  command.OnRun([options, &exit_code] { exit_code = Run(*options); });
}

}  // namespace tools
