// SPDX-License-Identifier: BSD-2-Clause
#include "analyze/diff/stack_change.h"

#include <fmt/format.h>

namespace analyze {
std::string StackWords(const comparison::DiffReport& report, const StackChange& stack) {
  const double scale = report.per_run ? report.seconds_per_run : 1;
  const char* per = report.per_run ? "run" : "s";
  const char* unit = stack.of_cpu ? "samples" : "ms";
  return fmt::format("{}, {:#.3g} → {:#.3g} {}/{}", stack.innermost, stack.base * scale,
                     stack.next * scale, unit, per);
}

}  // namespace analyze
