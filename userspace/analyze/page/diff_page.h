// SPDX-License-Identifier: BSD-2-Clause
// A comparison as a page: `fxt diff --html`.
#pragma once

#include <string>

#include "compare/diff_report.h"

namespace analyze {

// The page's data are DiffJson() and, as "instances", what went on around the longest example of
// each finding, for which their files are read again; those that are summaries, or not there any
// more, have no picture.
std::string DiffPage(const comparison::DiffReport& report);

}  // namespace analyze
