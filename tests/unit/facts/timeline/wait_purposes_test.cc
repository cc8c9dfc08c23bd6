// SPDX-License-Identifier: BSD-2-Clause
#include "facts/timeline/wait_purposes.h"

#include <gtest/gtest.h>

#include <map>
#include <vector>

#include "facts/timeline/timeline.h"

namespace facts {
namespace {

// Threads that each have a CPU. All but those that are born within the trace sleep at its begin.
class World {
 public:
  // `thread` is there since before the trace, and asleep.
  void Old(fxt::Koid thread, fxt::Koid process) {
    process_[thread] = process;
    Switch(thread, /*comes=*/false, fxt::ThreadState::kBlocked);
    purposes_.NoteProcess(timeline_.Find(thread), process);
  }
  // `thread` runs since before the trace.
  void Running(fxt::Koid thread, fxt::Koid process) { process_[thread] = process; }
  // `maker` makes `thread`, which runs at once.
  void Born(fxt::Koid thread, fxt::Koid maker, fxt::Koid process) {
    process_[thread] = process;
    timeline_.OnFork(thread, ++now_);
    purposes_.NoteFork(timeline_.Find(maker), timeline_.Find(thread));
    Wake(thread, maker);
    purposes_.NoteProcess(timeline_.Find(thread), process);
  }
  void Sleep(fxt::Koid thread) { Switch(thread, false, fxt::ThreadState::kBlocked); }
  void Exit(fxt::Koid thread) { purposes_.NoteExit(timeline_.Find(thread)); }
  // Ends a sleep; 0 is an interrupt. Its purpose.
  WaitsFor Wake(fxt::Koid thread, fxt::Koid waker = 0) {
    Wakeup wakeup{
        .time = ++now_, .cpu = CpuOf(thread), .thread = thread, .waker = {}, .weight = {}};
    if (waker != 0) wakeup.waker = waker;
    wakeup.by_interrupt = waker == 0;
    last_ = WaitsFor::kUnknown;
    timeline_.OnWakeup(wakeup);
    const WaitsFor waits_for = last_;
    Switch(thread, true, fxt::ThreadState::kNew);
    return waits_for;
  }
  // The same for a sleep in a system call.
  WaitsFor Wake(fxt::Koid thread, fxt::Koid waker, const WaitObject& object) {
    timeline_.OnObject(thread, object, ++now_);
    return Wake(thread, waker);
  }
  // `asker` wakes `asked` and sleeps.
  WaitsFor Ask(fxt::Koid asker, fxt::Koid asked) {
    const WaitsFor waits_for = Wake(asked, asker);
    Sleep(asker);
    return waits_for;
  }
  // `process` runs a program.
  void Program(fxt::Koid process, const char* name) {
    fxt::KernelObject object;
    object.type = static_cast<uint8_t>(fxt::KernelObjectType::kProcess);
    object.koid = process;
    object.name = fxt::StringRef::Inline(name);
    purposes_.NoteProgram(object);
  }
  void Lose() { timeline_.OnLoss(-1, ++now_); }

  void OnWait(const Wait& wait) {
    last_ = purposes_.OnWait(wait, timeline_);
    const ThreadIndex giver = purposes_.giver();
    giver_ = giver == kNoThread ? 0 : timeline_.threads()[giver].koid;
  }
  // WaitPurposes::giver() of the last sleep; 0 is none.
  fxt::Koid giver() const { return giver_; }

