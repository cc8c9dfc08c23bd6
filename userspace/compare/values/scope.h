// SPDX-License-Identifier: BSD-2-Clause
// Which groups are judged.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "compare/values/groups.h"

namespace comparison {

// By number of the group: whether it belongs to what was recorded. Of captures of a command that is
// the command's process tree, and servers: groups that the tree wakes. At least a tenth of a
// server's wakeups come from the tree, and so many that chance does not explain it: the odds of a
// wakeup being one of the tree's are at least three times the odds of the tree being what runs. Of
// captures without a command it is everything. Never the recorder.
std::vector<bool> ScopeOf(const Groups& groups);

// By number of the group: whether it is judged, and most of what it sleeps, ten times a second or
// more, ends by no thread, but by a timer, a device or the network.
std::vector<bool> ClockedOf(const Groups& groups, const std::vector<bool>& judged);

// By capture: how long threads of the group waited for a CPU that groups ran on which are not
// judged, ns. That they did is no doing of what was recorded.
std::vector<uint64_t> ForeignWaits(const Groups& groups, size_t group,
                                   const std::vector<bool>& judged);
// By capture: how many threads of groups that are not judged ran or waited for a CPU at a time.
std::vector<double> ForeignDemand(const Groups& groups, const std::vector<bool>& judged);

}  // namespace comparison
