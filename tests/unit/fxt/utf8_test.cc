// SPDX-License-Identifier: BSD-2-Clause
#include "fxt/utf8.h"

#include <gtest/gtest.h>

namespace fxt {
namespace {

constexpr std::string_view kReplacement = "\xef\xbf\xbd";

TEST(Utf8Test, CutsBetweenCharacters) {
  // One, two, three and four bytes: a, e acute, euro sign, grinning face.
  const std::string text = "a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80z";
  const size_t expected[] = {0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10, 11, 11};
  for (size_t limit = 0; limit < std::size(expected); ++limit) {
    EXPECT_EQ(CutUtf8(text, limit), text.substr(0, expected[limit])) << limit;
  }
}

TEST(Utf8Test, CutsInvalidBytesAnywhere) {
  EXPECT_EQ(CutUtf8("\x80\x80\x80\x80\x80", 3), "\x80\x80\x80");
  // A lead byte without its continuation counts as one byte.
  EXPECT_EQ(CutUtf8("ab\xc3zz", 3), "ab\xc3");
  EXPECT_EQ(CutUtf8("\xff\xff", 1), "\xff");
  EXPECT_EQ(CutUtf8("", 0), "");
}

TEST(Utf8Test, AcceptsValidText) {
  for (const std::string_view text :
       {"", "plain", "\xc3\xa9", "\xed\x9f\xbf", "\xee\x80\x80", "\xf4\x8f\xbf\xbf"}) {
    EXPECT_TRUE(IsValidUtf8(text)) << text;
    std::string scratch;
    EXPECT_EQ(ToValidUtf8(text, scratch).data(), text.data()) << "valid text is not copied";
  }
  EXPECT_TRUE(IsValidUtf8(std::string_view("a\0b", 3)));
}

TEST(Utf8Test, RejectsInvalidText) {
  for (const std::string_view text :
       {"\x80", "\xc0\xaf", "\xc1\xbf", "\xe0\x9f\xbf", "\xed\xa0\x80" /* a surrogate */,
        "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xff", "abc\xe2\x82",
        "\xe2\x28\xa1"}) {
    EXPECT_FALSE(IsValidUtf8(text));
    EXPECT_TRUE(IsValidUtf8(ToValidUtf8(text)));
  }
}

// The example of the Unicode standard, table 3-8 and its neighbours: one replacement for each
// maximal part of a character.
TEST(Utf8Test, ReplacesAsUnicodeRecommends) {
  const auto count = [](std::string_view text) {
    const std::string valid = ToValidUtf8(text);
    size_t found = 0;
    for (size_t at = 0; (at = valid.find(kReplacement, at)) != std::string::npos; ++found) {
      at += kReplacement.size();
    }
    return found;
  };
  EXPECT_EQ(ToValidUtf8("a\xf1\x80\x80\xe1\x80\xc2"
                        "b\x80"
                        "c\x80\xbf"
                        "d"),
            std::string("a") + std::string(kReplacement) + std::string(kReplacement) +
                std::string(kReplacement) + "b" + std::string(kReplacement) + "c" +
                std::string(kReplacement) + std::string(kReplacement) + "d");
  EXPECT_EQ(count("\xc0\xaf\xe0\x80\xbf\xf0\x81\x82"
                  "A"),
            8u);
  EXPECT_EQ(count("\xed\xa0\x80\xed\xbf\xbf\xed\xaf"
                  "A"),
            8u);
  EXPECT_EQ(ToValidUtf8("he\xfflo"), "he\xef\xbf\xbdlo");
}

TEST(Utf8Test, FindsTheValidPrefix) {
  EXPECT_EQ(ValidUtf8Prefix("ab\xc3\xa9"), "ab\xc3\xa9");
  EXPECT_EQ(ValidUtf8Prefix("ab\xc3"), "ab");
  EXPECT_EQ(ValidUtf8Prefix("\xff"), "");
}

TEST(Utf8Test, MakesInlineReferences) {
  std::string scratch;
  EXPECT_EQ(InlineUtf8("plain", scratch), StringRef::Inline("plain"));
  EXPECT_EQ(InlineUtf8("he\xfflo", scratch), StringRef::Inline("he\xef\xbf\xbdlo"));
  EXPECT_EQ(InlineUtf8("ab\xc3\xa9", scratch, 3), StringRef::Inline("ab"));
  EXPECT_TRUE(InlineUtf8("", scratch).is_empty());
  const std::string longest(100'000, 'x');
  EXPECT_EQ(InlineUtf8(longest, scratch).text.size(), kMaxStringBytes);
  EXPECT_EQ(InlineUtf8(longest, scratch, 100'000).text.size(), kMaxStringRefBytes);
}

}  // namespace
}  // namespace fxt
