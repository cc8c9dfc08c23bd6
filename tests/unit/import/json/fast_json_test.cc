// SPDX-License-Identifier: BSD-2-Clause
// FastJson must read the same as the full parser. EventParser uses FastJson where the text begins
// with a brace, so a leading space selects the full parser.
#include "import/json/fast_json.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <random>
#include <string>
#include <string_view>

#include "import/json/event_parser.h"
#include "unit/import/trace_event/example_json.h"

namespace importer {
namespace {

std::string Shown(const JsonValue& value) {
  const std::string place = fmt::format("{}:", value.index());
  return std::visit(
      [&](const auto& v) {
        using T = std::decay_t<decltype(v)>;
        if constexpr (std::is_same_v<T, std::monostate>)
          return place;
        else if constexpr (std::is_same_v<T, JsonText>)
          return fmt::format("{}{}", place, v.text);
        else if constexpr (std::is_same_v<T, double>)
          return fmt::format("{}{:x}", place, std::bit_cast<uint64_t>(v));
        else
          return fmt::format("{}{}", place, v);
      },
      value);
}

std::string Shown(const std::optional<int64_t>& time) {
  return time ? fmt::format("{}", *time) : std::string("none");
}

std::string Shown(const TraceEvent& event) {
  std::string all = fmt::format("{}|{}|{}|{}|{}|", static_cast<int>(event.phase), event.name,
                                event.category, Shown(event.time), Shown(event.duration));
  for (const JsonValue* value :
       {&event.pid, &event.tid, &event.id, &event.local_id, &event.global_id, &event.frame,
        &event.end_frame, &event.parent, &event.bind_id, &event.argument}) {
    all += Shown(*value) + "|";
  }
  all += fmt::format("{}|{}|{}|{}|{}|{}|{}", event.scope, event.instant_scope, event.binding_point,
                     event.stack, event.end_stack, event.flow_in, event.flow_out);
  for (const auto* members : {&event.arguments, &event.extra}) {
    all += "|";
    for (const JsonMember& member : *members)
      all += member.name, all += "=" + Shown(member.value) + ";";
  }
  for (const std::string_view name : event.unknown) all += fmt::format("|{}", name);
  return all;
}

struct CountingHandler {
  int calls = 0;
  bool StartObject() { return true; }
  bool EndObject(unsigned) { return true; }
  bool Key(const char*, unsigned, bool) { return ++calls, true; }
  bool String(const char*, unsigned, bool) { return ++calls, true; }
  bool Plain(const FastNumber&) { return ++calls, true; }
  bool Text(std::string_view) { return ++calls, true; }
  bool Bool(bool) { return ++calls, true; }
  bool Null() { return ++calls, true; }
  bool LooksInto(bool) const { return false; }
};

size_t PlainBytes(const std::string& text) {
  CountingHandler handler;
  return FastJson(std::string_view(text), handler).ReadObject();
}

// True if FastJson accepted the text.
bool ExpectBothSame(const std::string& text) {
  EventParser quick, whole;
  const std::string spaced = " " + text;
  const auto a = quick.Parse(text);
  const auto b = whole.Parse(spaced);
  EXPECT_EQ(static_cast<int>(a.verdict), static_cast<int>(b.verdict)) << text;
  if (a.verdict != EventParser::Verdict::kEvent) return false;
  EXPECT_EQ(a.bytes + 1, b.bytes) << text;
  EXPECT_EQ(Shown(quick.event()), Shown(whole.event())) << text;
  return PlainBytes(text) != 0;
}

TEST(FastJsonTest, AcceptsTypicalEvents) {
  for (
      const std::string text :
      {R"({})", R"({"ph":"X","ts":12.345,"dur":7,"pid":1,"tid":-2,"name":"a","cat":"b,c"})",
       R"({ "name" : "x" ,"args":{"a":1,"b":[1,{"c":null}],"d":{},"e":"f\"g\\","h":true,"i":1.25}})",
       R"({"id2":{"local":"0x1f"},"args":{"a":[[],[{}],"]}"]}} , {"next":1})",
       "{\"ts\":-0,\"dur\":0.0005,\n\t\"tts\":123456789012345678,\"args\":{\"\":-0.0}}",
       R"({"args":[1,2],"flow_in":true,"bind_id":"0x1","weird":{"a":"\/"},"a long name of a field":1})",
       "{\"name\":\"\xc3\xa9\x7f\xff\"}"}) {
    EXPECT_TRUE(ExpectBothSame(text)) << text;
  }
}

TEST(FastJsonTest, LeavesRareInputToTheFullParser) {
  for (const std::string text : {R"({"ts":1e3})",
                                 R"({"ts":1234567890123456789})",
                                 R"({"name":"\u00e9"})",
                                 R"({"a":NaN})",
                                 R"({"args":{"a":1,}})",
                                 R"({"a":01})",
                                 R"({"a":1.})",
                                 R"({"a":-})",
                                 R"({"a":tru})",
                                 R"({"a" 1})",
                                 R"({"a":1 "b":2})",
                                 R"({a:1})",
                                 R"({"a":"b)",
                                 R"({"a":[1,)",
                                 R"({"a":[1})",
                                 R"({"a":{"b"}})",
                                 "{\"a\":\"\x01\"}",
                                 "{\"a\":\"\\x\"}",
                                 R"({"stack":["a","b"]})",
                                 R"({"args":{"a":{"b":[1,]}}})",
                                 R"({"a":[1e999]})",
                                 R"(7)",
                                 R"([])",
                                 ""}) {
    ExpectBothSame(text);
    // The event parser itself reads lists of frames.
    if (text != R"({"stack":["a","b"]})") {
      EXPECT_EQ(PlainBytes(text), 0u) << text;
    }
  }
  const std::string deep = R"({"a":)" + std::string(100, '[') + std::string(100, ']') + "}";
  EXPECT_EQ(PlainBytes(deep), 0u);
  ExpectBothSame(deep);
}

TEST(FastJsonTest, AgreesWithTheFullParserOnDamagedText) {
  constexpr std::string_view kBytes = "{}[]\",:\\0\x01\xff-.eE9ntu ";
  const std::string example = testing::EveryPhase();
  std::vector<std::string> events;
  for (size_t at = example.find("{\"ph\""); at != std::string::npos;
       at = example.find("{\"ph\"", at + 1)) {
    EventParser parser;
    const std::string rest = example.substr(at);
    const auto answer = parser.Parse(rest);
    if (answer.verdict == EventParser::Verdict::kEvent)
      events.push_back(rest.substr(0, answer.bytes));
  }
  ASSERT_GT(events.size(), 20u);
  size_t taken = 0;
  for (unsigned round = 0; round < 20'000; ++round) {
    std::mt19937 random(round);
    std::string text = events[random() % events.size()];
    for (unsigned changes = 1 + random() % 3; changes-- > 0;) {
      const size_t at = random() % (text.size() + 1);
      switch (random() % 3) {
        case 0:
          text.insert(at, 1, kBytes[random() % kBytes.size()]);
          break;
        case 1:
          text.erase(at, random() % 4);
          break;
        default:
          text.insert(at, text.substr(random() % text.size(), random() % 30));
      }
      if (text.empty()) text = "{";
    }
    taken += ExpectBothSame(text) ? 1 : 0;
    if (HasFailure()) break;
  }
  EXPECT_GT(taken, 1000u);
}

}  // namespace
}  // namespace importer