 private:
  uint32_t CpuOf(fxt::Koid thread) { return static_cast<uint32_t>(thread); }
  void Switch(fxt::Koid thread, bool comes, fxt::ThreadState state) {
    facts::Switch change;
    change.time = ++now_;
    change.cpu = CpuOf(thread);
    change.outgoing_state = state;
    SwitchSide self{.thread = thread, .process = process_[thread], .priority = 120};
    SwitchSide idle{.thread = 10'000 + thread, .process = 0, .priority = 0, .idle = true};
    change.outgoing = comes ? idle : self;
    change.incoming = comes ? self : idle;
    timeline_.OnSwitch(change);
  }

  uint64_t now_ = 0;
  std::map<fxt::Koid, fxt::Koid> process_;
  WaitPurposes purposes_;
  WaitsFor last_ = WaitsFor::kUnknown;
  fxt::Koid giver_ = 0;
  Timeline<World> timeline_{*this};
};

constexpr fxt::Koid kShell = 1;
constexpr fxt::Koid kClient = 2;
constexpr fxt::Koid kServer = 3;
constexpr fxt::Koid kBackend = 4;
constexpr fxt::Koid kOtherProcess = 5;
constexpr fxt::Koid kWorker = 10;  // and above

class WaitPurposesTest : public ::testing::Test {
 protected:
  World world_;
};

TEST_F(WaitPurposesTest, ThreadsThatPassOnWhatTheyGotWaitForTheOneThatGaveIt) {
  constexpr fxt::Koid kHolder = kWorker, kFirst = kWorker + 1, kSecond = kWorker + 2;
  for (const fxt::Koid thread : {kHolder, kFirst, kSecond}) {
    world_.Old(thread, 4);
    world_.Wake(thread);
  }
  world_.Old(kOtherProcess, 5);
  const auto pass_time = [&] {
    for (int i = 0; i < 10; ++i) {
      world_.Wake(kOtherProcess);
      world_.Sleep(kOtherProcess);
    }
  };
  world_.Sleep(kFirst);
  world_.Sleep(kSecond);
  pass_time();
  world_.Wake(kFirst, kHolder);
  EXPECT_EQ(world_.giver(), kHolder);
  world_.Wake(kSecond, kFirst);
  EXPECT_EQ(world_.giver(), kHolder);
  // It had what the other one waits for, for most of the time.
  world_.Sleep(kFirst);
  world_.Sleep(kSecond);
  world_.Wake(kFirst, kHolder);
  pass_time();
  world_.Wake(kSecond, kFirst);
  EXPECT_EQ(world_.giver(), kFirst);
  // Threads of another process, and without a process.
  world_.Sleep(kSecond);
  world_.Wake(kSecond, kOtherProcess);
  EXPECT_EQ(world_.giver(), 0U);
  world_.Sleep(kSecond);
  world_.Wake(kSecond);
  EXPECT_EQ(world_.giver(), 0U);
}

TEST_F(WaitPurposesTest, ClosedLoopHasOneWhoAsksAndOneWhoWorks) {
  world_.Old(kShell, 1);
  world_.Old(kServer, 3);
  world_.Wake(kShell);
  world_.Born(kClient, kShell, 2);
  for (int i = 0; i < 1000; ++i) {
    EXPECT_EQ(world_.Ask(kClient, kServer), WaitsFor::kWork);
    EXPECT_EQ(world_.Ask(kServer, kClient), WaitsFor::kAnswer);
  }
}

TEST_F(WaitPurposesTest, LoopThatBeganBeforeTheTraceIsUnknownUntilATimerBeginsIt) {
  world_.Running(kClient, 2);
  world_.Old(kServer, 3);
  world_.Wake(kServer, kClient);
  world_.Sleep(kClient);
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(world_.Ask(kServer, kClient), WaitsFor::kUnknown);
    EXPECT_EQ(world_.Ask(kClient, kServer), WaitsFor::kUnknown);
  }
  // The answer, and a pause.
  world_.Ask(kServer, kClient);
  world_.Sleep(kClient);
  world_.Wake(kClient);
  EXPECT_EQ(world_.Ask(kClient, kServer), WaitsFor::kWork);
  EXPECT_EQ(world_.Ask(kServer, kClient), WaitsFor::kAnswer);
}

TEST_F(WaitPurposesTest, AnswerComesThroughOthers) {
  world_.Old(kShell, 1);
  world_.Wake(kShell);
  for (const fxt::Koid thread : {kClient, kServer, kBackend}) world_.Born(thread, kShell, thread);
  world_.Sleep(kServer);
  world_.Sleep(kBackend);
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(world_.Ask(kClient, kServer), WaitsFor::kWork);
    EXPECT_EQ(world_.Ask(kServer, kBackend), WaitsFor::kWork);
    if (i % 2 == 0) {
      // Back the same way,
      EXPECT_EQ(world_.Ask(kBackend, kServer), WaitsFor::kAnswer);
      EXPECT_EQ(world_.Ask(kServer, kClient), WaitsFor::kAnswer);
    } else {
      // or straight on.
      EXPECT_EQ(world_.Ask(kBackend, kClient), WaitsFor::kAnswer);
    }
  }
}

// Four workers of a process answer four clients. A thread that asks nothing of them holds their
// lock.
TEST_F(WaitPurposesTest, LockWithinARequest) {
  constexpr fxt::Koid kHolder = 9;
  world_.Old(kShell, 1);
  world_.Wake(kShell);
  world_.Born(kHolder, kShell, 3);
  world_.Sleep(kHolder);
  for (fxt::Koid i = 0; i < 4; ++i) {
    world_.Born(kWorker + i, kShell, 3);
    world_.Sleep(kWorker + i);
    world_.Born(kWorker + 10 + i, kShell, 2);
  }
  for (int turn = 0; turn < 10; ++turn) {
    world_.Wake(kHolder);
    for (fxt::Koid i = 0; i < 4; ++i) {
      const fxt::Koid worker = kWorker + i;
      const fxt::Koid client = kWorker + 10 + i;
      EXPECT_EQ(world_.Ask(client, worker), WaitsFor::kWork);
      world_.Sleep(worker);
      const WaitsFor waits_for = world_.Wake(worker, kHolder);
      // Until it has answered once, a thread may be one that never answers.
      if (turn > 0) {
        EXPECT_EQ(waits_for, WaitsFor::kLock);
      }
      EXPECT_EQ(world_.Ask(worker, client), WaitsFor::kAnswer);
    }
    world_.Sleep(kHolder);
  }
}

// A request to a server that runs wakes no thread.
TEST_F(WaitPurposesTest, AnswerToARequestThatIsNotInTheTrace) {
  world_.Old(kShell, 1);
  world_.Wake(kShell);
  for (const fxt::Koid thread : {kClient, kOtherProcess, kServer})
    world_.Born(thread, kShell, thread);
  world_.Sleep(kServer);
  world_.Ask(kClient, kServer);
  world_.Ask(kServer, kClient);
  EXPECT_EQ(world_.Ask(kOtherProcess, kServer), WaitsFor::kWork);
  // kClient asks meanwhile.
  world_.Sleep(kClient);
  EXPECT_EQ(world_.Wake(kOtherProcess, kServer), WaitsFor::kAnswer);
  EXPECT_EQ(world_.Ask(kServer, kClient), WaitsFor::kAnswer);
}

// The first request lies in a queue when the server begins.
TEST_F(WaitPurposesTest, RequestThatIsOlderThanItsServer) {
  world_.Old(kShell, 1);
  world_.Wake(kShell);
  world_.Born(kClient, kShell, 2);
  world_.Sleep(kClient);
  world_.Wake(kClient);
  world_.Sleep(kClient);
  world_.Born(kServer, kShell, 3);
  EXPECT_EQ(world_.Ask(kServer, kClient), WaitsFor::kUnknown);
  for (int i = 0; i < 10; ++i) {
    world_.Sleep(kClient);
    world_.Wake(kClient);
    EXPECT_EQ(world_.Ask(kClient, kServer), WaitsFor::kWork);
    EXPECT_EQ(world_.Ask(kServer, kClient), WaitsFor::kAnswer);
  }
}

// Two clients of a process and two workers of another one, which share a queue.
class PoolTest : public WaitPurposesTest {
 protected:
  static constexpr fxt::Koid kFirst = 2;
  static constexpr fxt::Koid kSecond = 5;
  static constexpr fxt::Koid kMain = 6;

