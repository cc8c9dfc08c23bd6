// SPDX-License-Identifier: BSD-2-Clause
#include "tools/common/message.h"

#include <fmt/format.h>

#include <cstdio>
#include <string>

#include "text/clean_text.h"

namespace tools {

void Tell(std::string_view text) {
  static_cast<void>(std::fwrite(text.data(), 1, text.size(), stderr));
}

// What it quotes (paths, names, words of the command line) may hold anything.
void PrintError(std::string_view program, const util::Error& error) {
  using text::CleanText;
  std::string text = fmt::format("{}: error: {}\n", program, CleanText(error.message));
  if (!error.hint.empty()) text += fmt::format("{}: hint: {}\n", program, CleanText(error.hint));
  Tell(text);
}

void PrintNote(std::string_view program, std::string_view text) {
  Tell(fmt::format("{}: {}\n", program, text::CleanText(text)));
}

}  // namespace tools
