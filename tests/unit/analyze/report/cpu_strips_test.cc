// SPDX-License-Identifier: BSD-2-Clause
#include "analyze/report/cpu_strips.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

namespace analyze {
namespace {

using ::testing::ElementsAre;

TEST(CpuStripsTest, KeepsTheSumWhenSlotsAreWidened) {
  std::mt19937_64 random(1);
  CpuStrips strips;
  strips.Begin(1000);
  uint64_t sum = 0;
  for (int i = 0; i < 2000; ++i) {
    const uint64_t begin = 1000 + (random() >> (24 + random() % 30));
    const uint64_t end = begin + random() % 100'000;
    strips.AddBusy(static_cast<uint32_t>(random() % 3), begin, end);
    sum += end - begin;
  }
  uint64_t found = 0;
  for (const auto& slots : strips.cpus()) {
    EXPECT_LE(slots.size(), CpuStrips::kSlots);
    for (const CpuStrips::Slot& slot : slots) found += slot.busy_ns;
  }
  EXPECT_EQ(found, sum);
}

TEST(CpuStripsTest, KeepsKindsApartAndClipsToTheBegin) {
  CpuStrips strips;
  strips.Begin(100);
  strips.AddWait(1, 0, 150);
  strips.AddUnknown(1, 150, 200);
  strips.AddBusy(1, 50, 100);
  ASSERT_EQ(strips.cpus().size(), 2u);
  EXPECT_EQ(strips.cpus()[1][0].queue_ns, 50u);
  EXPECT_EQ(strips.cpus()[1][0].unknown_ns, 50u);
  EXPECT_EQ(strips.cpus()[1][0].busy_ns, 0u);
}

TEST(CpuStripsTest, ColumnsAreMeansOfSlots) {
  CpuStrips strips;
  strips.Begin(0);
  const uint64_t width = strips.width();
  strips.AddBusy(0, 0, width);
  strips.AddBusy(0, 2 * width, 2 * width + width / 2);
  EXPECT_THAT(strips.Columns(0, 4, 4, &CpuStrips::Slot::busy_ns), ElementsAre(1, 0, 0.5, 0));
  EXPECT_THAT(strips.Columns(0, 4, 2, &CpuStrips::Slot::busy_ns), ElementsAre(0.5, 0.25));
}

// Every CPU number that the format has would take a gigabyte.
TEST(CpuStripsTest, IgnoresCpusBeyondLinuxLimit) {
  CpuStrips strips;
  strips.Begin(0);
  for (uint32_t cpu = 0; cpu <= UINT16_MAX; ++cpu) strips.AddBusy(cpu, 0, 1);
  EXPECT_EQ(strips.cpus().size(), size_t{CpuStrips::kMostCpus});
}

}  // namespace
}  // namespace analyze
