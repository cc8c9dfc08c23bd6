// SPDX-License-Identifier: BSD-2-Clause
#include "control/protocol/json.h"

#include <gtest/gtest.h>

#include <limits>

namespace control {
namespace {

Json Parsed(std::string_view text) {
  auto json = ParseObject(text);
  EXPECT_TRUE(json) << text;
  return json ? std::move(*json) : Json();
}

TEST(JsonTest, HasWhatStandsThere) {
  const Json json = Parsed(R"( {"text":"a\u00e4\u0000","yes":true,"none":null,"least":-3,"half":0.5,
                               "most":18446744073709551615,"list":[1,[],{"x":2}],"":{}} )");
  EXPECT_EQ(*json.Find("text")->AsString(), std::string("a\xc3\xa4\0", 4));
  EXPECT_TRUE(*json.Find("yes")->AsBool());
  EXPECT_TRUE(json.Find("none")->IsNull());
  EXPECT_EQ(json.Find("least")->AsNumber(), -3);
  EXPECT_EQ(json.Find("half")->AsNumber(), 0.5);
  EXPECT_EQ(*json.Find("most")->AsWhole(), std::numeric_limits<uint64_t>::max());
  const Json::Array& list = *json.Find("list")->AsArray();
  ASSERT_EQ(list.size(), 3U);
  EXPECT_EQ(list[0].AsNumber(), 1);
  EXPECT_TRUE(list[1].AsArray()->empty());
  EXPECT_EQ(*list[2].Find("x")->AsWhole(), 2U);
  EXPECT_TRUE(json.Find("")->AsObject()->names.empty());
  EXPECT_EQ(json.AsObject()->names[1], "yes");
  EXPECT_EQ(json.Find("nothing"), nullptr);
}

TEST(JsonTest, IsNothingElse) {
  const Json json = Parsed(R"({"text":"1","minus":-1,"point":1.0,"yes":true,"list":["x"]})");
  EXPECT_EQ(json.Find("text")->AsNumber(), std::nullopt);
  EXPECT_EQ(json.Find("minus")->AsWhole(), nullptr);
  EXPECT_EQ(json.Find("point")->AsWhole(), nullptr);
  EXPECT_EQ(json.Find("yes")->AsWhole(), nullptr);
  EXPECT_EQ(json.Find("yes")->AsString(), nullptr);
  EXPECT_EQ(json.Find("text")->AsBool(), nullptr);
  EXPECT_EQ(json.Find("list")->AsObject(), nullptr);
  EXPECT_EQ(json.Find("list")->Find("x"), nullptr);
  EXPECT_EQ(json.AsArray(), nullptr);
  EXPECT_FALSE(json.IsNull());
}

TEST(JsonTest, MembersAreTakenOut) {
  Json json = Parsed(R"({"a":{"b":1}})");
  const Json taken = json.Take("a");
  EXPECT_EQ(*taken.Find("b")->AsWhole(), 1U);
  EXPECT_TRUE(json.Find("a")->IsNull());
  EXPECT_TRUE(json.Take("c").IsNull());
  EXPECT_TRUE(Json::EmptyObject().AsObject()->names.empty());
}

TEST(JsonTest, WhatIsNoObjectIsRefused) {
  for (const char* text : {"", "{", "[]", "1", "{} x", "{\"a\":1e999}", "{\"a\":01}", "{a:1}",
                           "{\"a\":\"\xff\"}", "{\"a\":1,}"}) {
    EXPECT_FALSE(ParseObject(text)) << text;
  }
}

TEST(JsonTest, NestingHasAnEnd) {
  const auto nested = [](int depth) {
    return "{\"a\":" + std::string(static_cast<size_t>(depth - 1), '[') +
           std::string(static_cast<size_t>(depth - 1), ']') + "}";
  };
  EXPECT_TRUE(ParseObject(nested(kMaxDepth)));
  const auto deeper = ParseObject(nested(kMaxDepth + 1));
  ASSERT_FALSE(deeper);
  EXPECT_NE(deeper.error().message.find("too deep"), std::string::npos);
}

}  // namespace
}  // namespace control
