// SPDX-License-Identifier: BSD-2-Clause
#include "import/json/unescape.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "fxt/utf8.h"

namespace importer {
namespace {

std::string Of(std::string_view packed) {
  std::string out = "what was there before";
  Unescape(packed, out);
  return out;
}

TEST(UnescapeTest, KeepsText) {
  EXPECT_EQ(Of(""), "");
  EXPECT_EQ(Of("plain \xc3\xa4 text"), "plain \xc3\xa4 text");
}

TEST(UnescapeTest, DecodesEscapes) {
  EXPECT_EQ(Of(R"(\"\\\/\b\f\n\r\t)"), "\"\\/\b\f\n\r\t");
  EXPECT_EQ(Of(R"(\\n)"), "\\n");
  EXPECT_EQ(Of(R"(\u0041\u00e4\u20ac)"), "A\xc3\xa4\xe2\x82\xac");
  EXPECT_EQ(Of(R"(\u00E4b)"),
            "\xc3\xa4"
            "b");
  EXPECT_EQ(Of(R"(a\u0000b)"), std::string("a\0b", 3));
}

TEST(UnescapeTest, DecodesSurrogatePairs) {
  EXPECT_EQ(Of(R"(\ud83d\ude00!)"), "\xf0\x9f\x98\x80!");
  EXPECT_EQ(Of(R"(\udbff\udfff)"), "\xf4\x8f\xbf\xbf");
}

TEST(UnescapeTest, ReplacesUnpairedSurrogates) {
  constexpr const char* kReplaced = "\xef\xbf\xbd";
  EXPECT_EQ(Of(R"(\ud83d)"), kReplaced);
  EXPECT_EQ(Of(R"(\ude00)"), kReplaced);
  EXPECT_EQ(Of(R"(\ud83d\u0041)"), std::string(kReplaced) + "A");
  EXPECT_EQ(Of(R"(\ud83d\ud83d\ude00)"), std::string(kReplaced) + "\xf0\x9f\x98\x80");
  EXPECT_EQ(Of(R"(\ud83d\u12)"), std::string(kReplaced) + "\\u12");
}

TEST(UnescapeTest, KeepsInvalidEscapes) {
  for (const char* text : {"\\", "a\\", "\\x", "\\u", "\\u1", "\\u12g4", "\\u 123", "\\u-123"}) {
    EXPECT_EQ(Of(text), text) << text;
  }
}

// For any input, reads nothing beyond it and returns valid text.
TEST(UnescapeTest, AcceptsAnyBytes) {
  constexpr std::string_view kParts = "\\\\\\uuuddDD8cC0012f\"nt ";
  std::mt19937 dice(3);
  for (int round = 0; round < 20'000; ++round) {
    std::string packed(dice() % 24, ' ');
    for (char& c : packed) c = kParts[dice() % kParts.size()];
    const std::string out = Of(packed);
    ASSERT_EQ(fxt::ToValidUtf8(out), out) << packed;
    ASSERT_LE(out.size(), packed.size());
  }
}

}  // namespace
}  // namespace importer