  PoolTest() {
    world_.Old(kShell, 1);
    world_.Wake(kShell);
    world_.Born(kFirst, kShell, 2);
    world_.Born(kSecond, kFirst, 2);
    world_.Born(kMain, kShell, 3);
    world_.Born(kWorker, kMain, 3);
    world_.Born(kWorker + 1, kMain, 3);
    for (const fxt::Koid thread : {kFirst, kSecond, kMain, kWorker, kWorker + 1}) {
      world_.Sleep(thread);
    }
  }
  // A client's timer ends, and it asks the pool; `worker` wakes up for it.
  WaitsFor Ask(fxt::Koid client, fxt::Koid worker) {
    world_.Wake(client);
    return world_.Ask(client, worker);
  }
  // The same while all of the workers work.
  void AskBusy(fxt::Koid client) {
    world_.Wake(client);
    world_.Sleep(client);
  }
  // A worker has the answer, and goes on with another request or sleeps.
  WaitsFor Answer(fxt::Koid worker, fxt::Koid client) {
    const WaitsFor waits_for = world_.Wake(client, worker);
    world_.Sleep(client);
    return waits_for;
  }
};

TEST_F(PoolTest, AWorkerMayTakeTheRequestOfAnotherClient) {
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(Ask(kFirst, kWorker), WaitsFor::kWork);
    EXPECT_EQ(Ask(kSecond, kWorker + 1), WaitsFor::kWork);
    EXPECT_EQ(Answer(kWorker, kSecond), WaitsFor::kAnswer);
    world_.Sleep(kWorker);
    EXPECT_EQ(Answer(kWorker + 1, kFirst), WaitsFor::kAnswer);
    world_.Sleep(kWorker + 1);
  }
}

