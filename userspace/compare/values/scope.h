// SPDX-License-Identifier: BSD-2-Clause
// Which groups are judged.
#pragma once

#include <vector>

#include "compare/values/groups.h"

namespace comparison {

// By number of the group: whether it belongs to what was recorded. Of captures of a command that is
// the command's process tree, and servers: groups that the tree wakes. At least a tenth of a
// server's wakeups come from the tree, and so many that chance does not explain it: the odds of a
// wakeup being one of the tree's are at least three times the odds of the tree being what runs. Of
// captures without a command it is everything. Never the recorder.
std::vector<bool> ScopeOf(const Groups& groups);

}  // namespace comparison
