// SPDX-License-Identifier: BSD-2-Clause
#include "capture/stack_cache.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "fxt_record/long_event.h"

namespace capture {
namespace {

using Frames = std::vector<uint64_t>;
using Words = std::vector<uint64_t>;

fxr_long& Event(Words& words, size_t size, uint64_t time) {
  words.assign(size / sizeof(uint64_t), 0);
  auto& event = reinterpret_cast<fxr_long&>(words[0]);
  event.header.time = time;
  event.header.type = FXR_SIDE_LONG;
  event.header.cpu = 3;
  event.header.size = static_cast<fxr_u32>(size);
  event.category = FXR_CATEGORY_STACK;
  return event;
}

Words Stack(uint64_t id, const Frames& frames, uint32_t user_frames) {
  Words words;
  const size_t bytes = frames.size() * sizeof(uint64_t);
  fxr_long& event = Event(words, FXR_LONG_SIZE(stack, bytes), 5);
  fxr_stack_long fields{};
  fields.kind = FXR_STACK_OFF;
  fields.user_frames = user_frames;
  fields.id = id;
  fields.end = FXR_STACK_END_NO_TABLE;
  fxr_pack_stack(&event, fields, static_cast<fxr_u32>(bytes));
  std::ranges::copy(frames, static_cast<uint64_t*>(fxr_stack_bytes(&event)));
  return words;
}

Words Again(uint64_t id, fxr_stack_kind kind = FXR_STACK_OFF) {
  Words words;
  fxr_long& event = Event(words, FXR_LONG_SIZE(stack_again, 0), 7);
  fxr_stack_again_long fields{};
  fields.kind = static_cast<fxr_u8>(kind);
  fields.tid = 41;
  fields.tgid = 40;
  fields.away = 1234;
  fields.id = id;
  fxr_pack_stack_again(&event, fields, 0);
  return words;
}

const fxr_side_header& HeaderOf(const Words& words) {
  return reinterpret_cast<const fxr_long&>(words[0]).header;
}

Frames FramesOf(const fxr_side_header& header) {
  const auto& event = reinterpret_cast<const fxr_long&>(header);
  const auto* frames = static_cast<const uint64_t*>(fxr_long_bytes(&event));
  return {frames, frames + event.bytes / sizeof(uint64_t)};
}

TEST(StackCacheTest, RestoresFramesById) {
  StackCache stacks;
  const Words sent = Stack(9, {0x10, 0x20, 0x30}, 2);
  EXPECT_EQ(&stacks.Complete(HeaderOf(sent)), &HeaderOf(sent));
  const Words again = Again(9);
  const fxr_side_header& whole = stacks.Complete(HeaderOf(again));
  EXPECT_EQ(whole.time, 7u);
  EXPECT_EQ(whole.cpu, 3u);
  fxr_stack_long fields;
  ASSERT_TRUE(fxr_unpack_stack(&reinterpret_cast<const fxr_long&>(whole), &fields));
  EXPECT_EQ(fields.kind, FXR_STACK_OFF);
  EXPECT_EQ(fields.tid, 41u);
  EXPECT_EQ(fields.tgid, 40u);
  EXPECT_EQ(fields.away, 1234u);
  EXPECT_EQ(fields.user_frames, 2u);
  EXPECT_EQ(fields.end, FXR_STACK_END_NO_TABLE);
  EXPECT_EQ(FramesOf(whole), (Frames{0x10, 0x20, 0x30}));
}

TEST(StackCacheTest, KeepsTheKindOfTheEvent) {
  StackCache stacks;
  stacks.Complete(HeaderOf(Stack(9, {0x10, 0x20}, 1)));
  const Words again = Again(9, FXR_STACK_ON);
  const fxr_side_header& whole = stacks.Complete(HeaderOf(again));
  fxr_stack_long fields;
  ASSERT_TRUE(fxr_unpack_stack(&reinterpret_cast<const fxr_long&>(whole), &fields));
  EXPECT_EQ(fields.kind, FXR_STACK_ON);
  EXPECT_EQ(FramesOf(whole), (Frames{0x10, 0x20}));
}

TEST(StackCacheTest, UnknownIdHasNoFrames) {
  StackCache stacks;
  EXPECT_EQ(FramesOf(stacks.Complete(HeaderOf(Again(9)))), Frames{});
  stacks.Complete(HeaderOf(Stack(0, {0x10}, 1)));  // id 0: not cached
  EXPECT_EQ(FramesOf(stacks.Complete(HeaderOf(Again(0)))), Frames{});
}

TEST(StackCacheTest, ForgetsAfterTwoGenerations) {
  StackCache stacks;
  uint64_t next = 1;
  const auto fill = [&] {
    while (!stacks.BeginGeneration()) stacks.Complete(HeaderOf(Stack(next++, {0x10}, 1)));
  };
  fill();
  EXPECT_EQ(next, StackCache::kMax + 1);
  EXPECT_EQ(FramesOf(stacks.Complete(HeaderOf(Again(1)))), Frames{0x10});
  fill();
  EXPECT_EQ(FramesOf(stacks.Complete(HeaderOf(Again(1)))), Frames{});
  EXPECT_EQ(FramesOf(stacks.Complete(HeaderOf(Again(next - 1)))), Frames{0x10});
}

TEST(StackCacheTest, PassesOtherEventsUnchanged) {
  StackCache stacks;
  fxr_side_header poke{};
  poke.type = FXR_SIDE_POKE;
  poke.size = sizeof(poke);
  EXPECT_EQ(&stacks.Complete(poke), &poke);
}

}  // namespace
}  // namespace capture
