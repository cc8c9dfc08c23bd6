// SPDX-License-Identifier: BSD-2-Clause
#include "facts/timeline/cpu_history.h"

#include <gtest/gtest.h>

#include <map>

namespace facts {
namespace {

std::map<uint32_t, uint64_t> Held(const CpuHistory& history, uint32_t cpu, uint64_t begin,
                                  uint64_t end) {
  std::map<uint32_t, uint64_t> held;
  history.Look(cpu, begin, end, [&](const CpuHistory::Span& part, uint64_t) {
    held[part.group] += part.end - part.begin;
  });
  return held;
}

TEST(CpuHistoryTest, ReportsPartsWithinTheInterval) {
  CpuHistory history;
  history.Add(0, {.begin = 0, .end = 10, .group = 1});
  history.Add(0, {.begin = 10, .end = 20, .group = 2});
  history.Add(0, {.begin = 20, .end = 25, .group = 2});
  history.Add(0, {.begin = 25, .end = 30, .group = CpuHistory::kIdle});
  history.Open(0, {.begin = 30, .group = 3});
  using Map = std::map<uint32_t, uint64_t>;
  EXPECT_EQ(Held(history, 0, 5, 33), (Map{{1, 5}, {2, 15}, {CpuHistory::kIdle, 5}, {3, 3}}));
  EXPECT_EQ(Held(history, 0, 12, 18), (Map{{2, 6}}));
  EXPECT_EQ(Held(history, 1, 0, 100), Map());
}

TEST(CpuHistoryTest, OldSpansAreForgotten) {
  CpuHistory history;
  for (uint64_t i = 0; i < 10 * CpuHistory::kSpans; ++i) {
    history.Add(0, {.begin = i, .end = i + 1, .group = static_cast<uint32_t>(i % 2)});
  }
  uint64_t spans = 0;
  history.Look(0, 0, 10 * CpuHistory::kSpans, [&](const CpuHistory::Span&, uint64_t) { ++spans; });
  EXPECT_EQ(spans, CpuHistory::kLook);
}

}  // namespace
}  // namespace facts
