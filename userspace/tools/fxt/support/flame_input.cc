// SPDX-License-Identifier: BSD-2-Clause
#include "tools/fxt/support/flame_input.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "facts/scheduling.h"
#include "source/input.h"
#include "text/clean_text.h"
#include "tools/common/message.h"
#include "tools/fxt/support/failure.h"
#include "tools/fxt/support/read_loop.h"

namespace tools {
namespace {

// Prints notes, those in `printed` not again; null: all.
void PrintWarnings(const std::string& file, const analyze::FlameBuilder& builder,
                   std::set<std::string>* printed) {
  constexpr size_t kShown = 3;
  const auto print = [&](const std::string& note) {
    if (printed == nullptr || printed->insert(note).second) PrintNote(kProgram, "note: " + note);
  };
  const analyze::FlameCounts& counts = builder.counts();
  if (counts.idle != 0) {
    print(
        fmt::format("{}: {} sleeps of threads that waited for work are hidden", file, counts.idle));
  }
  if (counts.undefined != 0) {
    print(fmt::format("{}: {} stacks are referenced without their addresses", file,
                      counts.undefined));
  }
  if (counts.dropped != 0) {
    print(fmt::format("{}: {} stacks beyond the limit were dropped", file, counts.dropped));
  }
  if (counts.ends.early() != 0) {
    print(fmt::format("{} of {} stacks end early: {}", counts.ends.early(), counts.ends.all(),
                      text::CleanText(counts.ends.DescribeReasons(kShown))));
  }
  const std::vector<std::string> problems = builder.Problems();
  for (size_t i = 0; i < std::min(problems.size(), kShown); ++i) {
    print(fmt::format("no symbols: {}", text::CleanText(problems[i])));
  }
  if (problems.size() > kShown) {
    print(fmt::format("no symbols for {} more files", problems.size() - kShown));
  }
}

// Gives a range of times the time of the first record, and the builder each record.
struct RangedBuilder {
  analyze::FlameBuilder& builder;
  analyze::TimeRange& range;

  void Add(const fxt::Reader& reader) {
    if (range.limited() && !range.started()) {
      if (const auto time = facts::TimeOf(reader.record(), reader.provider())) {
        range.SetStart(*time);
      }
    }
    builder.Add(reader);
  }
};

}  // namespace

util::Result<analyze::FoldedStacks> ReadStacks(const std::string& file, analyze::FlameKind kind,
                                               const analyze::LbrSymbolOptions& symbols,
                                               StackSelection selection, StackReading* more) {
  auto source = source::OpenInput(file);
  if (!source) return source.TakeError();
  fxt::Reader reader(**source);
  analyze::RecordFilter& filter = selection.filter;
  analyze::FlameSelection selected;
  const auto match = [](const analyze::TaskSelector& tasks) {
    return [&tasks](fxt::Koid koid, std::string_view name) { return tasks.Matches(koid, name); };
  };
  if (!filter.processes.empty()) selected.process = match(filter.processes);
  if (!filter.threads.empty()) selected.thread = match(filter.threads);
  if (filter.time.limited()) {
    selected.time = [&filter](uint64_t time) { return filter.time.Contains(time); };
  }
  selected.min_away = selection.min_away;
  selected.hide_idle = selection.hide_idle;
  analyze::FlameBuilder builder(kind, symbols, std::move(selected));
  RangedBuilder ranged{builder, filter.time};
  Progress progress("fxt flame: " + file, **source);
  ReadAll(reader, progress, ranged);
  progress.Clear();
  if (reader.error() != fxt::ReadError::kNone) {
    return util::Error{fmt::format("{}: {}", file, reader.error_message()), ""};
  }
  WarnAboutDamage(file, reader);
  if (builder.counts().recorded == 0) {
    return util::Error{
        fmt::format("{} has no stacks of kind {}", file, NameOf(kind)),
        fmt::format("`fxt-record -c default,stack` records them; {} of other kinds are "
                    "in it",
                    builder.counts().others)};
  }
  analyze::FoldedStacks stacks = builder.Finish(more == nullptr ? nullptr : &more->events);
  PrintWarnings(file, builder, more == nullptr ? nullptr : &more->notes);
  return stacks;
}

util::Result<analyze::FlameKind> ParseFlameKind(const std::string& name) {
  if (const auto kind = analyze::FlameKindNamed(name)) return *kind;
  return util::Error{fmt::format("\"{}\" is not a kind of stacks", name), "kinds: off, on, wake"};
}

}  // namespace tools
