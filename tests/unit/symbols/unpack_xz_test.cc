// SPDX-License-Identifier: BSD-2-Clause
#include "symbols/unpack_xz.h"

#include <gtest/gtest.h>
#include <lzma.h>

#include <cstdint>
#include <vector>

namespace symbols {
namespace {

std::vector<std::byte> Pack(const std::vector<std::byte>& bytes) {
  std::vector<std::byte> packed(lzma_stream_buffer_bound(bytes.size()));
  size_t used = 0;
  EXPECT_EQ(lzma_easy_buffer_encode(
                6, LZMA_CHECK_CRC32, nullptr, reinterpret_cast<const uint8_t*>(bytes.data()),
                bytes.size(), reinterpret_cast<uint8_t*>(packed.data()), &used, packed.size()),
            LZMA_OK);
  packed.resize(used);
  return packed;
}

TEST(UnpackXzTest, UnpacksWhatTheLibraryPacked) {
  std::vector<std::byte> bytes;
  for (size_t i = 0; i < 300'000; ++i) bytes.push_back(static_cast<std::byte>(i * i >> 7));
  const auto packed = Pack(bytes);
  EXPECT_EQ(UnpackXz(packed, bytes.size()), bytes);
  EXPECT_EQ(UnpackXz(packed, 10 * bytes.size()), bytes);
  EXPECT_TRUE(UnpackXz(packed, bytes.size() - 1).empty());
}

TEST(UnpackXzTest, DamagedDataGivesNothing) {
  const auto packed = Pack(std::vector<std::byte>(5'000, std::byte{7}));
  EXPECT_TRUE(UnpackXz({}, 10'000).empty());
  for (size_t i = 0; i < packed.size(); ++i) {
    EXPECT_TRUE(UnpackXz(std::span(packed).first(i), 10'000).empty()) << i;
    auto damaged = packed;
    damaged[i] ^= std::byte{0x10};
    EXPECT_LE(UnpackXz(damaged, 10'000).size(), 10'000u);
  }
}

}  // namespace
}  // namespace symbols
