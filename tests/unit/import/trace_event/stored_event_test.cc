// SPDX-License-Identifier: BSD-2-Clause
#include "import/trace_event/stored_event.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

namespace importer {
namespace {

StoredText Numbered(uint32_t number) { return {number, {}}; }
StoredText Itself(std::string_view text) { return {StringTable::kNone, text}; }

void ExpectSame(const StoredText& a, const StoredText& b) {
  EXPECT_EQ(a.number, b.number);
  if (a.number == StringTable::kNone) {
    EXPECT_EQ(a.text, b.text);
  }
}

// Encodes and decodes, in reused memory.
void ExpectComesBack(const StoredEvent& event) {
  static std::vector<std::byte> room;
  static StoredEvent back;
  const auto bytes = Encode(event, room);
  EXPECT_EQ(KindOf(bytes), event.kind);
  Decode(bytes, back);
  EXPECT_EQ(back.kind, event.kind);
  EXPECT_EQ(back.thread, event.thread);
  EXPECT_EQ(back.payload, event.payload);
  EXPECT_EQ(back.second_thread, event.second_thread);
  EXPECT_EQ(back.cpu, event.cpu);
  ExpectSame(event.category, back.category);
  ExpectSame(event.name, back.name);
  ASSERT_EQ(back.arguments.size(), event.arguments.size());
  for (size_t i = 0; i < event.arguments.size(); ++i) {
    const StoredArgument& a = event.arguments[i];
    const StoredArgument& b = back.arguments[i];
    ExpectSame(a.name, b.name);
    ASSERT_EQ(a.value.index(), b.value.index());
    if (const auto* json = std::get_if<JsonText>(&a.value)) {
      EXPECT_EQ(json->text, std::get_if<JsonText>(&b.value)->text);
    } else if (std::holds_alternative<std::string_view>(a.value)) {
      ExpectSame(a.text, b.text);
    } else {
      EXPECT_TRUE(a.value.index() == 0 || std::visit(
                                              [&](const auto& v) {
                                                using T = std::decay_t<decltype(v)>;
                                                if constexpr (std::is_arithmetic_v<T>)
                                                  return v == *std::get_if<T>(&b.value);
                                                return false;
                                              },
                                              a.value));
    }
  }
}

TEST(StoredEventTest, EncodesNumbersOfAllSizes) {
  StoredEvent event;
  for (unsigned bit = 0; bit < 64; ++bit) {
    event.payload = (uint64_t{1} << bit) - (bit % 2);
    event.thread = static_cast<uint32_t>(event.payload);
    ExpectComesBack(event);
  }
  event.payload = UINT64_MAX;
  event.thread = UINT32_MAX;
  ExpectComesBack(event);
}

TEST(StoredEventTest, EncodesSwitches) {
  for (const StoredKind kind : {StoredKind::kSwitch, StoredKind::kWakeup}) {
    StoredEvent event;
    event.kind = kind;
    event.second_thread = UINT32_MAX;
    event.cpu = 511;
    ExpectComesBack(event);
  }
}

TEST(StoredEventTest, EncodesArgumentsOfEveryType) {
  const std::string longer(30'000, 'x');
  StoredEvent event;
  event.kind = StoredKind::kDurationComplete;
  event.category = Numbered(29'999);
  event.name = Itself(longer);
  const auto add = [&](const StoredText& name, const JsonValue& value,
                       const StoredText& text = {}) {
    event.arguments.push_back({name, value, text});
  };
  add(Itself(""), std::monostate());
  add(Numbered(0), true);
  add(Itself("n"), false);
  for (const int64_t number : {int64_t{0}, int64_t{-1}, int64_t{63}, INT64_MIN, INT64_MAX}) {
    add(Numbered(1), number);
  }
  add(Numbered(2), UINT64_MAX);
  add(Numbered(3), -0.5);
  add(Numbered(4), std::string_view("text"), Itself("text"));
  add(Numbered(5), std::string_view("known"), Numbered(77));
  add(Numbered(6), JsonText{longer});
  ExpectComesBack(event);
  event.arguments.resize(1);
  ExpectComesBack(event);
}

}  // namespace
}  // namespace importer
