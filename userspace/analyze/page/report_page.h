// SPDX-License-Identifier: BSD-2-Clause
// A report as a page: `fxt report --html`.
#pragma once

#include <string>

#include "analyze/report/report.h"

namespace analyze {

// The page's data are ReportJson() and, as "instances", what went on around the longest waits, for
// which the file is read again.
std::string ReportPage(const Report& report);

}  // namespace analyze
