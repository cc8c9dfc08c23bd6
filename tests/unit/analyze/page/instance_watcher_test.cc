// SPDX-License-Identifier: BSD-2-Clause
#include "analyze/page/instance_watcher.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/measure/trace_script.h"

namespace analyze {
namespace {

using measure::testing::TraceScript;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using Activity = InstancePicture::Activity;

// "app" sleeps from 100 us to 1100 us, until "waker" wakes it, which an interrupt woke.
void Asleep(TraceScript& trace) {
  trace.Name(7, "app").Name(8, "hog").Name(9, "waker");
  trace.Switch(0, 0, 0, "R", 7).Switch(0, 1, 0, "R", 9).Switch(10'000, 1, 9, "S", 8);
  trace.Switch(100'000, 0, 7, "S", 0);
  trace.Wake(900'000, 9).Switch(910'000, 0, 0, "R", 9).Wake(1'100'000, 7, 9);
  trace.Switch(1'110'000, 0, 9, "S", 7).Switch(2'000'000, 0, 7, "S", 0);
  trace.Switch(2'100'000, 1, 8, "S", 0);
}

TEST(InstanceWatcherTest, ShowsCpusThreadsAndWakers) {
  InstanceWatcher watcher({{100'000, 1'000'000, 7}});
  EXPECT_EQ(watcher.until(), 1'300'000u);
  TraceScript trace;
  Asleep(trace);
  trace.Collect({.to = watcher.until(), .watcher = &watcher});
  ASSERT_THAT(watcher.pictures(), SizeIs(1));
  const InstancePicture& picture = watcher.pictures()[0];
  EXPECT_EQ(picture.first, 0u);
  ASSERT_THAT(picture.chain, SizeIs(2));
  EXPECT_EQ(picture.chain[0].woken, 7u);
  EXPECT_EQ(picture.chain[0].waker, 9u);
  EXPECT_EQ(picture.chain[1].waker, std::nullopt);
  ASSERT_THAT(picture.cpus, SizeIs(2));
  const auto& pieces = picture.cpus[0].pieces;
  ASSERT_THAT(pieces, SizeIs(4));  // app, idle, waker, app
  EXPECT_EQ(pieces[1].what, Activity::kIdle);
  EXPECT_EQ(pieces[1].end, 910'000u);
  EXPECT_EQ(pieces[2].thread, 9u);
  EXPECT_EQ(pieces[3].end, picture.last);  // it runs on behind it
  bool sleeps = false;
  for (const InstancePicture::State& state : picture.states) {
    sleeps = sleeps || (state.thread == 7 && state.share == facts::Share::kSleeping &&
                        state.begin == 100'000 && state.end == 1'100'000);
  }
  EXPECT_TRUE(sleeps);
}

TEST(InstanceWatcherTest, MergesShortRuns) {
  TraceScript trace;
  trace.Name(7, "app").Name(8, "a").Name(9, "b");
  trace.Switch(0, 1, 0, "R", 7);
  trace.Switch(0, 0, 0, "R", 8);
  // 100 ms of slices of 10 us.
  fxt::Koid running = 8;
  for (uint64_t time = 10'000; time < 100'000'000; time += 10'000) {
    const fxt::Koid next = 17 - running;
    trace.Switch(time, 0, running, "R+", next);
    running = next;
  }
  trace.Switch(100'000'000, 1, 7, "S", 0).Switch(100'000'000, 0, running, "S", 0);
  InstanceWatcher watcher({{0, 100'000'000, 7}});
  trace.Collect({.to = watcher.until(), .watcher = &watcher});
  const InstancePicture& picture = watcher.pictures()[0];
  ASSERT_THAT(picture.cpus, SizeIs(2));
  ASSERT_THAT(picture.cpus[0].pieces, SizeIs(1));
  EXPECT_EQ(picture.cpus[0].pieces[0].what, Activity::kMany);
  EXPECT_EQ(picture.cpus[0].pieces[0].busy_ns, 100'000'000u);
}

TEST(InstanceWatcherTest, BoundsMemory) {
  TraceScript trace;
  for (uint32_t cpu = 0; cpu < 60; ++cpu) {
    trace.Switch(cpu, cpu, 0, "R", 100 + cpu);
  }
  for (uint64_t round = 1; round < 20; ++round) {
    for (uint32_t cpu = 0; cpu < 60; ++cpu) {
      trace.Switch(round * 10'000 + cpu, cpu, 100 + cpu, "R+", 100 + cpu + (round & 1) * 100);
    }
  }
  InstanceWatcher watcher({{0, 200'000, 100}, {0, UINT64_MAX, 7}, {UINT64_MAX, 5, 7}});
  EXPECT_EQ(watcher.until(), UINT64_MAX);
  trace.Collect({.watcher = &watcher});
  for (const InstancePicture& picture : watcher.pictures()) {
    EXPECT_LE(picture.cpus.size(), InstancePicture::kCpus);
    EXPECT_LE(picture.states.size(), InstancePicture::kStates);
    for (const auto& lane : picture.cpus) {
      EXPECT_LE(lane.pieces.size(), 4 * InstancePicture::kParts);
    }
  }
}

TEST(InstanceWatcherTest, LeavesOutInstancesThatTheTraceLacks) {
  InstanceWatcher watcher({{50'000'000, 1000, 7}});
  TraceScript trace;
  Asleep(trace);
  trace.Collect({.watcher = &watcher});
  EXPECT_THAT(watcher.pictures()[0].cpus, IsEmpty());
  EXPECT_THAT(watcher.pictures()[0].chain, IsEmpty());
}

}  // namespace
}  // namespace analyze
