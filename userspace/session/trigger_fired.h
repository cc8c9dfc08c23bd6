// SPDX-License-Identifier: BSD-2-Clause
// One firing of a trigger, for the instant in the file and for messages.
#pragma once

#include <cstdint>
#include <string>

namespace session {

struct TriggerFired {
  uint64_t time = 0;  // ns of the kernel's CLOCK_MONOTONIC
  std::string what;   // the text of the condition: "wakeup_latency > 20ms", "alert slow-request"
  // The measured value for people: "25.3 ms"; empty if the trigger measures nothing.
  std::string value;
  uint32_t tid = 0;  // of the thread concerned; 0: none
};

}  // namespace session
