// SPDX-License-Identifier: BSD-2-Clause
// A string reference ("String references" of the format document).
#pragma once

#include <cstdint>
#include <string_view>

#include "fxt/format.h"

namespace fxt {

// Sixteen bits as in a record, and their text. Writing: an indexed reference needs no text; an
// inline one is its text. Reading: `text` is resolved for both and views memory of the reader.
struct StringRef {
  uint16_t encoded =
      0;  // 0 empty, 1..0x7fff index, high bit set: inline, low bits the length in bytes
  std::string_view text;

  static constexpr StringRef Empty() { return {}; }
  // `index` is 1..0x7fff.
  static constexpr StringRef Indexed(uint16_t index, std::string_view text = {}) {
    return {index, text};
  }
  // `text` has at most kMaxStringRefBytes bytes. Empty text is the empty reference.
  static constexpr StringRef Inline(std::string_view text) {
    if (text.empty()) return {};
    return {static_cast<uint16_t>(kInlineStringBit | text.size()), text};
  }

  constexpr bool is_inline() const { return (encoded & kInlineStringBit) != 0; }
  constexpr bool is_empty() const { return encoded == 0; }
  constexpr uint16_t index() const { return is_inline() ? 0 : encoded; }
  // Words of the inline text behind the header.
  constexpr size_t words() const {
    return is_inline() ? WordsForBytes(encoded & kMaxStringRefBytes) : 0;
  }

  friend constexpr bool operator==(const StringRef&, const StringRef&) = default;
};

}  // namespace fxt
