// SPDX-License-Identifier: BSD-2-Clause
// Compares two sets of captures. (The room's namespace is not called as the room: fmt has functions
// named compare, and g++ 12 would take the namespace for them.)
#pragma once

#include <vector>

#include "compare/diff_report.h"
#include "measure/capture.h"
#include "util/result.h"

namespace comparison {

struct DiffInput {
  std::vector<measure::Capture> base;
  std::vector<measure::Capture> next;
  // Captures of one and the same thing, which say how much those differ; may be empty.
  std::vector<measure::Capture> noise;
};

// False discoveries among groups that are reported: at most this fraction.
inline constexpr double kFalseDiscoveries = 0.02;

// What changed from the base to the new captures, and why. The order in which captures of a side
// are given changes nothing. An error when they cannot be compared; neither side is empty.
util::Result<DiffReport> Compare(DiffInput input);

}  // namespace comparison