// The other worker, which runs, has taken the request.
TEST_F(PoolTest, AWorkerWithoutARequestWaitsForTheNextOne) {
  EXPECT_EQ(Ask(kFirst, kWorker), WaitsFor::kWork);
  EXPECT_EQ(Answer(kWorker, kFirst), WaitsFor::kAnswer);
  world_.Sleep(kWorker);
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(Ask(kFirst, kWorker), WaitsFor::kWork);
    world_.Sleep(kWorker);
    EXPECT_EQ(Ask(kSecond, kWorker), WaitsFor::kWork);
    EXPECT_EQ(Answer(kWorker, kFirst), WaitsFor::kAnswer);
    EXPECT_EQ(Answer(kWorker, kSecond), WaitsFor::kAnswer);
    world_.Sleep(kWorker);
  }
}

// One worker wakes the next one, because the queue has more.
TEST_F(PoolTest, AWorkerThatWakesAnIdleOneHoldsNoLock) {
  for (int i = 0; i < 100; ++i) {
    Ask(kFirst, kWorker);
    EXPECT_NE(world_.Wake(kWorker + 1, kWorker), WaitsFor::kLock);
    EXPECT_EQ(Answer(kWorker, kFirst), WaitsFor::kAnswer);
    world_.Sleep(kWorker);
    world_.Sleep(kWorker + 1);
  }
}

TEST_F(PoolTest, ABusyWorkerAnswersARequestThatDidNotWakeIt) {
  EXPECT_EQ(Ask(kFirst, kWorker), WaitsFor::kWork);
  AskBusy(kSecond);
  for (int i = 0; i < 100; ++i) {
    AskBusy(kFirst);
    AskBusy(kSecond);
    EXPECT_EQ(Answer(kWorker, kFirst), WaitsFor::kAnswer);
    // The work has a pause of its own.
    world_.Sleep(kWorker);
    world_.Wake(kWorker);
    EXPECT_EQ(Answer(kWorker, kSecond), WaitsFor::kAnswer);
  }
}

