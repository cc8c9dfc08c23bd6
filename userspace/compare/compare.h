// SPDX-License-Identifier: BSD-2-Clause
// Compares two sets of captures. (The namespace is not `compare`: fmt has functions of that name,
// for which g++ 12 would take it.)
#pragma once

#include <vector>

#include "compare/diff_report.h"
#include "measure/capture.h"
#include "util/result.h"

namespace comparison {

struct DiffInput {
  std::vector<measure::Capture> base;
  std::vector<measure::Capture> next;
  // Captures of the same program, to estimate the variance between captures; may be empty.
  std::vector<measure::Capture> noise;
};

// The false discovery rate among the groups that are reported.
inline constexpr double kFalseDiscoveries = 0.02;

// The changes from the base to the new captures, and their causes. The order of the captures of a
// side does not matter. An error if they cannot be compared. Neither side is empty.
util::Result<DiffReport> Compare(DiffInput input);

}  // namespace comparison
