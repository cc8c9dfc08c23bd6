// SPDX-License-Identifier: BSD-2-Clause
#include "perf/file/time_order.h"

#include <gtest/gtest.h>

namespace perf {
namespace {

void Add(TimeOrder* order, uint64_t time, uint64_t mark) {
  FileRecord record;
  record.raw.file_offset = mark;
  order->Add(record, time);
}

std::vector<uint64_t> Drain(TimeOrder* order) {
  std::vector<uint64_t> marks;
  while (auto record = order->Next()) marks.push_back(record->file_offset);
  return marks;
}

using Marks = std::vector<uint64_t>;

TEST(TimeOrderTest, SortsAndKeepsTheOrderOfEqualTimes) {
  TimeOrder order;
  Add(&order, 30, 1);
  Add(&order, 10, 2);
  Add(&order, 20, 3);
  Add(&order, 10, 4);
  order.Finish();
  EXPECT_EQ(Drain(&order), (Marks{2, 4, 3, 1}));
  EXPECT_EQ(order.late(), 0u);
}

TEST(TimeOrderTest, ReleasesRecordsAfterTwoRounds) {
  TimeOrder order;
  Add(&order, 10, 1);
  Add(&order, 20, 2);
  EXPECT_EQ(Drain(&order), Marks{});
  order.FinishRound();
  EXPECT_EQ(Drain(&order), Marks{});
  // This record may follow from a ring that was drained early in the first round.
  Add(&order, 15, 3);
  Add(&order, 40, 4);
  order.FinishRound();
  EXPECT_EQ(Drain(&order), (Marks{1, 3, 2}));
  order.FinishRound();
  EXPECT_EQ(Drain(&order), (Marks{4}));
}

TEST(TimeOrderTest, ReleasesRecordsWithoutATimeFirst) {
  TimeOrder order;
  Add(&order, 10, 1);
  Add(&order, 0, 2);
  Add(&order, UINT64_MAX, 3);
  EXPECT_EQ(Drain(&order), (Marks{2, 3}));
  order.Finish();
  EXPECT_EQ(Drain(&order), (Marks{1}));
}

TEST(TimeOrderTest, RespectsItsMemoryLimit) {
  TimeOrder order(/*max_bytes=*/64 * 1024);
  size_t out = 0;
  for (uint64_t i = 1; i <= 100000; ++i) {
    Add(&order, i, i);
    while (auto record = order.Next()) EXPECT_EQ(record->file_offset, ++out);
    ASSERT_LT(i - out, 1000u);
  }
  // A record that is older than one already emitted is emitted, and counted.
  Add(&order, 1, 0);
  order.Finish();
  EXPECT_EQ(Drain(&order).front(), 0u);
  EXPECT_EQ(order.late(), 1u);
}

}  // namespace
}  // namespace perf
