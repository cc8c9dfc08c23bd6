// SPDX-License-Identifier: BSD-2-Clause
#include "text/json_document.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

namespace text {
namespace {

constexpr int kMaxDepth = 32;

rapidjson::Document Parsed(std::string_view text) {
  auto json = ParseJson(text, kMaxDepth);
  EXPECT_TRUE(json) << text;
  return json ? std::move(*json) : rapidjson::Document();
}

TEST(JsonDocumentTest, KeepsEveryKindOfValue) {
  const auto json = Parsed(R"( {"text":"a\u00e4\u0000","yes":true,"none":null,"least":-3,"half":0.5,
                               "most":18446744073709551615,"list":[1,[],{"x":2}],"":{}} )");
  EXPECT_EQ(StringOf(FindMember(json, "text")), std::string_view("a\xc3\xa4\0", 4));
  EXPECT_TRUE(FindMember(json, "yes")->IsTrue());
  EXPECT_TRUE(FindMember(json, "none")->IsNull());
  EXPECT_EQ(FindMember(json, "least")->GetDouble(), -3);
  EXPECT_EQ(FindMember(json, "half")->GetDouble(), 0.5);
  EXPECT_EQ(UnsignedOf(FindMember(json, "most")), std::numeric_limits<uint64_t>::max());
  const auto list = FindMember(json, "list")->GetArray();
  ASSERT_EQ(list.Size(), 3U);
  EXPECT_EQ(UnsignedOf(&list[0]), 1U);
  EXPECT_TRUE(list[1].GetArray().Empty());
  EXPECT_EQ(UnsignedOf(FindMember(list[2], "x")), 2U);
  EXPECT_TRUE(FindMember(json, "")->GetObject().ObjectEmpty());
}

TEST(JsonDocumentTest, AccessorsAreEmptyForOtherTypes) {
  const auto json = Parsed(R"({"text":"1","minus":-1,"point":1.0,"yes":true,"list":["x"]})");
  EXPECT_EQ(UnsignedOf(FindMember(json, "text")), std::nullopt);
  EXPECT_EQ(UnsignedOf(FindMember(json, "minus")), std::nullopt);
  EXPECT_EQ(UnsignedOf(FindMember(json, "point")), std::nullopt);
  EXPECT_EQ(UnsignedOf(FindMember(json, "yes")), std::nullopt);
  EXPECT_EQ(StringOf(FindMember(json, "yes")), std::nullopt);
  EXPECT_EQ(FindMember(*FindMember(json, "list"), "x"), nullptr);
  EXPECT_EQ(FindMember(json, "nothing"), nullptr);
  EXPECT_EQ(StringOf(nullptr), std::nullopt);
  EXPECT_EQ(UnsignedOf(nullptr), std::nullopt);
}

TEST(JsonDocumentTest, FindsTheFirstMemberOfAName) {
  EXPECT_EQ(UnsignedOf(FindMember(Parsed(R"({"a":1,"a":2})"), "a")), 1U);
}

TEST(JsonDocumentTest, RefusesOtherText) {
  for (const char* text : {"", "{", "[] x", "{\"a\":1e999}", "{\"a\":01}", "{a:1}",
                           "{\"a\":\"\xff\"}", "{\"a\":1,}", "NaN"}) {
    EXPECT_FALSE(ParseJson(text, kMaxDepth)) << text;
    EXPECT_FALSE(IsJson(text)) << text;
  }
  for (const char* text : {"1", " [] ", "\"a\"", "null"}) {
    EXPECT_TRUE(ParseJson(text, kMaxDepth)) << text;
    EXPECT_TRUE(IsJson(text)) << text;
  }
}

TEST(JsonDocumentTest, LimitsDepth) {
  const auto nested = [](int depth) {
    return std::string(static_cast<size_t>(depth), '[') +
           std::string(static_cast<size_t>(depth), ']');
  };
  EXPECT_TRUE(ParseJson(nested(kMaxDepth), kMaxDepth));
  const auto deeper = ParseJson(nested(kMaxDepth + 1), kMaxDepth);
  ASSERT_FALSE(deeper);
  EXPECT_NE(deeper.error().message.find("too deep"), std::string::npos);
  EXPECT_TRUE(IsJson(nested(1000)));
  EXPECT_FALSE(IsJson(nested(1001)));
}

}  // namespace
}  // namespace text
