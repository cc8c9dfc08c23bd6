// SPDX-License-Identifier: BSD-2-Clause
#include "text/json_text.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "text/json_writer.h"
#include "unit/support/json.h"

namespace text {
namespace {

template <typename T>
std::string Of(void (*append)(fmt::memory_buffer&, T), T value) {
  fmt::memory_buffer out;
  append(out, value);
  return fmt::to_string(out);
}
std::string String(std::string_view text) {
  return Of<std::string_view>(text::AppendJsonString, text);
}

TEST(JsonTextTest, StringsReadBackTheSame) {
  std::string every;
  for (int c = 0; c < 128; ++c) every += static_cast<char>(c);
  every += "\u00e4\u20ac\U0001f600";
  for (const std::string& text : {std::string(), std::string("plain"), every}) {
    const std::string json = String(text);
    EXPECT_EQ(testing_support::ParseJson(json).get<std::string>(), text) << json;
    EXPECT_EQ(json.find('\n'), std::string::npos);
  }
}

TEST(JsonTextTest, WhatIsNotUtf8IsReplaced) {
  EXPECT_EQ(String("he\xfflo"), "\"he\xef\xbf\xbdlo\"");
  EXPECT_EQ(testing_support::ParseJson(String("\xc3")).get<std::string>(), "\xef\xbf\xbd");
}

TEST(JsonTextTest, NumbersThatDoublesRoundAreStrings) {
  EXPECT_EQ(Of<uint64_t>(text::AppendJsonNumber, 0), "0");
  EXPECT_EQ(Of<uint64_t>(text::AppendJsonNumber, uint64_t{1} << 53), "9007199254740992");
  EXPECT_EQ(Of<uint64_t>(text::AppendJsonNumber, (uint64_t{1} << 53) + 1), "\"9007199254740993\"");
  EXPECT_EQ(Of<uint64_t>(text::AppendJsonNumber, ~uint64_t{0}), "\"18446744073709551615\"");
  EXPECT_EQ(Of<int64_t>(text::AppendJsonNumber, -5), "-5");
  EXPECT_EQ(Of<int64_t>(text::AppendJsonNumber, std::numeric_limits<int64_t>::min()),
            "\"-9223372036854775808\"");
}

TEST(JsonTextTest, DoublesReadBackTheSame) {
  for (const double value : {0.0, 1.5, -1234.5678, 1e300, 5e-324, 0.1}) {
    EXPECT_EQ(testing_support::ParseJson(Of<double>(text::AppendJsonNumber, value)).get<double>(),
              value);
  }
  EXPECT_EQ(Of<double>(text::AppendJsonNumber, std::nan("")), "\"NaN\"");
  EXPECT_EQ(Of<double>(text::AppendJsonNumber, HUGE_VAL), "\"Infinity\"");
  EXPECT_EQ(Of<double>(text::AppendJsonNumber, -HUGE_VAL), "\"-Infinity\"");
}

TEST(JsonTextTest, MicrosecondsAreExact) {
  EXPECT_EQ(Of<uint64_t>(text::AppendJsonMicroseconds, 0), "0.000");
  EXPECT_EQ(Of<uint64_t>(text::AppendJsonMicroseconds, 1'234'005), "1234.005");
  EXPECT_EQ(Of<uint64_t>(text::AppendJsonMicroseconds, ~uint64_t{0}), "18446744073709551.615");
}

TEST(JsonWriterTest, PutsCommasAndLines) {
  fmt::memory_buffer out;
  text::JsonWriter json(out);
  json.BeginObject().Key("a").BeginArray();
  for (const int64_t i : {1, 2}) json.Line().BeginObject().Key("i").Signed(i).EndObject();
  json.EndArray().Key("b").Bool(true).Key("c").Null().Key("d").Hex(255);
  json.Key("e").BeginArray().EndArray().Key("f").BeginObject().EndObject().EndObject();
  EXPECT_EQ(
      fmt::to_string(out),
      "{\"a\":[\n{\"i\":1},\n{\"i\":2}],\"b\":true,\"c\":null,\"d\":\"0xff\",\"e\":[],\"f\":{}}");
}

}  // namespace
}  // namespace text
