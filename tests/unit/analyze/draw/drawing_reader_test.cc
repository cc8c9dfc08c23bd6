// SPDX-License-Identifier: BSD-2-Clause
#include "analyze/draw/drawing_reader.h"

#include <gtest/gtest.h>

#include <numeric>

#include "fxt/byte_source.h"
#include "unit/fxt/support/file_builder.h"

namespace analyze {
namespace {

using fxt::StringRef;
using fxt::ThreadRef;
using fxt::ThreadState;

constexpr uint64_t kMs = 1'000'000;

// CPU 0: thread 10 from 10 to 20 ms, which wakes 20 at 15; 20 from 20 to 30, then idle.
class DrawingReaderTest : public ::testing::Test {
 protected:
  DrawingReaderTest() {
    const ThreadRef ten = ThreadRef::Inline(1, 10);
    const ThreadRef twenty = ThreadRef::Inline(1, 20);
    const ThreadRef idle = ThreadRef::Inline(0, 99);
    Switch(10, ThreadState::kBlocked, idle, 0, ten, 120);
    file_.Add(fxt::ThreadWakeup{.timestamp = 15 * kMs, .cpu = 0, .thread = 20, .arguments = {}});
    Switch(20, ThreadState::kBlocked, ten, 120, twenty, 120);
    Switch(30, ThreadState::kBlocked, twenty, 120, idle, 0);
  }
  void Switch(uint64_t ms, ThreadState state, ThreadRef from, uint8_t from_priority, ThreadRef to,
              uint8_t to_priority) {
    file_.Add(fxt::LegacyContextSwitch{ms * kMs, 0, state, from, to, from_priority, to_priority});
  }
  Drawing Draw(const DrawOptions& options) {
    DrawingReader reader(options);
    fxt::MemorySource first(file_.bytes());
    EXPECT_TRUE(reader.Choose(first));
    fxt::MemorySource second(file_.bytes());
    EXPECT_TRUE(reader.Read(second));
    return reader.drawing();
  }
  static double Sum(const Drawing::ThreadLane& lane, Drawing::State state) {
    return std::accumulate(
        lane.slots.begin(), lane.slots.end(), 0.0,
        [&](double sum, const auto& slot) { return sum + slot[static_cast<size_t>(state)]; });
  }

