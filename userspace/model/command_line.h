// SPDX-License-Identifier: BSD-2-Clause
// The command line of a process, as a trace has it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace model {

inline constexpr size_t kMaxCommandLineBytes = 4096;

struct CommandLine {
  std::string text;     // arguments, one blank between them; at most kMaxCommandLineBytes
  uint64_t length = 0;  // bytes of the whole, when `text` is only its beginning; else 0
};

// `bytes` as the kernel keeps them, with a NUL behind each argument. There are `length` of them;
// `bytes` may be only the first ones, but no fewer than kMaxCommandLineBytes and those of a
// character that ends behind them.
CommandLine MakeCommandLine(std::string_view bytes, uint64_t length);

}  // namespace model
