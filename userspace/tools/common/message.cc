// SPDX-License-Identifier: BSD-2-Clause
#include "tools/common/message.h"

#include <fmt/format.h>

#include <cstdio>

namespace tools {

void Tell(std::string_view text) {
  static_cast<void>(std::fwrite(text.data(), 1, text.size(), stderr));
}

void PrintError(std::string_view program, const util::Error& error) {
  Tell(fmt::format("{}: error: {}\n", program, error.message));
  if (!error.hint.empty()) Tell(fmt::format("{}: hint: {}\n", program, error.hint));
}

void PrintNote(std::string_view program, std::string_view text) {
  Tell(fmt::format("{}: {}\n", program, text));
}

}  // namespace tools
