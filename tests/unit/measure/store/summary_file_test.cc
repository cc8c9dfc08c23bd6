// SPDX-License-Identifier: BSD-2-Clause
#include "measure/store/summary_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>

#include "unit/measure/random_capture.h"

namespace measure {
namespace {

using ::testing::HasSubstr;
using testing::RandomCapture;

std::span<const std::byte> SummaryBytes(const std::string& text) {
  return std::as_bytes(std::span(text));
}

TEST(SummaryFileTest, WhatIsReadIsWhatWasWritten) {
  for (uint64_t seed = 0; seed < 100; ++seed) {
    const Capture capture = RandomCapture(seed);
    const std::string file = EncodeSummary(capture);
    ASSERT_TRUE(IsSummary(SummaryBytes(file)));
    const auto read = DecodeSummary(SummaryBytes(file));
    ASSERT_TRUE(read) << read.error().message;
    ASSERT_TRUE(*read == capture) << seed;
    ASSERT_EQ(EncodeSummary(*read), file);
  }
}

TEST(SummaryFileTest, AnEmptyCaptureIsKeptToo) {
  const auto read = DecodeSummary(SummaryBytes(EncodeSummary({})));
  ASSERT_TRUE(read);
  EXPECT_TRUE(*read == Capture());
}

TEST(SummaryFileTest, GroupsOfNothingAreKeptToo) {
  Capture capture;
  capture.groups.resize(3);
  capture.groups[1].name.process = "a";
  capture.groups[2].name.process = "b";
  const auto read = DecodeSummary(SummaryBytes(EncodeSummary(capture)));
  ASSERT_TRUE(read);
  EXPECT_TRUE(*read == capture);
}

TEST(SummaryFileTest, ManyGroupsWithAllLengthsOfTimeAreKept) {
  Capture capture;
  for (int i = 0; i < 2000; ++i) {
    Group& group = capture.groups.emplace_back();
    group.name.process = std::to_string(10'000 + i);
    for (Distribution& times : group.times) {
      for (unsigned shift = 0; shift < 40; ++shift) times.whole.Add(uint64_t{1} << shift);
    }
  }
  const auto read = DecodeSummary(SummaryBytes(EncodeSummary(capture)));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_TRUE(*read == capture);
}

TEST(SummaryFileTest, MergingThenReadingIsReadingThenMerging) {
  Capture merged = RandomCapture(1);
  merged.Merge(RandomCapture(2));
  auto first = DecodeSummary(SummaryBytes(EncodeSummary(RandomCapture(1))));
  const auto second = DecodeSummary(SummaryBytes(EncodeSummary(RandomCapture(2))));
  ASSERT_TRUE(first && second);
  first->Merge(*second);
  EXPECT_TRUE(*first == merged);
}

TEST(SummaryFileTest, SummariesBehindOneAnotherAreSoManyCaptures) {
  std::string file;
  for (uint64_t seed = 0; seed < 3; ++seed) file += EncodeSummary(RandomCapture(seed));
  const auto all = DecodeSummaries(SummaryBytes(file));
  ASSERT_TRUE(all) << all.error().message;
  ASSERT_EQ(all->size(), 3U);
  for (uint64_t seed = 0; seed < 3; ++seed) EXPECT_TRUE((*all)[seed] == RandomCapture(seed));
  EXPECT_FALSE(DecodeSummary(SummaryBytes(file)));
  EXPECT_FALSE(DecodeSummaries(SummaryBytes(file.substr(0, file.size() - 1))));
  EXPECT_FALSE(DecodeSummaries(SummaryBytes(file + "x")));
}

// Their total size has a limit.
TEST(SummaryFileTest, ManySummariesMayTakeNoMoreThanOne) {
  Capture wide;
  for (int i = 0; i < 1400; ++i) {
    Group& group = wide.groups.emplace_back();
    group.name.process = std::to_string(10'000 + i);
    for (Distribution& times : group.times) {
      times.whole.Add(1);
      times.whole.Add(uint64_t{1} << 62);
    }
  }
  const std::string one = EncodeSummary(wide);
  std::string file;
  for (int i = 0; i < 3; ++i) file += one;
  EXPECT_TRUE(DecodeSummaries(SummaryBytes(file)));
  file += one;
  EXPECT_FALSE(DecodeSummaries(SummaryBytes(file)));
}

TEST(SummaryFileTest, ACutOrChangedFileIsAnError) {
  const std::string file = EncodeSummary(RandomCapture(3));
  for (size_t size = 0; size < file.size(); size += 1 + size / 20) {
    ASSERT_FALSE(DecodeSummary(SummaryBytes(file.substr(0, size)))) << size;
  }
  ASSERT_FALSE(DecodeSummary(SummaryBytes(file + '\0')));
  std::mt19937_64 random(1);
  for (int i = 0; i < 2000; ++i) {
    std::string changed = file;
    changed[random() % file.size()] ^= static_cast<char>(1 << random() % 8);
    // The checksum of zlib finds it, but for bits between the blocks that mean nothing.
    const auto read = DecodeSummary(SummaryBytes(changed));
    ASSERT_TRUE(!read || EncodeSummary(*read) == file);
  }
}

TEST(SummaryFileTest, AnotherVersionIsRefusedByName) {
  std::string file = EncodeSummary({});
  file[kSummaryMagicBytes] = 7;
  const auto read = DecodeSummary(SummaryBytes(file));
  ASSERT_FALSE(read);
  EXPECT_THAT(read.error().message, HasSubstr("version 7"));
}

TEST(SummaryFileTest, ASizeThatCannotBeIsRefusedBeforeItIsTaken) {
  std::string file = EncodeSummary({});
  file[kSummaryMagicBytes + 4 + 3] = 3;  // 48 MiB out of a few bytes
  EXPECT_FALSE(DecodeSummary(SummaryBytes(file)));
}

}  // namespace
}  // namespace measure
