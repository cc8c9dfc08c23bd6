// SPDX-License-Identifier: BSD-2-Clause
// The call stack that explains most of a finding.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "compare/diff_report.h"

namespace analyze {

struct StackChange {
  bool of_cpu = false;  // true: from samples of running threads; false: from time off the CPU
  // Innermost first: "function" or "function (file.c:12)". Functions of the kernel end with "_[k]".
  std::vector<std::string> frames;
  std::string innermost;  // three of them, see InnermostFrames()
  // Means of the captures: ms per second, or samples per second with of_cpu.
  double base = 0;
  double next = 0;
};

// By row of the report.
using StackChanges = std::map<const comparison::ComparisonRow*, StackChange>;

// "fdatasync <- commit <- main, 3.10 ms/run → 79.2 ms/run".
std::string StackWords(const comparison::DiffReport& report, const StackChange& stack);

}  // namespace analyze
