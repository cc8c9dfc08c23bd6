// SPDX-License-Identifier: BSD-2-Clause
#include "facts/timeline/activity_history.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace facts {
namespace {

void ExpectSame(const ActivityInterval& a, const ActivityInterval& b) {
  EXPECT_EQ(a.begin, b.begin);
  EXPECT_EQ(a.end, b.end);
  EXPECT_EQ(a.activity, b.activity);
  EXPECT_EQ(a.by_interrupt, b.by_interrupt);
  EXPECT_EQ(a.other, b.other);
}

TEST(ActivityHistoryTest, FindsTheIntervalBeforeATime) {
  ActivityHistory history(1 << 20);
  const ActivityInterval run{.begin = 10, .end = 20, .activity = Activity::kRun, .other = 3};
  const ActivityInterval sleep{
      .begin = 20, .end = 50, .activity = Activity::kSleep, .by_interrupt = true};
  history.Add(7, run);
  history.Add(7, sleep);
  EXPECT_FALSE(history.Before(7, 10));
  ExpectSame(*history.Before(7, 11), run);
  ExpectSame(*history.Before(7, 20), run);
  ExpectSame(*history.Before(7, 21), sleep);
  ExpectSame(*history.Before(7, 50), sleep);
  EXPECT_FALSE(history.Before(7, 51));
  EXPECT_FALSE(history.Before(6, 20));
  EXPECT_FALSE(history.Before(1000, 20));
  EXPECT_EQ(history.EndOf(7), 50U);
}

TEST(ActivityHistoryTest, HolesAreUnknownAndOverlapsAreCut) {
  ActivityHistory history(1 << 20);
  history.Add(0, {.begin = 10, .end = 20, .activity = Activity::kRun, .other = 0});
  history.Add(0, {.begin = 30, .end = 40, .activity = Activity::kRun, .other = 0});
  history.Add(0, {.begin = 35, .end = 50, .activity = Activity::kSleep});
  history.Add(0, {.begin = 45, .end = 48, .activity = Activity::kRun});
  ExpectSame(*history.Before(0, 25), {.begin = 20, .end = 30});
  ExpectSame(*history.Before(0, 45), {.begin = 40, .end = 50, .activity = Activity::kSleep});
  EXPECT_EQ(history.EndOf(0), 50U);
}

// An interval is the added one or, after the ring has overwritten it, absent.
TEST(ActivityHistoryTest, AnswersAreThoseAddedOrNone) {
  for (const size_t bytes : {size_t{1}, size_t{2048}, size_t{64} << 10}) {
    ActivityHistory history(bytes);
    std::mt19937_64 random(bytes);
    constexpr uint32_t kTracks = 5;
    std::vector<std::vector<ActivityInterval>> truth(kTracks);
    for (int i = 0; i < 20'000; ++i) {
      const auto track = static_cast<uint32_t>(random() % kTracks);
      auto& all = truth[track];
      const uint64_t begin = all.empty() ? 1000 : all.back().end;
      const unsigned bits = random() % 40;
      const ActivityInterval interval{
          .begin = begin,
          .end = begin + 1 + (random() & ((uint64_t{1} << bits) - 1)),
          .activity = static_cast<Activity>(random() % 9),
          .by_interrupt = random() % 2 == 0,
          .other = random() % 3 == 0 ? ActivityInterval::kNone : static_cast<uint32_t>(random())};
      all.push_back(interval);
      history.Add(track, interval);
    }
    size_t kept = 0;
    for (uint32_t track = 0; track < kTracks; ++track) {
      bool was_kept = false;
      for (const ActivityInterval& interval : truth[track]) {
        const auto found = history.Before(track, interval.end);
        EXPECT_FALSE(was_kept && !found) << "later ones stay longer";
        was_kept = found.has_value();
        if (!found) continue;
        ++kept;
        ExpectSame(*found, interval);
        ExpectSame(*history.Before(track, interval.begin + 1), interval);
      }
      EXPECT_TRUE(bytes < 2048 || was_kept);
    }
    // At least 3 bytes an interval.
    EXPECT_LE(kept, std::max<size_t>(bytes, 512) / 3);
    EXPECT_GT(kept, 0U);
  }
}

}  // namespace
}  // namespace facts
