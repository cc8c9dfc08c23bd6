// SPDX-License-Identifier: BSD-2-Clause
// A comparison as test results (JUnit XML) for a build server.
#pragma once

#include <string>

#include "compare/diff_report.h"

namespace analyze {

// A test for each row. It fails if the row is a finding that became worse, and is skipped if the
// row is undecided or not confirmed.
std::string DiffJunit(const comparison::DiffReport& report);

}  // namespace analyze