TEST_F(PoolTest, ASenderOfWorkWaitsForItsReceiver) {
  EXPECT_EQ(Ask(kFirst, kWorker), WaitsFor::kWork);
  for (int i = 0; i < 100; ++i) {
    // A full pipe: the worker empties it at its own pace.
    world_.Sleep(kWorker);
    world_.Wake(kWorker);
    EXPECT_EQ(world_.Wake(kFirst, kWorker), WaitsFor::kAnswer);
    world_.Sleep(kFirst);
  }
}

TEST_F(WaitPurposesTest, StagesOfAPipelineWaitForWork) {
  world_.Old(kShell, 1);
  world_.Wake(kShell);
  for (fxt::Koid i = 0; i < 3; ++i) {
    world_.Born(kWorker + i, kShell, 3);
    if (i != 0) world_.Sleep(kWorker + i);
  }
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(world_.Wake(kWorker + 1, kWorker), WaitsFor::kWork);
    EXPECT_EQ(world_.Ask(kWorker + 1, kWorker + 2), WaitsFor::kWork);
    // The queue is full, and then it is not.
    if (i % 3 == 2) {
      world_.Wake(kWorker + 1, kWorker);
      world_.Sleep(kWorker);
      EXPECT_EQ(world_.Wake(kWorker, kWorker + 1), WaitsFor::kAnswer);
      world_.Sleep(kWorker + 1);
    }
    world_.Sleep(kWorker + 2);
  }
}

TEST_F(WaitPurposesTest, ChildTimerAndDevice) {
  world_.Old(kShell, 1);
  world_.Wake(kShell);
  world_.Born(kClient, kShell, 2);
  world_.Sleep(kShell);
  world_.Exit(kClient);
  EXPECT_EQ(world_.Wake(kShell, kClient), WaitsFor::kChild);
  // A trace says of an interrupt whether it was a timer, or not at all.
  world_.Sleep(kShell);
  EXPECT_EQ(world_.Wake(kShell), WaitsFor::kUnknown);
}

TEST_F(WaitPurposesTest, AProcessThatIsMadeForAConnectionWorksForItsClient) {
  world_.Old(kShell, 1);
  world_.Old(kServer, 3);
  world_.Wake(kShell);
  world_.Born(kClient, kShell, 2);
  EXPECT_EQ(world_.Ask(kClient, kServer), WaitsFor::kWork);
  world_.Born(kBackend, kServer, 4);
  world_.Sleep(kServer);
  // A greeting, before any request.
  EXPECT_EQ(world_.Ask(kBackend, kClient), WaitsFor::kAnswer);
  EXPECT_EQ(world_.Ask(kClient, kBackend), WaitsFor::kWork);
  EXPECT_EQ(world_.Ask(kBackend, kClient), WaitsFor::kAnswer);
}

TEST_F(WaitPurposesTest, WhatOneProcessOfAProgramDoesForAnotherHoldsForAll) {
  world_.Old(kShell, 1);
  world_.Old(kServer, 3);
  world_.Program(3, "postgres");
  world_.Wake(kShell);
  world_.Born(kClient, kShell, 2);
  world_.Born(kOtherProcess, kShell, 5);
  world_.Program(2, "pgbench");
  world_.Program(5, "pgbench");
  EXPECT_EQ(world_.Ask(kClient, kServer), WaitsFor::kWork);
  // The other client connects while the server runs, and waits for the process that is made for it.
  world_.Sleep(kOtherProcess);
  world_.Born(kBackend, kServer, 4);
  world_.Program(4, "postgres");
  EXPECT_EQ(world_.Ask(kBackend, kOtherProcess), WaitsFor::kAnswer);
  EXPECT_EQ(world_.Ask(kOtherProcess, kBackend), WaitsFor::kWork);
}

