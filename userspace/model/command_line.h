// SPDX-License-Identifier: BSD-2-Clause
// The command line of a process as recorded in a trace.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace model {

inline constexpr size_t kMaxCommandLineBytes = 4096;

struct CommandLine {
  std::string text;     // arguments, separated by one space; at most kMaxCommandLineBytes
  uint64_t length = 0;  // bytes of the whole command line if `text` is truncated, else 0
};

// `bytes` is the kernel's form, with a NUL after each argument, and `length` its full size. `bytes`
// may be truncated to kMaxCommandLineBytes plus the rest of a UTF-8 character.
CommandLine MakeCommandLine(std::string_view bytes, uint64_t length);

}  // namespace model
