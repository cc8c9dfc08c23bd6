// SPDX-License-Identifier: BSD-2-Clause
#include "analyze/page/diff_flame.h"

#include <cmath>
#include <iterator>

#include "analyze/flame/flame_stacks.h"
#include "analyze/page/flame_page.h"
#include "analyze/stack_diff/stack_changes.h"
#include "facts/read_loop.h"
#include "fxt/reader.h"
#include "source/input.h"

namespace analyze {
namespace {

using comparison::DiffSide;

struct SideStacks {
  FoldedStacks stacks;
  double seconds = 0;  // of the captures that they are of
};

// Returns false if it is not a readable trace.
bool Add(const std::string& file, FlameKind kind, const LbrSymbolOptions& symbols,
         FoldedStacks& stacks) {
  if (file == "-") return false;
  auto source = source::OpenInput(file);
  if (!source) return false;
  fxt::Reader reader(**source);
  FlameBuilder builder(kind, symbols);
  facts::ReadRecords(reader, builder);
  if (reader.status() != fxt::ReadStatus::kEnd) return false;
  for (const auto& [stack, weight] : builder.Finish()) stacks[stack] += weight;
  return true;
}

SideStacks Read(const DiffSide& of, FlameKind kind, const LbrSymbolOptions& symbols) {
  SideStacks side;
  for (size_t i = 0; i < of.files.size(); ++i) {
    if (Add(of.files[i], kind, symbols, side.stacks)) side.seconds += of.seconds[i];
  }
  return side;
}

void Scale(SideStacks& side, double seconds) {
  if (side.seconds <= 0) return;
  for (auto at = side.stacks.begin(); at != side.stacks.end();) {
    const double weight = static_cast<double>(at->second) * seconds / side.seconds;
    at->second = static_cast<uint64_t>(std::llround(weight));
    at = at->second == 0 ? side.stacks.erase(at) : std::next(at);
  }
}

double Mean(const DiffSide& base, const DiffSide& next) {
  double sum = 0;
  for (const DiffSide* side : {&base, &next}) {
    for (const double seconds : side->seconds) sum += seconds;
  }
  return sum / static_cast<double>(base.seconds.size() + next.seconds.size());
}

}  // namespace

std::optional<DiffStacks> ReadDiffStacks(const comparison::DiffReport& report,
                                         const LbrSymbolOptions& symbols) {
  if (!MayHaveStacks(report.base) || !MayHaveStacks(report.next)) return std::nullopt;
  for (const FlameKind kind : {FlameKind::kOff, FlameKind::kOn}) {
    SideStacks base = Read(report.base, kind, symbols);
    SideStacks next = Read(report.next, kind, symbols);
    if (base.stacks.empty() || next.stacks.empty()) continue;
    JoinNames(base.stacks, &next.stacks);
    const double seconds = Mean(report.base, report.next);
    Scale(base, seconds);
    Scale(next, seconds);
    return DiffStacks{kind, std::move(base.stacks), std::move(next.stacks)};
  }
  return std::nullopt;
}

std::string DiffFlameJson(const DiffStacks& stacks) {
  return FlameJson(stacks.next, stacks.kind, "new", &stacks.base, "base");
}

}  // namespace analyze