  fxt::testing::FileBuilder file_;
};

TEST_F(DrawingReaderTest, ColumnsKeepTheSumOfTimes) {
  const Drawing drawing = Draw({.from = 10 * kMs,
                                .to = 30 * kMs,
                                .first = 10 * kMs,
                                .cpus = {},
                                .wants_thread = {},
                                .progress = {}});
  ASSERT_EQ(drawing.cpus.size(), 1U);
  const auto& busy = drawing.cpus[0].busy;
  EXPECT_EQ(std::accumulate(busy.begin(), busy.end(), 0.0), 20 * kMs);
  EXPECT_EQ(drawing.cpus[0].runs.size(), 2U);
  ASSERT_EQ(drawing.threads.size(), 2U);
  EXPECT_EQ(Sum(drawing.threads[0], Drawing::State::kRunning), 10 * kMs);
  EXPECT_EQ(Sum(drawing.threads[1], Drawing::State::kWakeup), 5 * kMs);
  ASSERT_EQ(drawing.wakes.size(), 1U);
  EXPECT_EQ(drawing.wakes[0].woken, 20U);
}

TEST_F(DrawingReaderTest, CutsIntervalsAtTheEdges) {
  const Drawing drawing = Draw({.from = 12 * kMs,
                                .to = 18 * kMs,
                                .first = 10 * kMs,
                                .cpus = {},
                                .wants_thread = {},
                                .progress = {}});
  ASSERT_EQ(drawing.threads.size(), 1U);
  EXPECT_EQ(drawing.threads[0].koid, 10U);
  EXPECT_EQ(Sum(drawing.threads[0], Drawing::State::kRunning), 6 * kMs);
  EXPECT_EQ(drawing.cpus[0].runs.at(0).begin, 12 * kMs);
  EXPECT_EQ(drawing.cpus[0].runs.at(0).end, 18 * kMs);
}

// A window of three nanoseconds has columns of three thousandths of one.
TEST_F(DrawingReaderTest, AColumnMayBeShorterThanANanosecond) {
  const uint64_t change = 20 * kMs;
  const Drawing drawing = Draw({.from = change - 1,
                                .to = change + 2,
                                .first = 10 * kMs,
                                .cpus = {},
                                .wants_thread = {},
                                .progress = {}});
  ASSERT_EQ(drawing.threads.size(), 2U);
  const auto& later = drawing.threads[0];
  EXPECT_EQ(later.koid, 20U);
  EXPECT_NEAR(Sum(later, Drawing::State::kRunning), 2, 1e-9);
  EXPECT_NEAR(Sum(drawing.threads[1], Drawing::State::kRunning), 1, 1e-9);
  for (size_t slot = 0; slot < Drawing::kSlots; ++slot) {
    EXPECT_NEAR(drawing.cpus[0].busy[slot], 0.003, 1e-9) << slot;
    if (slot != 333) {
      EXPECT_NEAR(later.slots[slot][0], slot < 333 ? 0 : 0.003, 1e-9) << slot;
    }
  }
}

TEST_F(DrawingReaderTest, CountsCpusWithoutALane) {
  for (uint8_t cpu = 1; cpu < 100; ++cpu) {
    for (const bool ends : {false, true}) {
      const ThreadRef idle = ThreadRef::Inline(0, 99);
      const ThreadRef busy = ThreadRef::Inline(1, 100 + cpu);
      file_.Add(fxt::LegacyContextSwitch{(ends ? 25 : 22) * kMs, cpu, ThreadState::kBlocked,
                                         ends ? busy : idle, ends ? idle : busy,
                                         static_cast<uint8_t>(ends ? 120 : 0),
                                         static_cast<uint8_t>(ends ? 0 : 120)});
    }
  }
  const Drawing drawing = Draw({.from = 10 * kMs,
                                .to = 30 * kMs,
                                .first = 10 * kMs,
                                .cpus = {},
                                .wants_thread = {},
                                .progress = {}});
  EXPECT_EQ(drawing.cpus.size(), Drawing::kMaxCpus);
  EXPECT_EQ(drawing.other_cpus, 100 - Drawing::kMaxCpus);
  EXPECT_TRUE(drawing.is_whole);
}

TEST_F(DrawingReaderTest, ChoosesThreads) {
  const Drawing one = Draw({.from = 10 * kMs,
                            .to = 30 * kMs,
                            .cpus = {},
                            .max_threads = 1,
                            .wants_thread = {},
                            .progress = {}});
  EXPECT_EQ(one.threads.size(), 1U);
  EXPECT_EQ(one.other_threads, 1U);
  const Drawing named =
      Draw({.from = 10 * kMs,
            .to = 30 * kMs,
            .cpus = {5},
            .wants_thread = [](fxt::Koid koid, std::string_view) { return koid == 20; },
            .progress = {}});
  ASSERT_EQ(named.threads.size(), 1U);
  EXPECT_EQ(named.threads[0].koid, 20U);
  EXPECT_TRUE(named.cpus.empty());
}

// 20 is woken at 15 and waits until 20.
TEST_F(DrawingReaderTest, ShowsSelectedThreadsThatOnlyWait) {
  const auto draw = [&](bool asked) {
    DrawOptions options;
    options.from = 16 * kMs;
    options.to = 18 * kMs;
    if (asked) options.wants_thread = [](fxt::Koid koid, std::string_view) { return koid == 20; };
    return Draw(options);
  };
  const Drawing asked = draw(true);
  ASSERT_EQ(asked.threads.size(), 1U);
  EXPECT_EQ(asked.threads[0].koid, 20U);
  EXPECT_NEAR(Sum(asked.threads[0], Drawing::State::kWakeup), 2 * kMs, 1e-3);
  const Drawing all = draw(false);
  ASSERT_EQ(all.threads.size(), 1U);
  EXPECT_EQ(all.threads[0].koid, 10U);
}

TEST_F(DrawingReaderTest, FailsOnOtherFiles) {
  const std::vector<std::byte> bytes(64, std::byte{0x7f});
  fxt::MemorySource source(bytes);
  DrawingReader reader({.from = 0, .to = 1, .cpus = {}, .wants_thread = {}, .progress = {}});
  EXPECT_FALSE(reader.Choose(source));
}

}  // namespace
}  // namespace analyze
