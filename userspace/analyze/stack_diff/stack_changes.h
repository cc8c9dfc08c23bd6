// SPDX-License-Identifier: BSD-2-Clause
// Finds the call stacks that explain the findings of a comparison.
#pragma once

#include <string>
#include <vector>

#include "analyze/diff/stack_change.h"
#include "analyze/lbr/lbr_places.h"
#include "analyze/stack_diff/stack_times.h"
#include "compare/diff_report.h"

namespace analyze {

// Whether the captures of a side may have stacks. To find out takes another read of the files; the
// name of the category avoids it where there are none.
bool MayHaveStacks(const comparison::DiffSide& side);

struct FoundStacks {
  StackChanges changes;
  uint64_t left_out = 0;              // occurrences of stacks beyond the limit of memory
  std::vector<std::string> problems;  // captures that could not be read again, a line each
};

// For each finding about sleep, D or CPU time, the stack whose time changed most in its direction,
// as far as that exceeds the standard error. Reads the captures again if stacks were recorded on
// both sides; leaves out summaries and standard input. Sleeps count that are not for work, as
// facts::WaitPurposes says: those within a request, and those for an answer. Timeouts of a thread
// at the place where it mostly waits for work do not count either.
FoundStacks FindStackChanges(const comparison::DiffReport& report, const LbrSymbolOptions& symbols);

// The same of `times`, whose captures are those of the base, `bases` of them, and then the new
// ones. `seconds` are the divisors of their sums. `group` is that of `row`. No frames: there is
// none.
StackChange LargestChange(const StackTimes& times, const std::vector<double>& seconds, size_t bases,
                          const comparison::ComparisonRow& row, size_t group);

// "commit" of "commit (log.c:12)".
std::string_view WithoutLine(std::string_view frame);

}  // namespace analyze
