// SPDX-License-Identifier: BSD-2-Clause
// A comparison for a page of a code review.
#pragma once

#include <string>

#include "compare/diff_report.h"

namespace analyze {

// A table of at most `top` findings (0: all), and below it their because.
std::string DiffMarkdown(const comparison::DiffReport& report, size_t top);

}  // namespace analyze
