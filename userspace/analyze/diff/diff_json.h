// SPDX-License-Identifier: BSD-2-Clause
// A comparison as JSON: docs/diff-schema.json.
#pragma once

#include <string>

#include "compare/diff_report.h"

namespace analyze {

// One object and a line break.
std::string DiffJson(const comparison::DiffReport& report);

}  // namespace analyze
