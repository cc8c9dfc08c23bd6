// SPDX-License-Identifier: BSD-2-Clause
#include "measure/collect/collector.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "unit/measure/trace_script.h"

namespace measure {
namespace {

using facts::Share;
using testing::BlameOn;
using ::testing::ElementsAre;
using testing::Find;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using testing::TraceScript;

// A thread "app" that runs, sleeps, is woken and waits behind "hog".
Capture Simple(const CollectorOptions& options = {}) {
  TraceScript trace;
  trace.Name(7, "app").Name(8, "hog").Name(9, "waker");
  trace.Switch(100, 0, 0, "R", 7);
  trace.Switch(200, 0, 7, "S", 8);
  trace.Wake(300, 7, 9);
  trace.Switch(350, 0, 8, "R+", 7);
  trace.Switch(400, 0, 7, "R+", 8);
  trace.Switch(450, 0, 8, "S", 7);
  trace.Switch(500, 0, 7, "S", 0);
  return trace.Collect(options);
}

TEST(CollectorTest, TheTimeOfAGroupIsDividedIntoShares) {
  const Capture capture = Simple();
  EXPECT_EQ(capture.begin, 100u);
  EXPECT_EQ(capture.end, 500u);
  const Group* app = Find(capture, "app");
  ASSERT_NE(app, nullptr);
  EXPECT_EQ(app->threads, 1u);
  EXPECT_EQ(app->of(Share::kRunning), 100u + 50 + 50);
  EXPECT_EQ(app->of(Share::kSleeping), 100u);
  EXPECT_EQ(app->of(Share::kRunnableWakeup), 50u);
  EXPECT_EQ(app->of(Share::kRunnablePreempted), 50u);
  EXPECT_EQ(app->of(Share::kUnknown) + app->of(Share::kAbsent), 0u);
  EXPECT_EQ(app->switches_voluntary, 2u);
  EXPECT_EQ(app->switches_involuntary, 1u);
  EXPECT_EQ(app->wakeups, 1u);
  EXPECT_THAT(app->pids, ElementsAre(7));
  EXPECT_EQ(Find(capture, ""), nullptr) << "idle is not a task";
  ASSERT_THAT(capture.by_cpu, SizeIs(1));
  EXPECT_EQ(capture.by_cpu[0].busy_ns, 400u);
}

TEST(CollectorTest, LengthsAreInTheirDistributions) {
  const Capture capture = Simple();
  const Group& app = *Find(capture, "app");
  EXPECT_EQ(app.of(Duration::kSlice).whole.count(), 3u);
  EXPECT_EQ(app.of(Duration::kSlice).whole_ns, 200u);
  EXPECT_EQ(app.of(Duration::kSlice).longest_ns, 100u);
  EXPECT_EQ(app.of(Duration::kWakeupLatency).whole_ns, 50u);
  EXPECT_EQ(app.of(Duration::kPreemptedWait).whole_ns, 50u);
  EXPECT_EQ(app.of(Duration::kSleep).whole_ns, 100u);
  ASSERT_THAT(app.of(Duration::kSleep).worst, SizeIs(1));
  EXPECT_EQ(app.of(Duration::kSleep).worst[0], (Instance{200, 100, 7, 0}));
}

TEST(CollectorTest, ThrottledTimeIsNoWaitForACpuAndHasItsLimit) {
  TraceScript script;
  script.Name(7, "app").Name(8, "hog");
  script.Switch(100, 0, 8, "R+", 7).Switch(200, 0, 7, "Rq", 8);
  script.Throttled(300, 7, 100, 20, "/limited").Switch(300, 0, 8, "R+", 7);
  script.Switch(350, 0, 7, "Rq", 8);
  const Capture capture = script.Collect();
  const Group& app = *Find(capture, "app");
  EXPECT_EQ(app.of(Share::kRunning), 150u);
  EXPECT_EQ(app.of(Share::kThrottled), 80u);
  EXPECT_EQ(app.of(Share::kRunnablePreempted), 20u);
  EXPECT_EQ(app.of(Duration::kPreemptedWait).whole_ns, 20u);
  EXPECT_EQ(BlameOn(capture, app, Attribution::kHeldCpu, "hog").ns, 20u);
  const std::map<facts::CpuLimit, uint64_t> limits = {{{"/limited", 30, 100}, 80}};
  EXPECT_EQ(app.limits, limits);
}

TEST(CollectorTest, WaitsAreAttributedToRunningThreadsAndSleepsToTheWaker) {
  const Capture capture = Simple();
  const Group& app = *Find(capture, "app");
  EXPECT_EQ(BlameOn(capture, app, Attribution::kHeldCpu, "hog"), (Blame{.count = 2, .ns = 100}));
  EXPECT_EQ(BlameOn(capture, app, Attribution::kPreemptedBy, "hog"), (Blame{.count = 1, .ns = 50}));
  // The waker never ran here: it is known by name alone, and no group.
  EXPECT_EQ(BlameOn(app, Attribution::kWokenBy, kNoGroup), (Blame{.count = 1, .ns = 100}));
  EXPECT_THAT(app.of(Attribution::kHeldCpuLower), IsEmpty());
}

// Threads of one process give each other no requests.
TEST(CollectorTest, AThreadThatIsFirstSeenByAWakeupHasItsProcessOnTheFastPath) {
  constexpr int kRequests = 5;
  TraceScript trace(TraceScript::kIndexed);
  trace.Name(1, "client").Process(20, "server").Thread(20, "worker", 20).Thread(21, "timer", 20);
  trace.Name(8, "other").Name(9, "another");
  uint64_t time = 100;
  const auto wake = [&](fxt::Koid thread, fxt::Koid waker, uint16_t cpu) {
    trace.Wake(++time, thread, waker, cpu);
    trace.Switch(++time, cpu, 0, "R", thread);
  };
  const auto sleep = [&](fxt::Koid thread, uint16_t cpu) {
    trace.Switch(++time, cpu, thread, "S", 0);
  };
  // The first switch of a CPU takes the general path.
  for (const uint16_t cpu : {0, 1}) {
    wake(8 + cpu, 0, cpu);
    sleep(8 + cpu, cpu);
  }
  wake(1, 0, 0);
  for (int i = 0; i <= kRequests; ++i) {
    wake(20, 1, 1);
    sleep(1, 0);
    wake(1, 20, 0);
    sleep(20, 1);
  }
  sleep(1, 0);
  wake(21, 0, 0);
  wake(20, 21, 1);
  uint64_t taken = 0;
  const Capture fast = trace.CollectFastPath({}, &taken);
  EXPECT_GT(taken, 20u);
  EXPECT_TRUE(fast == trace.Collect());
  uint64_t for_work = 0;
  for (const Group& group : fast.groups) {
    if (group.name.process == "server") for_work += group.of(Duration::kForWork).whole.count();
  }
  EXPECT_EQ(for_work, uint64_t{kRequests});
}

TEST(CollectorTest, AWakeupWithoutAWakerIsAnInterrupts) {
  TraceScript trace;
  trace.Name(7, "app");
  trace.Switch(100, 0, 7, "S", 0).Wake(200, 7).Switch(210, 0, 0, "R", 7).Switch(250, 0, 7, "D", 0);
  trace.Wake(300, 7, 7).Switch(310, 0, 0, "R", 7);
  const Capture capture = trace.Collect();
  const Group& app = *Find(capture, "app");
  EXPECT_EQ(BlameOn(app, Attribution::kWokenBy, kInterrupt), (Blame{.count = 1, .ns = 100}));
  EXPECT_EQ(BlameOn(capture, app, Attribution::kWokenBy, "app"),
            (Blame{.count = 1, .ns = 50, .blocked_ns = 50, .blocked = 1}));
  EXPECT_EQ(app.after_blocked_ns, 10u);
  EXPECT_EQ(app.of(Duration::kBlocked).whole_ns, 50u);
  EXPECT_EQ(app.of(Duration::kWakeupLatency).whole_ns, 20u);
}

TEST(CollectorTest, WaitsCutByAnEdgeAreCountedApart) {
  TraceScript trace;
  trace.Name(7, "app").Name(8, "hog").Session(0);
  trace.Switch(100, 0, 7, "S", 8);  // 7 ran since before the window
  trace.Switch(200, 0, 8, "R+", 0);
  const Capture capture = trace.Collect();
  const Group& app = *Find(capture, "app");
  EXPECT_TRUE(app.of(Duration::kSlice).whole.empty());
  EXPECT_EQ(app.of(Duration::kSlice).cut.count(), 1u);
  EXPECT_EQ(app.of(Duration::kSlice).cut_ns, 100u);
  EXPECT_TRUE(app.of(Duration::kSleep).whole.empty());
  EXPECT_EQ(app.of(Duration::kSleep).cut_ns, 100u);
  EXPECT_EQ(app.of(Share::kSleeping), 100u);
}

TEST(CollectorTest, FactsAtALossAreUnknown) {
  TraceScript trace;
  trace.Name(7, "app").Name(8, "hog");
  trace.Switch(100, 0, 0, "R", 7).Switch(200, 0, 7, "S", 8).Loss(250, 1, 5);
  trace.Wake(300, 7, 8).Switch(310, 0, 8, "R+", 7).Switch(400, 0, 7, "S", 8);
  trace.Wake(450, 7, 8).Switch(460, 0, 8, "R+", 7);
  const Capture capture = trace.Collect();
  const Group& app = *Find(capture, "app");
  EXPECT_EQ(capture.lost_events, 5u);
  // CPU 1 is in the dark up to the end, and so is the second sleep.
  EXPECT_EQ(app.of(Duration::kSleep).unknown, 2u);
  EXPECT_EQ(app.of(Duration::kSleep).unknown_ns, 150u);
  EXPECT_TRUE(app.of(Duration::kSleep).whole.empty());
  EXPECT_GE(app.of(Share::kUnknown), 100u);
}

TEST(CollectorTest, FactsAtAnUnseenSwitchAreUnknown) {
  TraceScript trace;
  trace.Name(7, "app").Name(8, "hog").Name(9, "third");
  trace.Switch(100, 0, 0, "R", 7).Unseen(200, 0).Switch(200, 0, 7, "R", 8);
  trace.Switch(200, 0, 8, "R+", 9).Switch(300, 0, 9, "R+", 7);
  const Capture capture = trace.Collect();
  const Group& app = *Find(capture, "app");
  EXPECT_EQ(capture.unseen_switches, 1u);
  EXPECT_EQ(app.of(Share::kUnknown), 200u);
  EXPECT_TRUE(app.of(Duration::kPreemptedWait).whole.empty());
  EXPECT_EQ(app.switches_involuntary + app.switches_voluntary, 0u);
}

TEST(CollectorTest, ASleepThatEndsWithoutAWakeupIsUnknown) {
  TraceScript trace;
  trace.Name(7, "app").Name(8, "hog");
  trace.Switch(100, 0, 0, "R", 7).Switch(200, 0, 7, "S", 8).Switch(300, 0, 8, "R+", 7);
  const Capture capture = trace.Collect();
  const Group& app = *Find(capture, "app");
  EXPECT_EQ(app.of(Duration::kSleep).unknown, 1u);
  EXPECT_EQ(app.of(Share::kUnknown), 100u);
  EXPECT_EQ(app.wakeups, 0u);
}

TEST(CollectorTest, WakeupsOfRunningAndRunnableThreadsAreIgnored) {
  TraceScript trace;
  trace.Name(7, "app").Name(8, "hog");
  trace.Switch(100, 0, 0, "R", 7).Wake(150, 7, 8).Switch(200, 0, 7, "R+", 8).Wake(250, 7, 8);
  trace.Switch(300, 0, 8, "R+", 7);
  const Capture capture = trace.Collect();
  const Group& app = *Find(capture, "app");
  EXPECT_EQ(app.wakeups, 0u);
  EXPECT_EQ(app.of(Duration::kPreemptedWait).whole_ns, 100u);
  EXPECT_TRUE(app.of(Duration::kWakeupLatency).whole.empty());
}

TEST(CollectorTest, TheFirstRunOfANewThreadEndsAWakeupLatency) {
  TraceScript trace;
  trace.Name(7, "app");
  trace.Switch(100, 0, 0, "R", 7).Thread(8, "app", 7).Fork(120, 7, 8).Wake(130, 8, 7);
  trace.Switch(200, 0, 7, "S", 8).Switch(300, 0, 8, "X", 0);
  const Capture capture = trace.Collect();
  const Group& app = *Find(capture, "app");
  EXPECT_EQ(app.threads, 2u);
  EXPECT_EQ(app.forked_threads, 1u);
  EXPECT_EQ(app.forked_processes, 0u);
  EXPECT_EQ(app.wakeups, 0u);
  EXPECT_EQ(app.of(Duration::kWakeupLatency).whole_ns, 70u);
  EXPECT_EQ(app.of(Share::kAbsent), 30u);
}

TEST(CollectorTest, AForkedChildCountsUnderItsNewName) {
  TraceScript trace;
  trace.Name(7, "sh").Switch(100, 0, 0, "R", 7);
  trace.Process(8, "sh", 7).Thread(8, "sh", 8).Fork(120, 7, 8).Wake(130, 8, 7);
  trace.Switch(200, 0, 7, "S", 8).Switch(250, 0, 8, "R+", 0).Switch(260, 0, 0, "R", 8);
  trace.Name(8, "make", 7).Exec(270, 8).Switch(300, 0, 8, "X", 0);
  const Capture capture = trace.Collect();
  EXPECT_THAT(capture.groups, SizeIs(2));
  EXPECT_EQ(Find(capture, "sh")->threads, 1u);
  EXPECT_EQ(Find(capture, "sh")->forked_processes, 1u);
  const Group& make = *Find(capture, "make");
  EXPECT_EQ(make.threads, 1u);
  EXPECT_EQ(make.of(Share::kRunning), 90u);
  EXPECT_EQ(make.of(Duration::kWakeupLatency).whole_ns, 70u);
}

TEST(CollectorTest, AThreadThatIsRenamedLaterCountsInBothGroupsForItsPart) {
  TraceScript trace;
  trace.Name(7, "first").Switch(0, 0, 0, "R", 7);
  trace.Switch(100, 0, 7, "R+", 0).Name(7, "second").Switch(150, 0, 0, "R", 7);
  trace.Switch(200, 0, 7, "S", 0).Name(7, "first").Wake(250, 7).Switch(260, 0, 0, "R", 7);
  const Capture capture = trace.Collect();
  const Group& first = *Find(capture, "first");
  const Group& second = *Find(capture, "second");
  EXPECT_EQ(first.threads, 1u) << "back again it is the same thread";
  EXPECT_EQ(second.threads, 1u);
  EXPECT_EQ(first.of(Share::kRunning), 100u);
  EXPECT_EQ(second.of(Share::kRunning), 50u);
  for (const Group* group : {&first, &second}) {
    uint64_t sum = 0;
    for (const uint64_t share : group->share_ns) sum += share;
    EXPECT_EQ(sum, capture.length());
  }
}

TEST(CollectorTest, TheCommandsTreeIsApartFromOthersOfTheSameName) {
  TraceScript trace;
  trace.Name(7, "fxt-record").Name(20, "fxt-record", 7).Name(30, "sh");
  trace.Session(0, {TraceScript::Command(20)});
  trace.Switch(10, 0, 0, "R", 20).Name(20, "sh", 7).Exec(15, 20);
  trace.Process(21, "sh", 20).Thread(21, "sh", 21).Fork(20, 20, 21).Wake(22, 21, 20);
  trace.Switch(30, 0, 20, "S", 21).Name(21, "ls", 20).Exec(35, 21).Exit(40, 21);
  trace.Switch(40, 0, 21, "X", 30).Wake(45, 20, 7).Switch(50, 0, 30, "S", 20);
  trace.Exit(95, 20).Switch(100, 0, 20, "X", 7);
  trace.Switch(110, 0, 7, "S", 0);
  const Capture capture = trace.Collect();
  EXPECT_EQ(capture.elapsed_ns, 80u);
  ASSERT_THAT(capture.groups, SizeIs(4));
  EXPECT_EQ(capture.groups[0].name, (GroupName{"fxt-record", "fxt-record", false}));
  EXPECT_TRUE(capture.groups[0].of_recorder);
  EXPECT_EQ(capture.groups[1].name, (GroupName{"ls", "ls", true}));
  EXPECT_EQ(capture.groups[2].name, (GroupName{"sh", "sh", false}));
  EXPECT_EQ(capture.groups[3].name, (GroupName{"sh", "sh", true}));
  EXPECT_FALSE(capture.groups[3].of_recorder);
  EXPECT_EQ(capture.groups[3].threads, 1u);
}

TEST(CollectorTest, ALowerPriorityOnTheCpuIsInversion) {
  TraceScript trace;
  trace.Name(7, "urgent").Name(8, "hog").Name(9, "peer");
  trace.Switch(0, 0, 0, "R", 7, 0, 100).Switch(100, 0, 7, "S", 8, 100, 130).Wake(150, 7);
  trace.Switch(200, 0, 8, "R+", 9, 130, 100).Switch(230, 0, 9, "S", 7, 100, 100);
  const Capture capture = trace.Collect();
  const Group& urgent = *Find(capture, "urgent");
  EXPECT_EQ(urgent.inversion_ns, 50u);
  EXPECT_EQ(BlameOn(capture, urgent, Attribution::kHeldCpuLower, "hog").ns, 50u);
  EXPECT_EQ(BlameOn(capture, urgent, Attribution::kHeldCpu, "hog").ns, 50u);
  EXPECT_EQ(BlameOn(capture, urgent, Attribution::kHeldCpu, "peer").ns, 30u);
}

TEST(CollectorTest, WaitingWhileAnotherCpuIdlesIsNotConserved) {
  TraceScript trace;
  trace.Name(7, "app").Name(8, "hog").Name(9, "other");
  trace.Switch(0, 0, 0, "R", 8).Switch(0, 1, 0, "R", 9).Switch(10, 0, 8, "R+", 7);
  trace.Switch(100, 0, 7, "R+", 8).Switch(130, 1, 9, "S", 0);
  trace.Switch(200, 0, 8, "S", 7);
  // Its own CPU's idle time is none.
  trace.Switch(210, 0, 7, "S", 0).Wake(220, 7).Switch(240, 0, 0, "R", 7);
  const Capture capture = trace.Collect();
  EXPECT_EQ(Find(capture, "app")->unconserved_ns, 70u);
}

TEST(CollectorTest, AMigratedWaitIsAttributedToThreadsOfBothCpus) {
  TraceScript trace;
  trace.Name(7, "app").Name(8, "hog").Name(9, "other");
  trace.Switch(0, 0, 0, "R", 7).Switch(0, 1, 0, "R", 9);
  trace.Switch(100, 0, 7, "R+", 8).Migrate(170, 7, 0, 1).Switch(200, 1, 9, "S", 7);
  trace.Switch(220, 1, 7, "S", 0);
  const Capture capture = trace.Collect();
  const Group& app = *Find(capture, "app");
  EXPECT_EQ(app.migrations, 1u);
  EXPECT_EQ(BlameOn(capture, app, Attribution::kHeldCpu, "hog").ns, 70u);
  EXPECT_EQ(BlameOn(capture, app, Attribution::kHeldCpu, "other").ns, 30u);
}

TEST(CollectorTest, HandlersAndCallsHaveLengths) {
  TraceScript trace;
  trace.Name(7, "app").Switch(0, 0, 0, "R", 7);
  trace.Span(10, 20, schema::IrqKoid(0), "irq", "irq 36 virtio1");
  trace.Span(20, 50, schema::SoftirqKoid(0), "softirq", "RCU");
  trace.Span(60, 90, 7, "syscall", "read").Begin(95, 7, "syscall", "futex");
  trace.Switch(100, 0, 7, "S", 0);
  trace.Span(110, 115, schema::IrqKoid(0), "irq", "irq 37 virtio2");
  trace.End(117, 7, "syscall", "write");  // no begin of that name
  trace.Begin(118, 7, "syscall", "nanosleep").Wake(120, 7).Switch(130, 0, 0, "R", 7);
  const Capture capture = trace.Collect();
  const Group& app = *Find(capture, "app");
  EXPECT_EQ(app.of(Duration::kIrq).whole_ns, 10u);
  EXPECT_EQ(app.of(Duration::kSoftirq).whole_ns, 30u);
  EXPECT_EQ(capture.handlers.at("irq # virtio#").whole_ns, 15u);
  EXPECT_EQ(capture.handlers.at("softirq RCU").whole_ns, 30u);
  EXPECT_EQ(app.syscalls.at("read").whole_ns, 30u);
  EXPECT_EQ(app.syscalls.at("nanosleep").cut_ns, 12u);
  EXPECT_FALSE(app.syscalls.contains("futex"));
  EXPECT_FALSE(app.syscalls.contains("write"));
}

TEST(CollectorTest, CallsBeforeAThreadsFirstSwitchAreOfItsGroup) {
  // "app" has run since before the capture.
  TraceScript trace;
  trace.Name(7, "app").Name(8, "other").Switch(0, 1, 0, "R", 8);
  trace.Span(10, 40, 7, "syscall", "read").Begin(50, 7, "syscall", "write");
  trace.Switch(60, 0, 7, "R+", 8).Switch(70, 0, 8, "S", 7).End(80, 7, "syscall", "write");
  trace.Switch(90, 0, 7, "S", 0);
  const Capture capture = trace.Collect();
  EXPECT_EQ(Find(capture, "app")->syscalls.at("read").whole_ns, 30u);
  EXPECT_EQ(Find(capture, "app")->syscalls.at("write").whole_ns, 30u);
}

TEST(CollectorTest, AWindowCutsAtItsEdges) {
  const Capture capture = Simple({.from = 150, .to = 375});
  EXPECT_EQ(capture.length(), 225u);
  const Group& app = *Find(capture, "app");
  EXPECT_EQ(app.of(Share::kRunning), 75u);
  EXPECT_EQ(app.of(Duration::kSlice).cut_ns, 75u);
  EXPECT_TRUE(app.of(Duration::kSlice).whole.empty());
  EXPECT_EQ(app.of(Duration::kSleep).whole_ns, 100u);
  EXPECT_EQ(app.switches_voluntary, 1u);
  EXPECT_EQ(app.switches_involuntary, 0u);
  EXPECT_EQ(capture.by_cpu[0].busy_ns, 225u);
}

TEST(CollectorTest, AnEmptyTraceIsAnEmptyCapture) {
  const Capture capture = TraceScript().Collect();
  EXPECT_THAT(capture.groups, IsEmpty());
  EXPECT_EQ(capture.length(), 0u);
}

TEST(CollectorTest, ThereAreNoMoreGroupsThanALimit) {
  TraceScript trace;
  for (uint32_t i = 0; i < 3000; ++i) {
    std::string name = "p";
    for (uint32_t rest = i; rest != 0; rest /= 20) name += static_cast<char>('a' + rest % 20);
    trace.Name(10 + i, name);
  }
  for (uint32_t i = 0; i < 2999; ++i) trace.Switch(10 * i, 0, 10 + i, "S", 11 + i);
  const Capture capture = trace.Collect();
  EXPECT_LE(capture.groups.size(), GroupTable::kMaxGroups);
  const Group* others = Find(capture, kOthers);
  ASSERT_NE(others, nullptr);
  EXPECT_GT(others->threads, 900u);
  uint64_t threads = 0;
  for (const Group& group : capture.groups) threads += group.threads;
  EXPECT_EQ(threads, 3000u);
}

// The names of threads of other programs do not change the groups of the command.
TEST(CollectorTest, AThreadThatIsRenamedWithoutEndLeavesTheCommandItsGroups) {
  TraceScript trace;
  trace.Name(7, "chaos").Name(20, "fxt-record", 8);
  trace.Session(0, {TraceScript::Command(20)});
  uint64_t time = 10;
  for (uint32_t i = 0; i < 25'000; ++i, time += 10) {
    std::string name = "c";
    for (uint32_t rest = i; rest != 0; rest /= 20) name += static_cast<char>('a' + rest % 20);
    trace.Thread(7, name, 7).Switch(time, 0, 0, "R", 7).Switch(time + 5, 0, 7, "S", 0);
  }
  trace.Switch(time, 0, 0, "R", 20).Name(20, "player", 8).Exec(time + 1, 20);
  trace.Switch(time + 10, 0, 20, "S", 0);
  const Capture capture = trace.Collect();
  const Group* player = Find(capture, "player");
  ASSERT_NE(player, nullptr);
  EXPECT_TRUE(player->name.of_command);
  EXPECT_LT(capture.groups.size(), 300u);
  uint64_t of_chaos = 0;
  for (const Group& group : capture.groups) {
    if (group.name.process == "chaos") of_chaos += group.of(Share::kRunning);
  }
  EXPECT_EQ(of_chaos, 25'000u * 5);
}

}  // namespace
}  // namespace measure
