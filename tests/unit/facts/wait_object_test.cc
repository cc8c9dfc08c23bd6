// SPDX-License-Identifier: BSD-2-Clause
#include "facts/wait_object.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "fxt/byte_source.h"
#include "unit/fxt/support/file_builder.h"

namespace facts {
namespace {

fxt::StringRef Text(std::string_view text) { return fxt::StringRef::Inline(text); }

std::optional<WaitObject> Read(std::string_view category, std::string_view name,
                               const std::vector<fxt::Argument>& arguments,
                               fxt::EventType type = fxt::EventType::kInstant) {
  fxt::testing::FileBuilder file;
  file.Add(fxt::Event{.type = type,
                      .timestamp = 10,
                      .thread = fxt::ThreadRef::Inline(1, 7),
                      .category = Text(category),
                      .name = Text(name),
                      .arguments = arguments});
  fxt::MemorySource source(file.bytes());
  fxt::Reader reader(source);
  while (reader.Next() == fxt::ReadStatus::kRecord) {
    if (const auto* event = std::get_if<fxt::Event>(&reader.record())) return AsWaitObject(*event);
  }
  return std::nullopt;
}

TEST(WaitObjectTest, HasWhatTheInstantSays) {
  const auto object = Read("wait", "waited",
                           {{Text("syscall"), Text("futex")},
                            {Text("object_kind"), Text("futex")},
                            {Text("object"), Text("0x7000")},
                            {Text("peer"), fxt::KoidValue{8}},
                            {Text("asked"), uint64_t{5'000}}});
  ASSERT_TRUE(object);
  EXPECT_EQ(object->syscall, "futex");
  EXPECT_EQ(object->kind, "futex");
  EXPECT_EQ(object->object, "0x7000");
  EXPECT_EQ(object->function, "");
  EXPECT_EQ(object->peer, 8u);
  EXPECT_EQ(object->asked, 5'000u);
  EXPECT_EQ(object->Text(), "futex 0x7000");
}

TEST(WaitObjectTest, WhatIsNotSaidIsNotKnown) {
  const auto object = Read("wait", "waited", {});
  ASSERT_TRUE(object);
  EXPECT_EQ(*object, WaitObject{});
  EXPECT_EQ(object->Text(), "");
  // Arguments of other types.
  EXPECT_EQ(Read("wait", "waited", {{Text("asked"), int32_t{-1}}, {Text("peer"), uint64_t{8}}}),
            WaitObject{});
}

TEST(WaitObjectTest, OtherEventsAreNone) {
  EXPECT_FALSE(Read("wait", "slept", {}));
  EXPECT_FALSE(Read("waits", "waited", {}));
  EXPECT_FALSE(Read("wait", "waited", {}, fxt::EventType::kDurationBegin));
}

// A few bytes of a file refer to a string of 32 KB; thousands of objects may be open.
TEST(WaitObjectTest, CutsLongTexts) {
  const std::string text(32'000, 'x');
  const auto object =
      Read("wait", "waited", {{Text("syscall"), Text("read")}, {Text("object"), Text(text)}});
  ASSERT_TRUE(object);
  EXPECT_EQ(object->syscall, "read");
  EXPECT_EQ(object->object, text.substr(0, WaitObject::kMaxTextBytes));
}

}  // namespace
}  // namespace facts
