// SPDX-License-Identifier: BSD-2-Clause
// Names for a terminal.
#pragma once

#include <string>
#include <string_view>

#include "fxt/utf8.h"

namespace text {

// Names may be any bytes; a terminal gets text, on one line.
inline std::string CleanText(std::string_view name) {
  std::string text = fxt::ToValidUtf8(name);
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
  }
  return text;
}

}  // namespace text
