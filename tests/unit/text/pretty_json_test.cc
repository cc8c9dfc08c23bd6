// SPDX-License-Identifier: BSD-2-Clause
#include "text/pretty_json.h"

#include <gtest/gtest.h>

#include <limits>

namespace text {
namespace {

TEST(PrettyJsonTest, AMemberOrElementALine) {
  PrettyJson json;
  json.BeginObject();
  json.Unsigned("most", std::numeric_limits<uint64_t>::max());
  json.Key("least").Signed(std::numeric_limits<int64_t>::min());
  json.Key("list").BeginArray().Double(1.5).Double(2).Null().EndArray();
  json.Key("none").BeginArray().EndArray();
  json.Key("empty").BeginObject().EndObject();
  json.Bool("yes", true).String("", "");
  json.EndObject();
  EXPECT_EQ(json.Text(), R"({
  "most": 18446744073709551615,
  "least": -9223372036854775808,
  "list": [
    1.5,
    2.0,
    null
  ],
  "none": [],
  "empty": {},
  "yes": true,
  "": ""
})");
}

TEST(PrettyJsonTest, TextIsAscii) {
  const auto text = [](std::string_view value) {
    PrettyJson json;
    json.String(value);
    return json.Text();
  };
  EXPECT_EQ(text("\"\\\n\x01\x1b"), R"("\"\\\n\u0001\u001B")");
  EXPECT_EQ(text("\x7f~"), R"("\u007F~")");
  EXPECT_EQ(text("\xc3\xa4\xf0\x9f\x98\x80"), R"("\u00E4\uD83D\uDE00")");
  EXPECT_EQ(text("a\xff"), R"("a\uFFFD")");
  EXPECT_EQ(text(std::string_view("a\0b", 3)), R"("a\u0000b")");
  EXPECT_EQ(text({}), R"("")");
}

TEST(PrettyJsonTest, WhatJsonHasNoNumberForIsNull) {
  PrettyJson json;
  json.BeginArray();
  for (const double value :
       {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
    json.Double(value);
  }
  EXPECT_EQ(json.EndArray().Text(), "[\n  null,\n  null\n]");
}

}  // namespace
}  // namespace text
