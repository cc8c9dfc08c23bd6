// SPDX-License-Identifier: BSD-2-Clause
#include "analyze/report/text_columns.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace analyze {
namespace {

using ::testing::ElementsAre;

TEST(TextColumnsTest, TimesHaveThreeDigitsThatCount) {
  EXPECT_EQ(Short(0), "0ns");
  EXPECT_EQ(Short(999), "999ns");
  EXPECT_EQ(Short(1500), "1.50us");
  EXPECT_EQ(Short(12'345), "12.3us");
  EXPECT_EQ(Short(999'499), "999us");
  EXPECT_EQ(Short(999'600), "1.00ms");
  EXPECT_EQ(Short(101'000'000'000), "101s");
}

TEST(TextColumnsTest, SlotsArePutTogether) {
  CpuStrips strips;
  strips.Begin(0);
  const uint64_t width = strips.width();
  strips.AddBusy(0, 0, width);
  strips.AddBusy(0, 2 * width, 2 * width + width / 2);
  EXPECT_THAT(Columns(strips, 0, 4, 4, &CpuStrips::Slot::busy_ns), ElementsAre(1, 0, 0.5, 0));
  EXPECT_THAT(Columns(strips, 0, 4, 2, &CpuStrips::Slot::busy_ns), ElementsAre(0.5, 0.25));
}

}  // namespace
}  // namespace analyze
