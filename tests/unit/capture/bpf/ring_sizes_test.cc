// SPDX-License-Identifier: BSD-2-Clause
#include "capture/bpf/ring_sizes.h"

#include <gtest/gtest.h>

#include <bit>

namespace capture {
namespace {

TEST(RingSizesTest, TheDefaultIsAPowerOfTwoWithinItsBounds) {
  EXPECT_EQ(DefaultRingBytes(0), 8u << 20);
  EXPECT_EQ(DefaultRingBytes(1), 8u << 20);
  EXPECT_EQ(DefaultRingBytes(16), 8u << 20);
  EXPECT_EQ(DefaultRingBytes(17), 4u << 20);
  EXPECT_EQ(DefaultRingBytes(96), 1u << 20);
  EXPECT_EQ(DefaultRingBytes(8192), 1u << 20);
  for (uint32_t cpus = 1; cpus < 5000; ++cpus) {
    ASSERT_TRUE(std::has_single_bit(DefaultRingBytes(cpus))) << cpus;
    ASSERT_LE(DefaultRingBytes(cpus), DefaultRingBytes(cpus - 1)) << cpus;
  }
}

TEST(RingSizesTest, EveryPresentCpuHasARing) {
  const auto sizes = SizeRings(0);
  ASSERT_TRUE(sizes.ok());
  EXPECT_GE(sizes->ring_count, 1u);
  EXPECT_GE(sizes->control_count, sizes->ring_count);
  EXPECT_EQ(sizes->ring_bytes(), DefaultRingBytes(sizes->ring_count));
  EXPECT_EQ(sizes->slots(), sizes->slots_per_ring() * sizes->ring_count);
}

// Never less than what was asked for.
TEST(RingSizesTest, RingsAreRoundedUp) {
  for (const uint64_t bytes : {kMinRingBytes, kMinRingBytes + 16, uint64_t{1} << 20}) {
    const auto sizes = SizeRings(bytes);
    ASSERT_TRUE(sizes.ok()) << bytes;
    EXPECT_GE(sizes->ring_bytes(), bytes);
    EXPECT_LT(sizes->ring_bytes(), 2 * bytes);
  }
}

// The kernel takes a ring buffer of a power of two of pages only.
TEST(RingSizesTest, SizesTheSideRingAsAPowerOfTwoOfPages) {
  for (uint64_t bytes = kMinRingBytes; bytes <= uint64_t{64} << 20; bytes *= 2) {
    const auto sizes = SizeRings(bytes);
    ASSERT_TRUE(sizes.ok()) << bytes;
    EXPECT_TRUE(std::has_single_bit(sizes->side_ring_bytes));
    EXPECT_GE(sizes->side_ring_bytes, 4096u);
    EXPECT_LE(sizes->side_ring_bytes, 16u << 20);
  }
}

// Slots have numbers of 32 bits.
TEST(RingSizesTest, RefusesSizesBeyondOneMap) {
  const auto sizes = SizeRings(uint64_t{1} << 40);
  ASSERT_FALSE(sizes.ok());
  EXPECT_NE(sizes.error().message.find("more than one map can hold"), std::string::npos);
  EXPECT_NE(sizes.error().hint.find("--buffer-size"), std::string::npos);
}

TEST(RingSizesTest, DividesATotalAmongCpus) {
  const uint32_t rings = SizeRings(0)->ring_count;
  const auto each = RingBytesOf(rings * (uint64_t{3} << 20));
  ASSERT_TRUE(each.ok());
  EXPECT_EQ(*each, 2u << 20) << "rounded down";
  EXPECT_FALSE(RingBytesOf(0).ok());
  EXPECT_FALSE(RingBytesOf(rings * kMinRingBytes - 1).ok());
  EXPECT_TRUE(RingBytesOf(rings * kMinRingBytes).ok());
  EXPECT_TRUE(RingBytesOf(rings * kMaxRingBytes).ok());
  EXPECT_FALSE(RingBytesOf(2 * rings * kMaxRingBytes).ok());
  EXPECT_FALSE(RingBytesOf(UINT64_MAX).ok());
}

}  // namespace
}  // namespace capture
