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

TEST(TextColumnsTest, LengthsAreToldAsFarAsThereAreAny) {
  measure::Distribution times;
  for (const auto column : {P50, P99, Min, Max, Mean, Deviation}) EXPECT_EQ(column(times), "-");
  times.AddWhole({0, 1000, 1, 0});
  // Not the middle of its bucket, which is more.
  for (const auto column : {P50, Min, Max, Mean}) EXPECT_EQ(column(times), "1.00us");
  EXPECT_EQ(Deviation(times), "-");
  for (uint64_t i = 1; i < kCountForP99; ++i) times.AddWhole({i, 3000, 1, 0});
  EXPECT_EQ(P99(times), "2.99us");
  EXPECT_EQ(Deviation(times), "44ns");
}

TEST(TextColumnsTest, NamesAreCutBetweenCharacters) {
  EXPECT_EQ(CutName("worker", 6), "worker");
  EXPECT_EQ(CutName("worker-1", 6), "work..");
  EXPECT_EQ(CutName("wör-123", 4), "w..");
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
