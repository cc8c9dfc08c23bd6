// SPDX-License-Identifier: BSD-2-Clause
// The state of a session for people.
#pragma once

#include <cstdint>
#include <string>

#include "control/protocol/reply.h"

namespace tools {

// A status, and when it was asked for: ns of CLOCK_MONOTONIC.
struct TimedStatus {
  control::Status status;
  uint64_t time = 0;
};

// How fast things went between two of them.
struct StatusRates {
  bool known = false;
  double events = 0;       // a second
  double lost = 0;         // a second
  double cpu_percent = 0;  // of one CPU
};
// Not known for a session that is another one.
StatusRates RatesBetween(const TimedStatus& before, const TimedStatus& now);

// One or more lines, each with its line feed. `before`, where there is one, is for rates.
std::string StatusLines(const TimedStatus& now, const TimedStatus* before);
// One line.
std::string StatusLine(const TimedStatus& now, const TimedStatus* before);

}  // namespace tools
