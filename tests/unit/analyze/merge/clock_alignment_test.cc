// SPDX-License-Identifier: BSD-2-Clause
#include "analyze/merge/clock_alignment.h"

#include <gtest/gtest.h>

namespace analyze {
namespace {

TraceFacts Recording() {
  TraceFacts facts;
  facts.clock = TraceClock::kBoottime;
  facts.realtime_ahead = 1'000'000;
  facts.monotonic_ahead = -500;
  return facts;
}

Alignment AlignSecond(const TraceFacts& second, const AlignmentOption& option,
                      const TraceFacts& first = Recording()) {
  const auto alignments =
      AlignClocks(std::vector{first, second}, std::vector{AlignmentOption{}, option});
  EXPECT_TRUE(alignments);
  return alignments ? (*alignments)[1] : Alignment{};
}

TEST(ClockAlignmentTest, UsesStatedClocks) {
  EXPECT_EQ(AlignSecond({}, {TraceClock::kMonotonic, {}}).offset, 500);
  EXPECT_EQ(AlignSecond({}, {TraceClock::kRealtime, {}}).offset, -1'000'000);
  EXPECT_EQ(AlignSecond({}, {TraceClock::kBoottime, {}}).offset, 0);
}

TEST(ClockAlignmentTest, FailsForAStatedClockWithoutARecording) {
  const TraceFacts nothing;
  const auto alignments =
      AlignClocks(std::vector{nothing, nothing},
                  std::vector{AlignmentOption{}, AlignmentOption{TraceClock::kMonotonic, {}}});
  EXPECT_FALSE(alignments);
}

TEST(ClockAlignmentTest, ReportsUnknownAlignment) {
  const Alignment alignment = AlignSecond({}, {});
  EXPECT_FALSE(alignment.known);
  EXPECT_EQ(alignment.offset, 0);
}

TEST(ClockAlignmentTest, PrefersTheStatedOffset) {
  TraceFacts marked = Recording();
  marked.marks["a"] = {100, 0};
  EXPECT_EQ(AlignSecond(marked, {TraceClock::kMonotonic, -7}, marked).offset, -7);
}

TEST(ClockAlignmentTest, PrefersMarkersAndTakesTheirMedian) {
  TraceFacts first = Recording();
  TraceFacts second;
  for (const auto& [id, time, other] : {std::tuple("a", 1000, 100), std::tuple("b", 2000, 1110),
                                        std::tuple("c", 3000, 2100), std::tuple("d", 1, 1)}) {
    if (std::string_view(id) != "d") first.marks[id] = {time, 0};
    second.marks[id] = {other, 50};
  }
  const Alignment alignment = AlignSecond(second, {TraceClock::kRealtime, {}}, first);
  EXPECT_EQ(alignment.offset, 900);
  EXPECT_NE(alignment.how.find("3 clock sync markers, which differ by 10 ns, set within 50 ns"),
            std::string::npos)
      << alignment.how;
}

TEST(ClockAlignmentTest, UsesTheWallClockOfTimeZero) {
  TraceFacts second;
  second.zero_realtime = 5'000'000;
  EXPECT_EQ(AlignSecond(second, {}).offset, 4'000'000);
}

TEST(ClockAlignmentTest, UndoesTheMoveOfAnImport) {
  TraceFacts moved;
  moved.moved = 70;
  EXPECT_EQ(AlignSecond(moved, {TraceClock::kMonotonic, {}}).offset, 500 - 70);
  EXPECT_EQ(AlignSecond(moved, {{}, 1000}).offset, 1000 - 70);
  EXPECT_EQ(AlignSecond(moved, {}).offset, -70);
  EXPECT_EQ(AlignSecond({}, {}, moved).offset, 70);
}

TEST(ClockAlignmentTest, AcceptsKernelClockNames) {
  EXPECT_EQ(ClockNamed("CLOCK_MONOTONIC"), TraceClock::kMonotonic);
  EXPECT_EQ(ClockNamed("boottime"), TraceClock::kBoottime);
  EXPECT_FALSE(ClockNamed("tai"));
}

}  // namespace
}  // namespace analyze
