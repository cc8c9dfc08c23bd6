// SPDX-License-Identifier: BSD-2-Clause
// Makes names safe for a terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace text {

// True for characters that control a terminal or change how surrounding text is shown: control
// characters (C0, DEL, C1), direction marks, line and paragraph separators, and characters without
// width.
bool IsUnseen(char32_t character);

// The character at the start of `text`, which is not empty, and its length in bytes. `valid` is
// false for a byte that is not UTF-8, which stands alone.
struct Character {
  char32_t code = 0;
  size_t bytes = 1;
  bool valid = false;
};
Character FirstCharacter(std::string_view text);

// Makes one line of terminal text of arbitrary bytes. Escapes characters of IsUnseen() as \u009b
// and bytes that are not UTF-8 as \x9b. Clean text is unchanged.
std::string CleanText(std::string_view text);

}  // namespace text
