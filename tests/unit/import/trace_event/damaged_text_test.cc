// SPDX-License-Identifier: BSD-2-Clause
// Trace Event text that is cut, malformed or absent.
#include <gtest/gtest.h>

#include <cstdlib>
#include <random>
#include <string>
#include <string_view>

#include "import/trace_event/trace_event_stats.h"
#include "unit/import/trace_event/example_json.h"
#include "unit/import/trace_event/imported.h"

namespace importer {
namespace {

using testing::BackToJson;
using testing::ExpectSound;
using testing::Import;
using testing::Imported;

TEST(DamagedTextTest, AcceptsArraysWithoutAnEnd) {
  for (const std::string text :
       {R"([{"ph":"i","ts":1,"pid":1,"tid":1,"name":"x"})",
        R"([{"ph":"i","ts":1,"pid":1,"tid":1,"name":"x"},)",
        R"([{"ph":"i","ts":1,"pid":1,"tid":1,"name":"x"},{"ph":"i","ts":2,"na)",
        R"({"traceEvents":[{"ph":"i","ts":1,"pid":1,"tid":1,"name":"x"})"}) {
    SCOPED_TRACE(text);
    Imported imported;
    Import(text, imported);
    ExpectSound(imported);
    EXPECT_EQ(imported.stats.events, 1u);
    EXPECT_EQ(imported.stats.broken, 0u);
    EXPECT_TRUE(imported.stats.open_ended || imported.stats.cut);
  }
}

TEST(DamagedTextTest, SkipsOnlyABrokenEvent) {
  Imported imported;
  Import(
      "[{\"ph\":\"i\",\"ts\":1,\"name\":\"a\"},{\"ph\":\"i\",\"ts\":2,\"name\":\"b\x01\"},{\"ph\":"
      "oops},7,"
      "{\"ph\":\"i\",\"ts\":3,\"name\":\"c\"}]",
      imported);
  ExpectSound(imported);
  EXPECT_EQ(imported.stats.events, 2u);
  EXPECT_EQ(imported.stats.broken, 3u);
  EXPECT_EQ(imported.stats.first_broken, 30u);
}

TEST(DamagedTextTest, LimitsNesting) {
  Imported imported;
  Import(R"([{"ph":"i","ts":1,"args":{"x":)" + std::string(1'000'000, '['), imported);
  EXPECT_EQ(imported.stats.broken + imported.stats.cut, 2u);
}

TEST(DamagedTextTest, DropsEndsWithoutABegin) {
  Imported imported;
  Import(R"([{"ph":"E","ts":1,"pid":1,"tid":1},{"ph":"e","cat":"c","id":1,"ts":2,"pid":1,"tid":1},
             {"ph":"f","cat":"c","id":1,"ts":3,"pid":1,"tid":1,"bp":"e"},
             {"ph":"n","cat":"c","id":1,"ts":4,"pid":1,"tid":1,"name":"step"}])",
         imported);
  ExpectSound(imported);
  EXPECT_EQ(imported.stats.lone_ends, 3u);
  EXPECT_EQ(imported.stats.lone_steps, 1u);
}

// More open spans than the limit.
TEST(DamagedTextTest, LimitsOpenSpans) {
  std::string text = "[";
  for (int i = 0; i < 100'001; ++i) text += R"({"ph":"B","ts":1,"pid":1,"tid":1,"name":"open"},)";
  for (const char* phase : {"B", "E", "E", "E"}) {
    text += R"({"ph":")" + std::string(phase) + R"(","ts":2,"pid":1,"tid":2},)";
  }
  Imported imported;
  Import(text, imported);
  ExpectSound(imported);
  EXPECT_EQ(imported.stats.events, 100'005u);
  EXPECT_EQ(imported.stats.lone_ends, 2u);
}

TEST(DamagedTextTest, RefusesOtherText) {
  for (const std::string text : {"", "hello", "  ", "\"x\"", "17"}) {
    Imported imported;
    Import(text, imported);
    EXPECT_NE(imported.error, "") << text;
  }
}

// FXT_DAMAGE_ROUNDS sets a longer run.
TEST(DamagedTextTest, WritesValidTraces) {
  const char* rounds_text = std::getenv("FXT_DAMAGE_ROUNDS");
  const size_t rounds = rounds_text != nullptr ? std::strtoull(rounds_text, nullptr, 10) : 300;
  const std::string whole = testing::EveryPhase();
  constexpr std::string_view kBytes = "{}[]\",:\\0\x01\xff-.eE9n";
  for (size_t round = 0; round < rounds; ++round) {
    SCOPED_TRACE(round);
    std::mt19937 random(static_cast<unsigned>(round));
    std::string text = whole;
    for (unsigned changes = 1 + random() % 5; changes-- > 0 && !text.empty();) {
      const size_t at = random() % text.size();
      const size_t many = random() % 20;
      switch (random() % 4) {
        case 0:
          text[at] = kBytes[random() % kBytes.size()];
          break;
        case 1:
          text.erase(at, many);
          break;
        case 2:
          text.insert(at, text.substr(random() % text.size(), many * 10));
          break;
        default:
          text[at] = static_cast<char>(random());
      }
    }
    if (random() % 4 == 0) text.resize(random() % (text.size() + 1));
    Imported imported;
    Import(text, imported, random() % 8 == 0);
    if (!imported.error.empty()) continue;
    ExpectSound(imported);
    BackToJson(imported);
    if (::testing::Test::HasFailure()) break;
  }
}

}  // namespace
}  // namespace importer
