// SPDX-License-Identifier: BSD-2-Clause
// What is said of an import, for people.
#pragma once

#include <string>
#include <vector>

#include "import/trace_event/trace_event_stats.h"

namespace importer {

// "12 events (8 X, 4 M), 3 switches".
std::string StatsText(const TraceEventStats& stats);
// What was left out or changed, a line each.
std::vector<std::string> Notes(const TraceEventStats& stats);

}  // namespace importer
