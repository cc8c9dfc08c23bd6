// SPDX-License-Identifier: BSD-2-Clause
#include "text/clean_text.h"

#include <algorithm>
#include <cstdint>
#include <iterator>

#include "fxt/utf8.h"
#include "util/format_library.h"

namespace text {
namespace {

struct Range {
  char32_t first;
  char32_t last;
};

constexpr Range kUnseen[] = {
    {0x00, 0x1f},        // C0
    {0x7f, 0x9f},        // DEL, C1
    {0xad, 0xad},        // soft hyphen
    {0x61c, 0x61c},      // Arabic letter mark
    {0x180e, 0x180e},    // Mongolian vowel separator
    {0x200b, 0x200f},    // zero width, marks of direction
    {0x2028, 0x202e},    // separators of lines and paragraphs, embeddings and overrides
    {0x2060, 0x206f},    // word joiner, isolates, deprecated controls
    {0xfeff, 0xfeff},    // zero width no-break space, byte order mark
    {0xfff9, 0xfffb},    // interlinear annotation
    {0xe0000, 0xe007f},  // tags
};

}  // namespace

bool IsUnseen(char32_t character) {
  return std::any_of(std::begin(kUnseen), std::end(kUnseen), [&](const Range& range) {
    return range.first <= character && character <= range.last;
  });
}

Character FirstCharacter(std::string_view text) {
  const auto lead = static_cast<uint8_t>(text.front());
  if (lead < 0x80) return {lead, 1, true};
  const size_t bytes = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  if (text.size() < bytes || !fxt::IsValidUtf8(text.substr(0, bytes))) return {lead, 1, false};
  char32_t code = lead & (0x7fu >> bytes);
  for (size_t i = 1; i < bytes; ++i) code = code << 6 | (static_cast<uint8_t>(text[i]) & 0x3fu);
  return {code, bytes, true};
}

std::string CleanText(std::string_view text) {
  std::string clean;
  clean.reserve(text.size());
  while (!text.empty()) {
    const Character next = FirstCharacter(text);
    if (!next.valid) {
      fmt::format_to(std::back_inserter(clean), "\\x{:02x}", static_cast<uint32_t>(next.code));
    } else if (IsUnseen(next.code)) {
      fmt::format_to(std::back_inserter(clean), "\\u{:04x}", static_cast<uint32_t>(next.code));
    } else {
      clean += text.substr(0, next.bytes);
    }
    text.remove_prefix(next.bytes);
  }
  return clean;
}

}  // namespace text
