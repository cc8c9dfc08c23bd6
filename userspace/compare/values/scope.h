// SPDX-License-Identifier: BSD-2-Clause
// The groups whose changes are judged, and the load of the others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "compare/values/groups.h"

namespace comparison {

// By position of the group: whether it is in scope. For captures of a command these are its process
// tree and servers, which the tree wakes: at least a tenth of a server's wakeups come from the
// tree, and their odds are at least three times the odds that the tree runs. For other captures it
// is every group. The recorder is never in scope.
std::vector<bool> ScopeOf(const Groups& groups);

// By position of the group: whether it is in scope, and timers, devices or the network end most of
// its sleeps, ten times a second or more.
std::vector<bool> SelfPacedOf(const Groups& groups, const std::vector<bool>& in_scope);

// By capture: ns that threads of the group waited for a CPU while groups out of scope ran on it.
std::vector<uint64_t> OutOfScopeWaits(const Groups& groups, size_t group,
                                      const std::vector<bool>& in_scope);
// By capture: threads of groups out of scope that ran or waited for a CPU, on average.
std::vector<double> OutOfScopeThreads(const Groups& groups, const std::vector<bool>& in_scope);

}  // namespace comparison
