// SPDX-License-Identifier: BSD-2-Clause
#include "text/json_writer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "unit/support/json.h"

namespace text {
namespace {

template <typename T>
std::string Append(void (*append)(fmt::memory_buffer&, T), T value) {
  fmt::memory_buffer out;
  append(out, value);
  return fmt::to_string(out);
}
std::string String(std::string_view text) {
  return Append<std::string_view>(AppendJsonString, text);
}

std::string Indented(std::string_view text) {
  fmt::memory_buffer out;
  JsonWriter(out, JsonStyle::kIndented).String(text);
  return fmt::to_string(out);
}

TEST(JsonWriterTest, StringsReadBackUnchanged) {
  std::string every;
  for (int c = 0; c < 128; ++c) every += static_cast<char>(c);
  every += "\u00e4\u20ac\U0001f600";
  for (const std::string& text : {std::string(), std::string("plain"), every}) {
    for (const std::string& json : {String(text), Indented(text)}) {
      EXPECT_EQ(testing_support::ParseJson(json).get<std::string>(), text) << json;
      EXPECT_EQ(json.find('\n'), std::string::npos);
    }
  }
}

TEST(JsonWriterTest, ReplacesInvalidUtf8) {
  EXPECT_EQ(String("he\xfflo"), "\"he\xef\xbf\xbdlo\"");
  EXPECT_EQ(testing_support::ParseJson(String("\xc3")).get<std::string>(), "\xef\xbf\xbd");
}

TEST(JsonWriterTest, CompactStyleWritesIntegersBeyondDoublesAsStrings) {
  EXPECT_EQ(Append<uint64_t>(AppendJsonNumber, 0), "0");
  EXPECT_EQ(Append<uint64_t>(AppendJsonNumber, uint64_t{1} << 53), "9007199254740992");
  EXPECT_EQ(Append<uint64_t>(AppendJsonNumber, (uint64_t{1} << 53) + 1), "\"9007199254740993\"");
  EXPECT_EQ(Append<uint64_t>(AppendJsonNumber, ~uint64_t{0}), "\"18446744073709551615\"");
  EXPECT_EQ(Append<int64_t>(AppendJsonNumber, -5), "-5");
  EXPECT_EQ(Append<int64_t>(AppendJsonNumber, std::numeric_limits<int64_t>::min()),
            "\"-9223372036854775808\"");
}

TEST(JsonWriterTest, DoublesReadBackUnchanged) {
  for (const double value : {0.0, 1.5, -1234.5678, 1e300, 5e-324, 0.1}) {
    EXPECT_EQ(testing_support::ParseJson(Append<double>(AppendJsonNumber, value)).get<double>(),
              value);
  }
  EXPECT_EQ(Append<double>(AppendJsonNumber, std::nan("")), "\"NaN\"");
  EXPECT_EQ(Append<double>(AppendJsonNumber, HUGE_VAL), "\"Infinity\"");
  EXPECT_EQ(Append<double>(AppendJsonNumber, -HUGE_VAL), "\"-Infinity\"");
}

TEST(JsonWriterTest, WritesMicrosecondsExactly) {
  fmt::memory_buffer out;
  JsonWriter json(out);
  json.BeginArray().Microseconds(0).Microseconds(1'234'005).Microseconds(~uint64_t{0}).EndArray();
  EXPECT_EQ(fmt::to_string(out), "[0.000,1234.005,18446744073709551.615]");
}

TEST(JsonWriterTest, CompactStylePutsCommasAndRequestedLineBreaks) {
  fmt::memory_buffer out;
  JsonWriter json(out);
  json.BeginObject().Key("a").BeginArray();
  for (const int64_t i : {1, 2}) json.Line().BeginObject().Key("i").Signed(i).EndObject();
  json.EndArray().Key("b").Bool(true).Key("c").Null().Key("d").Hex(255);
  json.Key("e").BeginArray().EndArray().Key("f").BeginObject().EndObject().EndObject();
  EXPECT_EQ(
      fmt::to_string(out),
      "{\"a\":[\n{\"i\":1},\n{\"i\":2}],\"b\":true,\"c\":null,\"d\":\"0xff\",\"e\":[],\"f\":{}}");
}

TEST(JsonWriterTest, IndentedStylePutsOneElementALine) {
  fmt::memory_buffer out;
  JsonWriter json(out, JsonStyle::kIndented);
  json.BeginObject();
  json.Unsigned("most", std::numeric_limits<uint64_t>::max());
  json.Key("least").Signed(std::numeric_limits<int64_t>::min());
  json.Key("list").BeginArray().Double(1.5).Double(2).Double(-0.00001).Null().EndArray();
  json.Key("infinite").BeginArray().Double(HUGE_VAL).Double(std::nan("")).EndArray();
  json.Key("none").BeginArray().EndArray();
  json.Key("empty").BeginObject().EndObject();
  json.Bool("yes", true).String("", "");
  json.EndObject();
  EXPECT_EQ(fmt::to_string(out), R"({
  "most": 18446744073709551615,
  "least": -9223372036854775808,
  "list": [
    1.5,
    2.0,
    -1e-05,
    null
  ],
  "infinite": [
    null,
    null
  ],
  "none": [],
  "empty": {},
  "yes": true,
  "": ""
})");
}

TEST(JsonWriterTest, IndentedStyleIsAscii) {
  EXPECT_EQ(Indented("\"\\\n\x01\x1b\b\f\r\t"), R"("\"\\\n\u0001\u001B\b\f\r\t")");
  EXPECT_EQ(Indented("\x7f~"), R"("\u007F~")");
  EXPECT_EQ(Indented("\xc3\xa4\xf0\x9f\x98\x80"), R"("\u00E4\uD83D\uDE00")");
  EXPECT_EQ(Indented("a\xff"), R"("a\uFFFD")");
  EXPECT_EQ(Indented(std::string_view("a\0b", 3)), R"("a\u0000b")");
  EXPECT_EQ(Indented({}), R"("")");
}

}  // namespace
}  // namespace text
