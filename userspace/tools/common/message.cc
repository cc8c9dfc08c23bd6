// SPDX-License-Identifier: BSD-2-Clause
#include "tools/common/message.h"

#include <fmt/format.h>

#include <cstdio>

namespace tools {

void PrintError(std::string_view program, const util::Error& error) {
  fmt::print(stderr, "{}: error: {}\n", program, error.message);
  if (!error.hint.empty()) fmt::print(stderr, "{}: hint: {}\n", program, error.hint);
}

void PrintNote(std::string_view program, std::string_view text) {
  fmt::print(stderr, "{}: {}\n", program, text);
}

}  // namespace tools
