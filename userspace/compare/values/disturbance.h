// SPDX-License-Identifier: BSD-2-Clause
// Captures in which other work of the machine had the CPUs.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "compare/values/groups.h"

namespace comparison {

// Parts of the CPU time of the machine, 0 to 1.
struct Disturbance {
  size_t capture = 0;           // its position
  double share = 0;             // that groups out of scope had
  double usual = 0;             // the median of the captures of its side
  std::optional<size_t> group;  // that had most of it more than usual
};

// The captures in which groups out of scope had kExplained more of the CPU time than is usual for
// their side. Fewer than half of a side are disturbed: what happens in most captures is usual.
std::vector<Disturbance> DisturbedCaptures(const Groups& groups, const std::vector<bool>& in_scope);

}  // namespace comparison
