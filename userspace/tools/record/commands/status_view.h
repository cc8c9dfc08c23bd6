// SPDX-License-Identifier: BSD-2-Clause
// Formats the status of a session for people.
#pragma once

#include <cstdint>
#include <string>

#include "control/protocol/reply.h"

namespace tools {

// A status and the time of its request, ns of CLOCK_MONOTONIC.
struct TimedStatus {
  control::Status status;
  uint64_t time = 0;
};

// Rates between two statuses.
struct StatusRates {
  bool known = false;
  double events = 0;       // a second
  double lost = 0;         // a second
  double cpu_percent = 0;  // of one CPU
};
// Unknown if the two are of different sessions.
StatusRates RatesBetween(const TimedStatus& before, const TimedStatus& now);

// Lines with their line feeds. With `before` they have rates.
std::string StatusLines(const TimedStatus& now, const TimedStatus* before);
// One line.
std::string StatusLine(const TimedStatus& now, const TimedStatus* before);

}  // namespace tools
