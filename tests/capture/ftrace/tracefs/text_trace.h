// SPDX-License-Identifier: BSD-2-Clause
// Parses the text form of ftrace, which the kernel prints from the same buffers. It checks the
// binary reader.
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

// Returns the sched_switch lines of `text` in order. `unreadable` counts the other lines.
std::vector<TextSwitch> ParseTextTrace(std::string_view text, size_t* unreadable);

}  // namespace truth
