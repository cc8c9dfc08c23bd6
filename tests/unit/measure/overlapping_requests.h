// SPDX-License-Identifier: BSD-2-Clause
// A trace whose requests are on one thread at the same time, so that their paths are many times as
// long as the trace.
#pragma once

#include "unit/measure/trace_script.h"

namespace measure::testing {

// Each request lasts from 110 to end() and has 2 * `rounds` + 1 parts: thread 7 alternately runs
// and waits for thread 8.
class OverlappingRequests : public TraceScript {
 public:
  OverlappingRequests(uint64_t requests, uint64_t rounds) {
    Session(100).Switch(100, 0, 0, "S", 7);
    for (uint64_t i = 0; i < requests; ++i) Begin(110, 7, "request", "overlapping");
    for (uint64_t i = 0; i < rounds; ++i, end_ += 20) {
      Switch(end_, 0, 7, "R", 8).Switch(end_ + 10, 0, 8, "R", 7);
    }
    for (uint64_t i = 0; i < requests; ++i) End(end_, 7, "request", "overlapping");
    Switch(end_ + 10, 0, 7, "S", 0);
  }
  uint64_t end() const { return end_; }

 private:
  uint64_t end_ = 120;
};

}  // namespace measure::testing
