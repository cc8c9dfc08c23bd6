// SPDX-License-Identifier: BSD-2-Clause
// A comparison as the results of tests (JUnit's XML), for a build server.
#pragma once

#include <string>

#include "compare/diff_report.h"

namespace analyze {

// A test for each row: failed where it got worse and is no symptom of another row of its group,
// skipped where nothing can be told.
std::string DiffJunit(const comparison::DiffReport& report);

}  // namespace analyze
