// SPDX-License-Identifier: BSD-2-Clause
#include "fxt/record_boundary.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace fxt {
namespace {

std::span<const std::byte> Bytes(const std::vector<uint64_t>& words) {
  return std::as_bytes(std::span(words));
}

TEST(RecordBoundaryTest, CountsWholeRecords) {
  // Rows M1, I2 and T1 of the vectors: 1, 2 and 3 words.
  const std::vector<uint64_t> words = {0x0016547846040010, 0x21, 0x3b9aca00,
                                       0x0000000000aa0033, 1,    2};
  const size_t expected[] = {0, 8, 8, 24, 24, 24, 48, 48};
  for (size_t limit = 0; limit <= 60; ++limit) {
    EXPECT_EQ(WholeRecordBytes(Bytes(words), limit), expected[limit / 8]) << limit;
  }
}

TEST(RecordBoundaryTest, ReadsTheSizeOfLargeRecords) {
  std::vector<uint64_t> words(5001);
  words[0] = 0xf | uint64_t{5000} << 4;
  words[5000] = 0x0016547846040010;
  EXPECT_EQ(WholeRecordBytes(Bytes(words), 40'008), 40'008u);
  EXPECT_EQ(WholeRecordBytes(Bytes(words), 40'007), 40'000u);
  EXPECT_EQ(WholeRecordBytes(Bytes(words), 39'999), 0u);
}

TEST(RecordBoundaryTest, StopsAtSizeZero) {
  EXPECT_EQ(WholeRecordBytes(Bytes({0x0016547846040010, 0, 0x21, 1}), 32), 8u);
  EXPECT_EQ(WholeRecordBytes({}, 100), 0u);
}

TEST(RecordBoundaryTest, FirstRecord) {
  const std::vector<uint64_t> words = {0x0000000000aa0033, 1, 2, 0xf | uint64_t{5000} << 4};
  EXPECT_EQ(FirstRecordBytes(Bytes(words)), 24u);
  EXPECT_EQ(FirstRecordBytes(Bytes(words).first(8)), 24u) << "all of it need not be there";
  EXPECT_EQ(FirstRecordBytes(Bytes(words).subspan(24)), 40'000u);
  EXPECT_EQ(FirstRecordBytes(Bytes(words).first(7)), 0u);
}

}  // namespace
}  // namespace fxt
