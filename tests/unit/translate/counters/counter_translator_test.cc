// SPDX-License-Identifier: BSD-2-Clause
#include "translate/counters/counter_translator.h"

#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "unit/translate/capture_script.h"

namespace translate {
namespace {

using testing::CaptureScript;

class CounterTranslatorTest : public ::testing::Test {
 protected:
  CounterTranslatorTest() { script_.Task(100, 100, "app").Task(101, 101, "other"); }
  void Count(uint64_t time, uint32_t cpu, uint32_t tid, uint8_t counter, uint64_t count,
             bool partial = false) {
    fxr_counter_body body{};
    body.tid = tid;
    body.counter = counter;
    body.count = count;
    body.is_partial = partial;
    script_.Slot(time, cpu, FXR_SLOT_COUNTER, fxr_pack_counter(body));
  }

  CaptureScript script_{TranslatorOptions{.counters = {"cycles", "instructions"}}};
};

TEST_F(CounterTranslatorTest, ARunIsOneRecord) {
  Count(10, 0, 100, 0, 5000);
  Count(11, 1, 101, 0, 7000);
  Count(12, 0, 100, 1, FXR_MAX_COUNT);
  Count(13, 1, 101, 1, 8000, true);
  const auto lines = script_.Lines(" counter ");
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_NE(lines[0].find("12 counter app/100 counter:run"), std::string::npos) << lines[0];
  EXPECT_NE(lines[0].find("{cycles=5000 instructions=70368744177663}"), std::string::npos)
      << lines[0];
  EXPECT_NE(lines[1].find("{cycles=7000 instructions=8000 partial=2}"), std::string::npos)
      << lines[1];
  EXPECT_EQ(script_.translator().stats().recorded[FXR_CATEGORY_COUNTER], 4u);
}

TEST_F(CounterTranslatorTest, WritesPartialRunsAfterALoss) {
  Count(10, 0, 100, 0, 5000);
  Count(12, 0, 101, 0, 1);
  Count(13, 0, 101, 1, 2);
  Count(14, 0, 100, 1, 3);
  const auto lines = script_.Lines(" counter ");
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_NE(lines[0].find("app/100"), std::string::npos);
  EXPECT_NE(lines[0].find("{cycles=5000}"), std::string::npos) << lines[0];
  EXPECT_NE(lines[1].find("{cycles=1 instructions=2}"), std::string::npos) << lines[1];
  EXPECT_NE(lines[2].find("{instructions=3}"), std::string::npos) << lines[2];
}

// The program of category `counter` runs after that of `sched`, so the last counters of a thread
// follow its last switch.
TEST_F(CounterTranslatorTest, TheLastRunOfAnExitingThreadIsOnThatThread) {
  script_.Switch(5, 0, 0, 100).Exit(8, 100, 100, 0).Switch(10, 0, 100, 0, FXR_STATE_ZOMBIE);
  Count(11, 0, 100, 0, 5000);
  Count(11, 0, 100, 1, 6000);
  const auto lines = script_.Lines();
  size_t runs = 0, threads = 0;
  for (const std::string& line : lines) {
    if (line.find("11 counter app/100 counter:run {cycles=5000 instructions=6000}") !=
        std::string::npos) {
      ++runs;
    }
    if (line.find("object thread") != std::string::npos && line.find("/100") != std::string::npos) {
      ++threads;
    }
    // A wrongly added thread would get a koid of the next generation.
    EXPECT_EQ(line.find("4194404"), std::string::npos) << line;
  }
  EXPECT_EQ(runs, 1u) << fmt::format("{}", fmt::join(lines, "\n"));
  EXPECT_LE(threads, 1u);
}

TEST_F(CounterTranslatorTest, CountsUnknownCountersAsUnreadable) {
  Count(10, 0, 100, 5, 5000);
  EXPECT_TRUE(script_.Lines(" counter ").empty());
  EXPECT_EQ(script_.translator().stats().unreadable, 1u);
}

}  // namespace
}  // namespace translate
