// SPDX-License-Identifier: BSD-2-Clause
#include "facts/timeline/timeline.h"

#include <gmock/gmock-more-matchers.h>
#include <gtest/gtest.h>

#include "unit/facts/timeline/fact_list.h"
#include "unit/fxt/support/file_builder.h"

namespace facts {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;
using namespace testing;  // NOLINT: the small words of fact_list.h

class TimelineTest : public ::testing::Test {
 protected:
  void Switch(uint64_t time, uint32_t cpu, SwitchSide outgoing, fxt::ThreadState state,
              SwitchSide incoming) {
    timeline.OnSwitch({time, cpu, state, outgoing, incoming});
  }
  void Switch(uint64_t time, uint32_t cpu, fxt::Koid outgoing, fxt::ThreadState state,
              fxt::Koid incoming) {
    Switch(time, cpu, Side(outgoing), state, Side(incoming));
  }
  void Wake(uint64_t time, fxt::Koid thread, std::optional<fxt::Koid> waker = std::nullopt) {
    timeline.OnWakeup({.time = time, .cpu = 0, .thread = thread, .waker = waker, .weight = {}});
  }
  void NotifyState(fxt::Koid thread, std::string_view letters) {
    const fxt::Argument state{fxt::StringRef::Inline("state"), fxt::StringRef::Inline(letters)};
    fxt::testing::FileBuilder file;
    file.Add(fxt::Event{.type = fxt::EventType::kInstant,
                        .timestamp = timeline.latest(),
                        .thread = fxt::ThreadRef::Inline(1, thread),
                        .category = fxt::StringRef::Inline("sched"),
                        .name = fxt::StringRef::Inline("linux_state"),
                        .arguments = {&state, 1}});
    fxt::MemorySource source(file.bytes());
    fxt::Reader reader(source);
    while (reader.Next() == fxt::ReadStatus::kRecord) timeline.Add(reader);
  }

