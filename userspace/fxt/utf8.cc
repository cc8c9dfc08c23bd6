// SPDX-License-Identifier: BSD-2-Clause
#include "fxt/utf8.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace fxt {
namespace {

constexpr std::string_view kReplacement = "\xef\xbf\xbd";

struct Sequence {
  size_t bytes;  // at least 1
  bool valid;
};

// The character at the start of `text` (not empty), or the maximal ill-formed part. Bounds of the
// second byte: table 3-7 of the Unicode standard.
Sequence NextSequence(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<uint8_t>(text[i]); };
  const uint8_t lead = byte(0);
  if (lead < 0x80) return {1, true};
  if (lead < 0xc2 || lead > 0xf4) return {1, false};
  const size_t length = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  uint8_t low = 0x80;
  uint8_t high = 0xbf;
  if (lead == 0xe0) low = 0xa0;
  if (lead == 0xed) high = 0x9f;
  if (lead == 0xf0) low = 0x90;
  if (lead == 0xf4) high = 0x8f;
  for (size_t i = 1; i < length; ++i) {
    if (i == text.size() || byte(i) < low || byte(i) > high) return {i, false};
    low = 0x80;
    high = 0xbf;
  }
  return {length, true};
}

}  // namespace

std::string_view CutUtf8(std::string_view text, size_t max_bytes) {
  if (text.size() <= max_bytes) return text;
  // A character that the cut would split starts at most three bytes before it.
  const size_t first = max_bytes - std::min<size_t>(max_bytes, 3);
  for (size_t start = max_bytes; start-- > first;) {
    const Sequence sequence = NextSequence(text.substr(start));
    if (sequence.valid && start + sequence.bytes > max_bytes) return text.substr(0, start);
  }
  return text.substr(0, max_bytes);
}

std::string_view ValidUtf8Prefix(std::string_view text) {
  size_t valid = 0;
  while (valid < text.size()) {
    // Fast path for ASCII: eight bytes at a time.
    for (uint64_t bytes; text.size() - valid >= sizeof bytes; valid += sizeof bytes) {
      std::memcpy(&bytes, text.data() + valid, sizeof bytes);
      if ((bytes & 0x8080808080808080) != 0) break;
    }
    if (valid == text.size()) break;
    const Sequence sequence = NextSequence(text.substr(valid));
    if (!sequence.valid) break;
    valid += sequence.bytes;
  }
  return text.substr(0, valid);
}

bool IsValidUtf8(std::string_view text) { return ValidUtf8Prefix(text).size() == text.size(); }

std::string ToValidUtf8(std::string_view text) {
  std::string result;
  result.reserve(text.size() + kReplacement.size());
  while (!text.empty()) {
    const Sequence sequence = NextSequence(text);
    result += sequence.valid ? text.substr(0, sequence.bytes) : kReplacement;
    text.remove_prefix(sequence.bytes);
  }
  return result;
}

std::string_view ToValidUtf8(std::string_view text, std::string& scratch) {
  if (IsValidUtf8(text)) return text;
  scratch = ToValidUtf8(text);
  return scratch;
}

StringRef InlineUtf8(std::string_view text, std::string& scratch, size_t max_bytes) {
  return StringRef::Inline(
      CutUtf8(ToValidUtf8(text, scratch), std::min(max_bytes, kMaxStringRefBytes)));
}

}  // namespace fxt
