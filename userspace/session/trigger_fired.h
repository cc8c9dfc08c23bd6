// SPDX-License-Identifier: BSD-2-Clause
// That a trigger fired: what an instant in the file and its name and summary say.
#pragma once

#include <cstdint>
#include <string>

namespace session {

struct TriggerFired {
  uint64_t time = 0;  // ns of the kernel's CLOCK_MONOTONIC
  std::string what;   // the trigger as it was given: "wakeup_latency > 20ms", "alert slow-request"
  // What was measured, in words: "25.3 ms"; empty where there is nothing to measure.
  std::string value;
  uint32_t tid = 0;  // of the thread that it happened to; 0: none
};

}  // namespace session
