// SPDX-License-Identifier: BSD-2-Clause
#include "util/byte_cursor.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <vector>

namespace util {
namespace {

std::vector<std::byte> Some(size_t count) {
  std::vector<std::byte> bytes(count);
  for (size_t i = 0; i < count; ++i) bytes[i] = static_cast<std::byte>(i);
  return bytes;
}

TEST(ByteCursorTest, ReadsUnalignedValues) {
  const auto bytes = Some(13);
  ByteCursor cursor(bytes);
  uint8_t one = 1;
  uint32_t four = 0;
  uint64_t eight = 0;
  ASSERT_TRUE(cursor.Read(&one) && cursor.Read(&four) && cursor.Read(&eight));
  EXPECT_EQ(one, 0u);
  EXPECT_EQ(four, 0x04030201u);
  EXPECT_EQ(eight, 0x0c0b0a0908070605u);
  EXPECT_EQ(cursor.remaining(), 0u);
}

TEST(ByteCursorTest, AFailedStepChangesNothing) {
  const auto bytes = Some(7);
  ByteCursor cursor(bytes);
  uint64_t value = 42;
  Bytes taken;
  PackedView<uint32_t> view;
  EXPECT_FALSE(cursor.Read(&value));
  EXPECT_FALSE(cursor.Skip(8));
  EXPECT_FALSE(cursor.Take(8, &taken));
  EXPECT_FALSE(cursor.TakeArray(2, &view));
  EXPECT_EQ(value, 42u);
  EXPECT_TRUE(taken.empty());
  EXPECT_TRUE(view.empty());
  EXPECT_EQ(cursor.remaining(), 7u);
  EXPECT_TRUE(cursor.Skip(7));
  EXPECT_TRUE(cursor.Take(0, &taken));
  EXPECT_FALSE(cursor.Skip(1));
}

// Counts come from files: multiplied by the size of an element they may overflow to 0.
TEST(ByteCursorTest, HugeCountsDoNotOverflow) {
  const auto bytes = Some(16);
  ByteCursor cursor(bytes);
  Bytes taken;
  PackedView<uint64_t> view;
  for (const uint64_t count : {uint64_t{1} << 61, UINT64_MAX, (uint64_t{1} << 61) + 1}) {
    EXPECT_FALSE(cursor.TakeArray(count, &view)) << count;
    EXPECT_FALSE(cursor.Skip(count)) << count;
    EXPECT_FALSE(cursor.Take(count, &taken)) << count;
  }
  EXPECT_EQ(cursor.remaining(), 16u);
  EXPECT_TRUE(cursor.TakeArray(2, &view));
  EXPECT_EQ(view.size(), 2u);
}

TEST(ByteCursorTest, AViewHasWholeValuesOnly) {
  const auto bytes = Some(11);
  const PackedView<uint32_t> view{Bytes(bytes)};
  ASSERT_EQ(view.size(), 2u);
  EXPECT_EQ(view[1], 0x07060504u);
  std::vector<uint32_t> all;
  for (const uint32_t value : view) all.push_back(value);
  EXPECT_EQ(all, (std::vector<uint32_t>{0x03020100, 0x07060504}));
  EXPECT_EQ(view.first(1).size(), 1u);
  EXPECT_EQ(view.first(SIZE_MAX).size(), 2u);
  EXPECT_EQ(view.first(SIZE_MAX / 2).size(), 2u);
}

TEST(ByteCursorTest, TextEndsAtTheFirstZeroOrWithTheField) {
  const std::array<std::byte, 4> whole{std::byte{'a'}, std::byte{'b'}, std::byte{'c'},
                                       std::byte{'d'}};
  EXPECT_EQ(TextUntilZero(whole), "abcd");
  const std::array<std::byte, 4> cut{std::byte{'a'}, std::byte{0}, std::byte{'c'}, std::byte{0}};
  EXPECT_EQ(TextUntilZero(cut), "a");
  EXPECT_EQ(TextUntilZero(Bytes()), "");
}

}  // namespace
}  // namespace util
