// SPDX-License-Identifier: BSD-2-Clause
// Who is busy and who waits at this moment.
#pragma once

#include <cstdint>
#include <string>

#include "control/client/client.h"
#include "measure/capture.h"
#include "util/result.h"

namespace tools {

// Takes a snapshot of the last `span` ns of a session that keeps a buffer, into memory, and
// measures it: what a report of such a file has.
util::Result<measure::Capture> MeasureNow(control::Client& client, uint64_t span);

// Rates of switches, wakeups and migrations; the groups of threads with the most time on a CPU, and
// those with the longest wakeup latencies. Several lines, each with its line feed.
std::string BusiestLines(const measure::Capture& capture);

}  // namespace tools