TEST_F(WaitPurposesTest, TheSystemCallSaysWhatASleepIsFor) {
  world_.Old(kShell, 1);
  world_.Wake(kShell);
  world_.Born(kClient, kShell, 2);
  world_.Born(kOtherProcess, kShell, 5);
  const auto sleep = [&](const WaitObject& object, fxt::Koid waker) {
    world_.Sleep(kClient);
    return world_.Wake(kClient, waker, object);
  };
  EXPECT_EQ(sleep({.syscall = "flock", .kind = "file lock"}, kOtherProcess), WaitsFor::kLock);
  EXPECT_EQ(sleep({.syscall = "write", .kind = "pipe"}, kOtherProcess), WaitsFor::kAnswer);
  EXPECT_EQ(sleep({.syscall = "wait4", .kind = "child"}, kOtherProcess), WaitsFor::kChild);
  EXPECT_EQ(sleep({.syscall = "clock_nanosleep", .kind = "sleep"}, 0), WaitsFor::kTimer);
  EXPECT_EQ(sleep({.syscall = "pread64", .kind = "file"}, 0), WaitsFor::kDevice);
  // No device releases a futex.
  EXPECT_EQ(sleep({.syscall = "futex", .kind = "futex"}, 0), WaitsFor::kTimer);
  EXPECT_EQ(sleep({.syscall = "read", .kind = "tcp"}, 0), WaitsFor::kUnknown);
}

TEST_F(WaitPurposesTest, AcceptIsAWaitForWorkAfterAnyOtherCall) {
  world_.Old(kShell, 1);
  world_.Old(kServer, 3);
  world_.Wake(kShell);
  world_.Born(kClient, kShell, 2);
  const auto answer = [&](const WaitObject& object) {
    world_.Ask(kClient, kServer);
    const WaitsFor waits_for = world_.Wake(kClient, kServer, object);
    world_.Sleep(kServer);
    return waits_for;
  };
  EXPECT_EQ(answer({.syscall = "read", .kind = "tcp"}), WaitsFor::kAnswer);
  EXPECT_EQ(answer({.syscall = "accept4", .kind = "tcp"}), WaitsFor::kWork);
}

// Requests find the server running, and its own timer ends what it does for them.
TEST_F(WaitPurposesTest, TheEndThatConnectedAsks) {
  const WaitObject client{
      .syscall = "read", .kind = "tcp", .object = "127.0.0.1:40112 -> [::1]:80"};
  const WaitObject server{
      .syscall = "read", .kind = "tcp", .object = "[::1]:80 -> 127.0.0.1:40112"};
  const WaitObject both{
      .syscall = "read", .kind = "tcp", .object = "10.0.0.1:40112 -> 10.0.0.1:50000"};
  const WaitObject none{.syscall = "read", .kind = "tcp", .object = "127.0.0.1:40112"};
  for (const auto& [object, expected] :
       {std::pair(client, WaitsFor::kAnswer), std::pair(server, WaitsFor::kWork),
        std::pair(both, WaitsFor::kWork), std::pair(none, WaitsFor::kWork)}) {
    World world;
    world.Old(kClient, 2);
    world.Old(kServer, 3);
    world.Wake(kServer);
    EXPECT_EQ(world.Wake(kClient, kServer, object), expected) << object.object;
  }
}

// A broker passes on the work of another client.
TEST_F(WaitPurposesTest, TheEndThatConnectedMayWaitForWork) {
  world_.Old(kShell, 1);
  world_.Old(kServer, 3);
  world_.Old(kWorker, 5);
  world_.Wake(kShell);
  EXPECT_EQ(world_.Ask(kShell, kServer), WaitsFor::kWork);
  EXPECT_EQ(
      world_.Wake(kWorker, kServer,
                  {.syscall = "read", .kind = "tcp", .object = "10.0.0.1:40112 -> 10.0.0.1:80"}),
      WaitsFor::kWork);
}