  FactList facts;
  Timeline<FactList> timeline{facts};
};

TEST_F(TimelineTest, RunsIdleAndSleepFollowOneAnother) {
  Switch(10, 0, 0, kRunnable, 7);
  Switch(20, 0, 7, kAsleep, 0);
  Wake(30, 7, 8);
  Switch(35, 0, 0, kRunnable, 7);
  Switch(45, 0, 7, kAsleep, 0);
  EXPECT_THAT(facts.Take(),
              ElementsAre("idle cpu0 10-10 <edge", "run cpu0 t7 10-20 S", "wait t7 sleeping 20-30",
                          "idle cpu0 20-35", "wait t7 woken 30-35 by t8", "run cpu0 t7 35-45 S"));
  timeline.Finish(60);
  EXPECT_THAT(facts.Take(), ElementsAre("idle cpu0 45-60 edge>", "wait t7 sleeping 45-60"));
}

// Keeps the objects of waits.
struct ObjectList {
  std::vector<std::string> objects;
  void OnWait(const Wait& wait) {
    objects.push_back(wait.object == nullptr ? "none" : wait.object->object);
  }
};

TEST(TimelineObjectTest, ASleepHasWhatItWasForAndOthersHaveNone) {
  ObjectList list;
  Timeline<ObjectList> timeline(list);
  const auto change = [&](uint64_t time, fxt::Koid outgoing, fxt::ThreadState state,
                          fxt::Koid incoming) {
    timeline.OnSwitch({time, 0, state, Side(outgoing), Side(incoming)});
  };
  const auto wake = [&](uint64_t time, fxt::Koid thread) {
    timeline.OnWakeup({.time = time, .cpu = 0, .thread = thread, .waker = {}, .weight = {}});
  };
  change(10, 0, kRunnable, 7);
  timeline.OnObject(7, {.object = "runs"}, 15);
  change(20, 7, kAsleep, 0);
  timeline.OnObject(7, {.object = "first"}, 29);
  wake(30, 7);
  timeline.OnObject(7, {.object = "runnable"}, 32);
  change(35, 0, kRunnable, 7);
  change(45, 7, kAsleep, 0);
  wake(50, 7);
  change(55, 0, kRunnable, 7);
  change(60, 7, kAsleep, 0);
  // Without a wakeup.
  timeline.OnObject(7, {.object = "second"}, 70);
  change(75, 0, kRunnable, 7);
  EXPECT_THAT(list.objects, ElementsAre("first", "none", "none", "none", "second"));
}

TEST_F(TimelineTest, ThePreemptedOneWaitsUpToItsNextRun) {
  Switch(10, 0, 7, kRunnable, 8);
  Wake(12, 7);  // says nothing new
  Switch(20, 0, 8, kRunnable, 7);
  Switch(30, 0, 7, kAsleep, 8);
  EXPECT_THAT(facts.Take(), ElementsAre("run cpu0 t7 10-10 <edge R+", "run cpu0 t8 10-20 R+",
                                        "wait t7 preempted 10-20", "run cpu0 t7 20-30 S",
                                        "wait t8 preempted 20-30"));
}

TEST_F(TimelineTest, AThrottledThreadWaitsForQuotaAndThenForACpu) {
  NotifyState(7, "Rq");
  Switch(10, 0, 0, kRunnable, 7);
  Switch(20, 0, 7, kRunnable, 8);
  Wake(25, 7);  // says nothing new
  timeline.OnThrottled(7, 21, 60, 70, {.cgroup = "/a", .quota_ns = 30, .period_ns = 100});
  Switch(70, 0, 8, kAsleep, 7);
  Switch(80, 0, 7, kRunnable, 0);
  timeline.Finish(90);
  EXPECT_THAT(
      facts.Take(),
      ElementsAre("idle cpu0 0-10 <edge", "wait t7 unknown 0-10", "run cpu0 t7 10-20 Rq",
                  "wait t8 unknown 0-20", "wait t7 throttled 20-60 limit0", "run cpu0 t8 20-70 S",
                  "wait t7 preempted 60-70", "run cpu0 t7 70-80 Rq", "idle cpu0 80-90 edge>",
                  "wait t7 throttled 80-90", "wait t8 sleeping 70-90"));
  EXPECT_THAT(timeline.limits(), ElementsAre(CpuLimit{"/a", 30, 100}));
}

TEST_F(TimelineTest, AWaitMayBeThrottledInItsMiddle) {
  Switch(10, 0, 0, kRunnable, 7);
  Switch(20, 0, 7, kAsleep, 8);
  Wake(30, 7, 9);
  timeline.OnThrottled(7, 40, 60, 70, {.cgroup = "/a"});
  Switch(70, 0, 8, kAsleep, 7);
  EXPECT_THAT(facts.Take(),
              ElementsAre("idle cpu0 10-10 <edge", "run cpu0 t7 10-20 S", "wait t8 unknown 10-20",
                          "wait t7 sleeping 20-30", "wait t7 woken 30-40 by t9",
                          "wait t7 throttled 40-60 limit0", "run cpu0 t8 20-70 S",
                          "wait t7 preempted 60-70"));
  // Neither a thread that runs nor one that sleeps waits for quota.
  timeline.OnThrottled(7, 71, 72, 73, {.cgroup = "/b"});
  timeline.OnThrottled(8, 71, 72, 73, {.cgroup = "/b"});
  EXPECT_THAT(facts.Take(), IsEmpty());
  EXPECT_EQ(timeline.limits().size(), 1u);
}

TEST_F(TimelineTest, StatesAreThoseOfLinux) {
  Switch(10, 0, 7, kRunnable, 8);
  NotifyState(8, "D");
  Switch(20, 0, 8, kAsleep, 7);
  Switch(30, 0, 7, kHalted, 0);
  Wake(35, 8);
  Wake(36, 7);
  EXPECT_THAT(facts.Take(), ElementsAre("run cpu0 t7 10-10 <edge R+", "run cpu0 t8 10-20 D",
                                        "wait t7 preempted 10-20", "run cpu0 t7 20-30 T",
                                        "wait t8 blocked 20-35", "wait t7 stopped 30-36"));
  // D stays until another state is recorded.
  Switch(40, 0, 0, kRunnable, 8);
  Switch(50, 0, 8, kAsleep, 7);
  NotifyState(7, "W");
  Switch(60, 0, 7, kAsleep, 0);  // woken before its state was read: runnable from then on
  Switch(65, 0, 0, kRunnable, 7);
  EXPECT_THAT(facts.Take(),
              ElementsAre("idle cpu0 30-40", "wait t8 woken 35-40", "run cpu0 t8 40-50 D",
                          "wait t7 woken 36-50", "run cpu0 t7 50-60 W", "idle cpu0 60-65",
                          "wait t7 woken 60-65"));
}

TEST_F(TimelineTest, WhatEndedIsAbsentAndWhatIsMadeWasAbsent) {
  Switch(10, 0, 7, kRunnable, 8);
  timeline.OnFork(9, 15);
  Wake(17, 9, 8);
  Switch(20, 0, 8, kDead, 9);
  timeline.Finish(30);
  EXPECT_THAT(facts.Take(), ElementsAre("run cpu0 t7 10-10 <edge R+", "wait t9 absent 10-17",
                                        "run cpu0 t8 10-20 X", "wait t9 woken 17-20 by t8",
                                        "run cpu0 t9 20-30 edge>", "wait t7 preempted 10-30",
                                        "wait t8 absent 20-30"));
}

TEST_F(TimelineTest, BeforeItsFirstSwitchACpuRunsWhatLeavesThen) {
  Wake(0, 6);
  Switch(10, 1, 7, kAsleep, 8);
  EXPECT_THAT(facts.Take(), ElementsAre("run cpu1 t7 0-10 <edge S", "wait t8 unknown 0-10"));
  // Thread 7 was seen elsewhere: what CPU 2 did is not known.
  Switch(20, 2, 7, kAsleep, 6);
  EXPECT_THAT(facts.Take(), ElementsAre("gap cpu2 0-20 unseen", "wait t7 unknown 10-20",
                                        "run cpu2 t7 20-20 <unseen S", "wait t6 woken 0-20"));
}

TEST_F(TimelineTest, ASleepThatEndsWithoutAWakeupIsUnknown) {
  Switch(10, 0, 7, kAsleep, 8);
  Switch(20, 0, 8, kRunnable, 7);
  EXPECT_THAT(facts.Take(), ElementsAre("run cpu0 t7 10-10 <edge S", "run cpu0 t8 10-20 R+",
                                        "wait t7 unknown 10-20"));
}

TEST_F(TimelineTest, ALossIsAGapUpToTheNextKnownSwitch) {
  Switch(0, 0, 0, kRunnable, 7);
  Switch(0, 1, 0, kRunnable, 8);
  Switch(5, 1, 8, kAsleep, 9);
  facts.Take();
  // As the recorder writes it: loss, stand-in, and later the stand-in's end before the switch.
  timeline.OnLoss(0, 10);
  EXPECT_EQ(timeline.RunningOn(0), std::nullopt);
  EXPECT_EQ(timeline.CpuOf(7), std::nullopt);
  Switch(10, 0, Side(7), kRunnable, Lost(0));
  Switch(40, 0, Lost(0), kRunnable, Side(6));
  Switch(40, 0, 6, kAsleep, 7);
  EXPECT_THAT(facts.Take(),
              ElementsAre("run cpu0 t7 0-10 loss>", "gap cpu0 10-40 lost", "wait t6 unknown 0-40",
                          "run cpu0 t6 40-40 <loss S", "wait t7 unknown 10-40"));
  // A sleep on any CPU that went on meanwhile may have been interrupted; later ones were not.
  Wake(50, 8);
  Wake(51, 6);
  EXPECT_THAT(facts.Take(), ElementsAre("wait t8 unknown 5-50", "wait t6 sleeping 40-51"));
}

TEST_F(TimelineTest, ALossWithoutAStandInIsAGapToo) {
  Switch(0, 0, 0, kRunnable, 7);
  facts.Take();
  timeline.OnLoss(0, 10);
  Switch(30, 0, 7, kAsleep, 0);
  EXPECT_THAT(facts.Take(), ElementsAre("run cpu0 t7 0-10 loss>", "gap cpu0 10-30 lost",
                                        "wait t7 unknown 10-30", "run cpu0 t7 30-30 <loss S"));
  timeline.OnLoss(0, 40);
  Wake(45, 7);
  timeline.Finish(50);
  EXPECT_THAT(facts.Take(), ElementsAre("idle cpu0 30-40 loss>", "wait t7 unknown 30-45",
                                        "gap cpu0 40-50 lost", "wait t7 unknown 45-50"));
}

TEST_F(TimelineTest, AnUnseenSwitchLeavesOpenSinceTheLastOne) {
  Switch(0, 0, 0, kRunnable, 7);
  facts.Take();
  timeline.OnUnseenSwitch(0, 30);
  Switch(30, 0, 7, kRunnable, 8);
  Switch(30, 0, 8, kAsleep, 9);
  Switch(40, 0, 9, kRunnable, 7);
  EXPECT_THAT(facts.Take(), ElementsAre("gap cpu0 0-30 unseen", "wait t8 unknown 0-30",
                                        "run cpu0 t8 30-30 <unseen S", "wait t9 unknown 0-30",
                                        "run cpu0 t9 30-40 R+", "wait t7 unknown 0-40"));
}

TEST_F(TimelineTest, ASwitchThatIsMissingShows) {
  Switch(0, 0, 0, kRunnable, 7);
  Switch(10, 0, 7, kAsleep, 8);
  Switch(0, 1, 0, kRunnable, 6);
  facts.Take();
  Switch(30, 0, 6, kAsleep, 9);  // neither 8's end nor 6's is there
  EXPECT_THAT(facts.Take(), ElementsAre("gap cpu0 10-30 unseen", "wait t6 unknown 0-30",
                                        "run cpu0 t6 30-30 <unseen S", "wait t9 unknown 0-30"));
  EXPECT_EQ(timeline.RunningOn(1), std::nullopt);
  EXPECT_EQ(timeline.CpuOf(9), 0u);
  // It comes to CPU 1 while it is on CPU 0.
  Switch(40, 1, 0, kRunnable, 9);
  EXPECT_THAT(facts.Take(), ElementsAre("gap cpu1 0-40 unseen", "idle cpu1 40-40 <unseen",
                                        "wait t9 unknown 30-40"));
  EXPECT_EQ(timeline.RunningOn(0), std::nullopt);
  EXPECT_EQ(timeline.RunningOn(1), 9u);
  timeline.Finish(50);
  EXPECT_THAT(facts.Take(), UnorderedElementsAre("gap cpu0 30-50 unseen", "run cpu1 t9 40-50 edge>",
                                                 "wait t7 sleeping 10-50", "wait t8 unknown 10-50",
                                                 "wait t6 sleeping 30-50"));
}

TEST_F(TimelineTest, ReportsNothingForAnEmptyTrace) {
  timeline.Finish(0);
  EXPECT_THAT(facts.Take(), IsEmpty());
  EXPECT_EQ(timeline.RunningOn(0), std::nullopt);
  EXPECT_EQ(timeline.CpuOf(1), std::nullopt);
}

}  // namespace
}  // namespace facts
