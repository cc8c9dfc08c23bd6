// SPDX-License-Identifier: BSD-2-Clause
// What a report tells of groups and rows beyond their tests.
#pragma once

#include <vector>

#include "compare/diff_report.h"
#include "compare/values/frame.h"
#include "compare/values/groups.h"

namespace comparison {

// Fills DiffReport::groups, the sides, and the quantiles and examples of its rows, which have their
// verdicts. `judged` is by number of the group.
void AddDetails(DiffReport& report, const Groups& groups, const std::vector<bool>& judged,
                const Frame& frame);

}  // namespace comparison
