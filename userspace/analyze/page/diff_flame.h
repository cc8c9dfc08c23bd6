// SPDX-License-Identifier: BSD-2-Clause
// The call stacks of both sides of a comparison, for the script of a flame graph.
#pragma once

#include <optional>
#include <string>

#include "analyze/flame/flame_stacks.h"
#include "compare/diff_report.h"

namespace analyze {

// Stacks of all captures of a side, scaled to the mean length of a capture.
struct DiffStacks {
  FlameKind kind = FlameKind::kOff;
  FoldedStacks base;
  FoldedStacks next;
};

// Reads the captures again: their stacks off the CPU, or, without those, on the CPU. Leaves out
// summaries, standard input ("-"), and files that cannot be read any more. Nothing unless stacks
// were recorded on both sides.
std::optional<DiffStacks> ReadDiffStacks(const comparison::DiffReport& report,
                                         const LbrSymbolOptions& symbols = {});

std::string DiffFlameJson(const DiffStacks& stacks);

}  // namespace analyze
