// SPDX-License-Identifier: BSD-2-Clause
#include "facts/settings_event.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace facts {
namespace {

using fxt::Argument;
using fxt::StringRef;

fxt::Event Instant(std::string_view category, std::string_view name,
                   std::span<const Argument> arguments) {
  return {.type = fxt::EventType::kInstant,
          .timestamp = 1,
          .thread = fxt::ThreadRef::Inline(1, 1),
          .category = StringRef::Inline(category),
          .name = StringRef::Inline(name),
          .arguments = arguments};
}

TEST(SettingsEventTest, ReadsSubjectProcessAndValues) {
  const std::array arguments = {Argument{StringRef::Inline("subject"), StringRef::Inline("app")},
                                Argument{StringRef::Inline("process"), fxt::KoidValue{7}},
                                Argument{StringRef::Inline("nice"), int64_t{-5}},
                                Argument{StringRef::Inline("policy"), StringRef::Inline("rr")}};
  const auto event = AsSettings(Instant("settings", "process", arguments));
  ASSERT_TRUE(event);
  EXPECT_EQ(event->scope, schema::SettingScope::kProcess);
  EXPECT_EQ(event->subject, "app");
  EXPECT_EQ(event->process, fxt::Koid{7});
  ASSERT_EQ(event->values.size(), 2U);
  EXPECT_EQ(SettingText(event->values[0].value), "-5");
  EXPECT_EQ(SettingText(event->values[1].value), "rr");
}

TEST(SettingsEventTest, OtherEventsAreNone) {
  const std::array process = {Argument{StringRef::Inline("process"), fxt::KoidValue{7}}};
  EXPECT_FALSE(AsSettings(Instant("sched", "system", {})));
  EXPECT_FALSE(AsSettings(Instant("settings", "unknown", {})));
  EXPECT_FALSE(AsSettings(Instant("settings", "process", {})));
  EXPECT_FALSE(AsSettings(Instant("settings", "system", process)));
  EXPECT_TRUE(AsSettings(Instant("settings", "system", {})));
}

}  // namespace
}  // namespace facts
