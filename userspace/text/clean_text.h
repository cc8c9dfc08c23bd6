// SPDX-License-Identifier: BSD-2-Clause
// Names for a terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace text {

// A character that does something to a terminal, or to how the text around it is shown, instead of
// being seen: control characters (C0, DEL, C1), what sets the direction of text, line and paragraph
// separators, and what has no width.
bool IsUnseen(char32_t character);

// The character at the start of `text`, which is not empty, and how many bytes it has; `valid` is
// false for a byte that is not UTF-8, which stands alone.
struct Character {
  char32_t code = 0;
  size_t bytes = 1;
  bool valid = false;
};
Character FirstCharacter(std::string_view text);

// Names may be any bytes; a terminal gets text, on one line. What is unseen is escaped as \u009b,
// bytes that are not UTF-8 as \x9b. Text that was cleaned stays as it is.
std::string CleanText(std::string_view text);

}  // namespace text
