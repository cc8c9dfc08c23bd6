// SPDX-License-Identifier: BSD-2-Clause
// The text form of ftrace's record: an independent reading of the same buffers, printed by the
// kernel itself, to hold the binary one against.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace truth {

struct TextSwitch {
  uint32_t cpu = 0;
  uint64_t time_us = 0;
  std::string prev_comm;
  int32_t prev_tid = 0;
  int32_t prev_priority = 0;
  std::string prev_state;
  std::string next_comm;
  int32_t next_tid = 0;
  int32_t next_priority = 0;
};

// The sched_switch lines of `text`, in its order. A line that cannot be read is counted in
// `unreadable`.
std::vector<TextSwitch> ParseTextTrace(std::string_view text, size_t* unreadable);

}  // namespace truth
