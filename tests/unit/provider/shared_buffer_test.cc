// SPDX-License-Identifier: BSD-2-Clause
#include "provider/shared_buffer.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "unit/provider/fake_provider.h"

namespace provider {
namespace {

using testing::FakeProvider;

TEST(SharedBufferTest, DescribesItselfInTheHeader) {
  auto buffer = SharedBuffer::Make({.mode = FXT_MODE_CIRCULAR,
                                    .clock = FXT_CLOCK_COUNTER,
                                    .bytes = 1 << 20,
                                    .categories = {"one", "two"}});
  ASSERT_TRUE(buffer);
  FakeProvider provider(*buffer);
  EXPECT_EQ(provider.header().magic, FXT_BUFFER_MAGIC);
  EXPECT_EQ(provider.header().blocks, 64u);
  EXPECT_EQ(provider.header().bytes, fxt_buffer_bytes(64));
  EXPECT_EQ(provider.header().mode, static_cast<uint32_t>(FXT_MODE_CIRCULAR));
  EXPECT_EQ(provider.header().clock, static_cast<uint32_t>(FXT_CLOCK_COUNTER));
  EXPECT_EQ(provider.header().categories_bytes, 8u);
  EXPECT_STREQ(reinterpret_cast<char*>(provider.memory() + fxt_categories_offset()) + 4, "two");
}

TEST(SharedBufferTest, SizeIsSealed) {
  auto buffer = SharedBuffer::Make({});
  ASSERT_TRUE(buffer);
  EXPECT_NE(ftruncate(buffer->fd(), 0), 0);
  EXPECT_NE(ftruncate(buffer->fd(), off_t{1} << 30), 0);
}

TEST(SharedBufferTest, HasAMinimumOfBlocks) {
  auto buffer = SharedBuffer::Make({.bytes = 1, .categories = {}});
  ASSERT_TRUE(buffer);
  EXPECT_EQ(buffer->blocks(), static_cast<uint32_t>(FXT_MIN_BLOCKS));
}

TEST(SharedBufferTest, LimitsCountsOfTheProvider) {
  auto buffer = SharedBuffer::Make({});
  ASSERT_TRUE(buffer);
  FakeProvider provider(*buffer);
  provider.block(3).committed = UINT32_MAX;
  EXPECT_EQ(buffer->block(3).committed, static_cast<uint32_t>(FXT_BLOCK_BYTES));
  provider.block(3).committed = 13;
  EXPECT_EQ(buffer->block(3).committed, 8u);
  provider.header().strings = UINT32_MAX;
  EXPECT_EQ(buffer->strings(), static_cast<uint32_t>(FXT_MAX_STRINGS));
}

TEST(SharedBufferTest, ReadsStrings) {
  auto buffer = SharedBuffer::Make({});
  ASSERT_TRUE(buffer);
  FakeProvider provider(*buffer);
  const uint16_t text_index = provider.Add("plain");
  const uint16_t category = provider.Add("category", true);
  std::string text;
  bool is_category = true;
  ASSERT_TRUE(buffer->ReadString(text_index, text, is_category));
  EXPECT_EQ(text, "plain");
  EXPECT_FALSE(is_category);
  ASSERT_TRUE(buffer->ReadString(category, text, is_category));
  EXPECT_EQ(text, "category");
  EXPECT_TRUE(is_category);
  EXPECT_FALSE(buffer->ReadString(category + 1u, text, is_category));
  // Invalid places, and lengths beyond the strings.
  for (const uint32_t place : {3u, FXT_STRING_BYTES + 1u, FXT_STRING_BYTES - 2u, 0x7fffffffu}) {
    provider.places()[9] = place;
    EXPECT_FALSE(buffer->ReadString(9, text, is_category)) << place;
  }
  const uint32_t much = 1u << 30;
  memcpy(provider.memory() + fxt_strings_offset(), &much, sizeof much);
  EXPECT_FALSE(buffer->ReadString(text_index, text, is_category));
}

TEST(SharedBufferTest, FreesOnlyFullBlocks) {
  auto buffer = SharedBuffer::Make({});
  ASSERT_TRUE(buffer);
  FakeProvider provider(*buffer);
  provider.Take(0, 1, 7);
  buffer->FreeBlock(0);
  EXPECT_EQ(buffer->block(0).state, static_cast<uint32_t>(FXT_BLOCK_OWNED));
  provider.block(0).state = FXT_BLOCK_FULL;
  buffer->FreeBlock(0);
  EXPECT_EQ(buffer->block(0).state, static_cast<uint32_t>(FXT_BLOCK_FREE));
}

}  // namespace
}  // namespace provider
