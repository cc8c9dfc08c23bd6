// SPDX-License-Identifier: BSD-2-Clause
// A comparison for a terminal.
#pragma once

#include <string>

#include "compare/diff_report.h"

namespace analyze {

// At most `top` findings (0: all) in rank order, each with its because and its worst example; what
// is to be known of the captures before, and how much more there is behind them.
std::string DiffText(const comparison::DiffReport& report, size_t top);

}  // namespace analyze
