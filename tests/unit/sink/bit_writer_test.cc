// SPDX-License-Identifier: BSD-2-Clause
#include "sink/bit_writer.h"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>

namespace sink {
namespace {

TEST(BitWriterTest, WritesTheLowestBitFirst) {
  std::array<std::byte, 16> bytes{};
  BitWriter out(bytes.data());
  out.Add(1, 1);
  out.Add(0, 2);
  out.Add(0x1f, 5);
  out.Add(0x3, 2);
  EXPECT_EQ(out.End() - bytes.data(), 2);
  EXPECT_EQ(bytes[0], std::byte{0xf9});
  EXPECT_EQ(bytes[1], std::byte{0x03});
}

TEST(BitWriterTest, KeepsBitsAcrossFlush) {
  std::array<std::byte, 64> bytes{};
  BitWriter out(bytes.data());
  for (int i = 0; i < 32; ++i) {
    out.Add(0x55, 7);
    out.Flush();
    out.Add(1, 1);
  }
  EXPECT_EQ(out.End() - bytes.data(), 32);
  for (size_t i = 0; i < 32; ++i) EXPECT_EQ(bytes[i], std::byte{0xd5}) << i;
}

TEST(BitWriterTest, WritesNoBytesForNoBits) {
  std::array<std::byte, 8> bytes{};
  EXPECT_EQ(BitWriter(bytes.data()).End(), bytes.data());
}

}  // namespace
}  // namespace sink
