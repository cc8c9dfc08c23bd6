// SPDX-License-Identifier: BSD-2-Clause
// The call stacks of both sides of a comparison, for the script of a flame graph.
#pragma once

#include <optional>
#include <string>

#include "compare/diff_report.h"

namespace analyze {

// The captures of a side together, in as much time as one capture has on average: those off the
// CPU, or where there are none, those on it. The files are read again; what is a summary, standard
// input ("-") or not there any more has no part. Empty unless stacks were recorded on both sides.
std::optional<std::string> DiffFlameJson(const comparison::DiffReport& report);

}  // namespace analyze
