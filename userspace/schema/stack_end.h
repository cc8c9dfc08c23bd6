// SPDX-License-Identifier: BSD-2-Clause
// Why the user half of a stack has no further frame: the values of the argument `end` of stacks.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "fxt_record/event.h"

namespace schema {

namespace argument {
// Argument of stacks with a user half: a StackEnd's name. Absent: unknown.
inline constexpr std::string_view kEnd = "end";
// The name of the file that the end has to do with, see StackEnd::of_file.
inline constexpr std::string_view kEndIn = "end_in";
}  // namespace argument

struct StackEnd {
  std::string_view name;    // in the file
  std::string_view reason;  // in messages; empty: complete
  // The description of the last frame's file; empty: nothing. Follows the file's name.
  std::string_view of_file = {};
};

// By enum fxr_stack_end.
inline constexpr std::array<StackEnd, FXR_STACK_ENDS> kStackEnds = {{
    {"", "unwound by the kernel"},
    {"entry", ""},
    {"no_table", "code without an unwind table", "has no unwind table there"},
    {"rule", "an unsupported unwind rule", "has an unsupported unwind rule"},
    {"unmapped", "a return address that is not code", "returns to what is not code"},
    {"unreadable", "stack memory that is not present"},
    {"deep", "more than 127 frames"},
    {"new", "a process whose mappings were not known yet"},
}};

// The fxr_stack_end of a name; empty if there is none.
constexpr std::optional<uint8_t> FindStackEnd(std::string_view name) {
  for (size_t i = 1; i < kStackEnds.size(); ++i) {
    if (kStackEnds[i].name == name) return static_cast<uint8_t>(i);
  }
  return std::nullopt;
}

}  // namespace schema