// Processes that mostly wake by their own timers pass a semaphore to each other.
TEST_F(WaitPurposesTest, ProcessesThatShareAFutexMayHaveALock) {
  const auto wake = [](const WaitObject& object, const char* program) {
    World world;
    world.Old(kShell, 1);
    world.Wake(kShell);
    world.Born(kClient, kShell, 2);
    world.Born(kOtherProcess, kShell, 5);
    world.Program(2, "worker");
    world.Program(5, program);
    for (int i = 0; i < 3; ++i) {
      world.Sleep(kClient);
      world.Wake(kClient);
    }
    world.Sleep(kOtherProcess);
    world.Wake(kOtherProcess);
    world.Sleep(kClient);
    return world.Wake(kClient, kOtherProcess, object);
  };
  EXPECT_EQ(wake({.syscall = "futex", .kind = "futex"}, "worker"), WaitsFor::kUnknown);
  EXPECT_EQ(wake({.syscall = "futex", .kind = "futex"}, "other"), WaitsFor::kWork);
  EXPECT_EQ(wake({.syscall = "read", .kind = "pipe"}, "worker"), WaitsFor::kWork);
}

// Amid a request of one client, a server gets that of another one.
TEST_F(WaitPurposesTest, WhatComesToAServerIsNoLock) {
  constexpr fxt::Koid kOtherClient = 9;
  const auto amid_a_request = [](const char* connection) {
    World world;
    world.Old(kShell, 1);
    world.Wake(kShell);
    world.Born(kOtherClient, kShell, 9);
    world.Sleep(kOtherClient);
    world.Born(kServer, kShell, 3);
    world.Sleep(kServer);
    world.Born(kClient, kShell, 2);
    WaitsFor waits_for = WaitsFor::kUnknown;
    for (int turn = 0; turn < 2; ++turn) {
      world.Wake(kOtherClient);
      world.Ask(kClient, kServer);
      world.Sleep(kServer);
      waits_for = world.Wake(kServer, kOtherClient,
                             {.syscall = "epoll_wait", .kind = "tcp", .object = connection});
      world.Ask(kServer, kClient);
      world.Sleep(kOtherClient);
    }
    return waits_for;
  };
  EXPECT_EQ(amid_a_request("10.0.0.1:1883 -> 10.0.0.1:40112"), WaitsFor::kWork);
  EXPECT_EQ(amid_a_request("10.0.0.1:40110 -> 10.0.0.1:40112"), WaitsFor::kLock);
}

// The server runs for one client when the first request of another one comes, so no wakeup shows
// it.
TEST_F(WaitPurposesTest, TheFirstRequestOfAClientMayBeUnseen) {
  constexpr fxt::Koid kOtherClient = 9;
  world_.Old(kShell, 1);
  world_.Wake(kShell);
  world_.Born(kServer, kShell, 3);
  world_.Sleep(kServer);
  world_.Born(kClient, kShell, 2);
  world_.Born(kOtherClient, kShell, 9);
  EXPECT_EQ(world_.Ask(kClient, kServer), WaitsFor::kWork);
  world_.Sleep(kOtherClient);
  EXPECT_EQ(world_.Wake(kClient, kServer), WaitsFor::kAnswer);
  EXPECT_EQ(world_.Ask(kServer, kOtherClient), WaitsFor::kUnknown);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(world_.Ask(kOtherClient, kServer), WaitsFor::kWork);
    EXPECT_EQ(world_.Ask(kServer, kOtherClient), WaitsFor::kAnswer);
  }
}

TEST_F(WaitPurposesTest, NothingIsKnownAfterALoss) {
  world_.Old(kShell, 1);
  world_.Old(kServer, 3);
  world_.Wake(kShell);
  world_.Born(kClient, kShell, 2);
  world_.Ask(kClient, kServer);
  world_.Lose();
  EXPECT_EQ(world_.Ask(kServer, kClient), WaitsFor::kUnknown);
  EXPECT_EQ(world_.Ask(kClient, kServer), WaitsFor::kUnknown);
}

}  // namespace
}  // namespace facts
