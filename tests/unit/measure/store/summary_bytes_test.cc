// SPDX-License-Identifier: BSD-2-Clause
#include "measure/store/summary_bytes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>

namespace measure {
namespace {

std::span<const std::byte> BytesOf(const std::string& text) {
  return std::as_bytes(std::span(text));
}

TEST(SummaryBytesTest, WhatIsReadIsWhatWasWritten) {
  SummaryWriter out;
  for (const uint64_t number : {uint64_t{0}, uint64_t{127}, uint64_t{128}, UINT64_MAX}) {
    out.Number(number);
  }
  out.Text("");
  out.Text(std::string(200, 'x'));
  out.Byte(7);
  SummaryReader in(BytesOf(out.bytes()));
  EXPECT_EQ(in.Number(), 0U);
  EXPECT_EQ(in.Number(), 127U);
  EXPECT_EQ(in.Number(), 128U);
  EXPECT_EQ(in.Number(), UINT64_MAX);
  EXPECT_EQ(in.Text(), "");
  EXPECT_EQ(in.Text(), std::string(200, 'x'));
  EXPECT_FALSE(in.at_end());
  EXPECT_EQ(in.Byte(), 7);
  EXPECT_TRUE(in.at_end());
  EXPECT_FALSE(in.failed());
}

// The bytes of the length itself are none of the text's. The text is the end of what may be read.
TEST(SummaryBytesTest, ATextThatIsLongerThanWhatFollowsIsNone) {
  for (const size_t length : {size_t{1}, size_t{4}, size_t{200}, size_t{20'000}}) {
    SummaryWriter whole;
    whole.Text(std::string(length, 'x'));
    for (size_t missing = 1; missing <= std::min<size_t>(length, 4); ++missing) {
      const std::string cut = whole.bytes().substr(0, whole.bytes().size() - missing);
      SummaryReader in(BytesOf(cut));
      EXPECT_EQ(in.Text(), "") << length << " " << missing;
      EXPECT_TRUE(in.failed()) << length << " " << missing;
    }
  }
}

TEST(SummaryBytesTest, ACountIsOfWhatFollowsIt) {
  const std::string two("\2xxxx");
  SummaryReader enough(BytesOf(two));
  EXPECT_EQ(enough.Count(2), 2U);
  EXPECT_FALSE(enough.failed());
  const std::string three("\3xxxxx");
  SummaryReader in(BytesOf(three));
  EXPECT_EQ(in.Count(2), 0U);
  EXPECT_TRUE(in.failed());
}

TEST(SummaryBytesTest, ThereIsOneWayToWriteANumber) {
  for (const std::string& bytes :
       {std::string("\x80\0", 2), std::string("\x80"), std::string(11, '\xff'),
        std::string("\xff\xff\xff\xff\xff\xff\xff\xff\xff\2")}) {
    SummaryReader in(BytesOf(bytes));
    EXPECT_EQ(in.Number(), 0U);
    EXPECT_TRUE(in.failed());
    EXPECT_EQ(in.Text(), "");
  }
}

}  // namespace
}  // namespace measure
