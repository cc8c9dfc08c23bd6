// SPDX-License-Identifier: BSD-2-Clause
// Renamed groups.
#include <gtest/gtest.h>

#include <vector>

#include "unit/compare/simulated_capture.h"

namespace comparison {
namespace {

using testing::Simulator;
using testing::Work;

// Its waker is renamed as well.
TEST(SimilarityTest, MatchesRenamedProcessesThatWakeEachOther) {
  const auto sides_of = [](double cpu) {
    Work first;
    first.process = first.thread = "tr";
    first.wakeups = 300;
    Work second;
    second.process = second.thread = "awk";
    second.cpu_ms = 200;
    std::vector<Work> before = {first, second};
    first.process = first.thread = "lower";
    second.process = second.thread = "counter";
    second.cpu_ms *= cpu;
    DiffInput sides = Simulator(6).Sides(before, {first, second}, 5);
    for (auto* side : {&sides.base, &sides.next}) {
      for (measure::Capture& capture : *side) {
        for (uint32_t i = 0; i < 2; ++i) {
          auto& enders =
              capture.groups[i].blames[static_cast<size_t>(measure::Attribution::kWokenBy)];
          enders.clear();
          enders[1 - i].count = capture.groups[i].wakeups;
        }
      }
    }
    return sides;
  };
  const auto same = Compare(sides_of(1));
  ASSERT_TRUE(same);
  EXPECT_TRUE(same->findings.empty());
  // With more than twice the work, neither matches.
  const auto more = Compare(sides_of(2.5));
  ASSERT_TRUE(more);
  EXPECT_FALSE(more->findings.empty());
}

}  // namespace
}  // namespace comparison
