// SPDX-License-Identifier: BSD-2-Clause
// Which finding is read first.
#pragma once

#include <vector>

#include "compare/diff_report.h"

namespace comparison {

// Numbers of those rows that are findings and stand under no other row, in rank order: what became
// worse or is new before the rest, larger Row::weight (the change in ms per second, as far as it is
// its own) before smaller, a cause before what it caused, and the command's own time, which is the
// sum of all, behind the groups.
std::vector<size_t> RankOf(const std::vector<Row>& rows);

}  // namespace comparison
