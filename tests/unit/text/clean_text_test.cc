// SPDX-License-Identifier: BSD-2-Clause
#include "text/clean_text.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace text {
namespace {

TEST(CleanTextTest, KeepsVisibleCharacters) {
  for (const std::string text :
       {"", "kworker/0:1-events", "a b", "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80", "back\\slash",
        "\xc2\xa0", "\xd7\xa9\xd7\x9c\xd7\x95\xd7\x9d", "\xef\xbf\xbd"}) {
    EXPECT_EQ(CleanText(text), text);
  }
}

TEST(CleanTextTest, EscapesInvisibleCharacters) {
  const std::pair<std::string, std::string> cases[] = {
      {"\x1b[2J", "\\u001b[2J"},
      {std::string("a\0b", 3), "a\\u0000b"},
      {"a\nb\r\t", "a\\u000ab\\u000d\\u0009"},
      {"\x7f", "\\u007f"},
      {"\xc2\x80", "\\u0080"},
      {"\xc2\x9b"
       "2J",
       "\\u009b2J"},
      {"\xc2\x9f", "\\u009f"},
      {"\xd8\x9c", "\\u061c"},
      {"\xe2\x80\x8b\xe2\x80\x8f", "\\u200b\\u200f"},
      {"\xe2\x80\xa8\xe2\x80\xa9", "\\u2028\\u2029"},
      {"\xe2\x80\xaa\xe2\x80\xae"
       "evil",
       "\\u202a\\u202eevil"},
      {"\xe2\x81\xa6\xe2\x81\xa9", "\\u2066\\u2069"},
      {"\xef\xbb\xbf", "\\ufeff"},
      {"\xf3\xa0\x81\x81", "\\ue0041"},
      {"\x9b"
       "2J",
       "\\x9b2J"},
      {"\xff\xc3", "\\xff\\xc3"},
      {"\xed\xa0\x80", "\\xed\\xa0\\x80"},
      {"\xc0\x9b", "\\xc0\\x9b"},
  };
  for (const auto& [text, clean] : cases) {
    EXPECT_EQ(CleanText(text), clean);
    EXPECT_EQ(CleanText(clean), clean);
  }
}

}  // namespace
}  // namespace text
