// SPDX-License-Identifier: BSD-2-Clause
#include "tools/common/message.h"

#include <fmt/format.h>

#include <cstdio>
#include <string>

#include "text/clean_text.h"

namespace tools {

void PrintText(std::string_view text) {
  static_cast<void>(std::fwrite(text.data(), 1, text.size(), stderr));
}

// Quoted paths, names and words may contain control characters.
void PrintError(std::string_view program, const util::Error& error) {
  using text::CleanText;
  std::string text = fmt::format("{}: error: {}\n", program, CleanText(error.message));
  if (!error.hint.empty()) text += fmt::format("{}: hint: {}\n", program, CleanText(error.hint));
  PrintText(text);
}

void PrintNote(std::string_view program, std::string_view text) {
  PrintText(fmt::format("{}: {}\n", program, text::CleanText(text)));
}

}  // namespace tools
