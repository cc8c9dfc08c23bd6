// SPDX-License-Identifier: BSD-2-Clause
// The parts of a DiffReport that are shown, and not tested.
#pragma once

#include <vector>

#include "compare/diff_report.h"
#include "compare/values/groups.h"
#include "compare/values/normalization.h"
#include "compare/values/requests.h"

namespace comparison {

// Sets DiffReport::groups, the sides, and quantiles, lengths and examples of its rows, which have
// their verdicts. `in_scope` is by position of the group.
void AddDetails(DiffReport& report, const Groups& groups, const SharedRequests& requests,
                const std::vector<bool>& in_scope, const Normalization& normalization);

}  // namespace comparison
