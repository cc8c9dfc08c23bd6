// SPDX-License-Identifier: BSD-2-Clause
// How long threads waited for a CPU, as a histogram for a terminal.
#pragma once

#include <string>

#include "measure/capture.h"

namespace analyze {

// Lines, of all threads together: those that were woken or made, and those that were preempted, up
// to their next run. A line is for the lengths from a power of two (ns) up to the next one. Empty
// when nothing waited.
std::string LatencyBars(const measure::Capture& capture);

}  // namespace analyze
