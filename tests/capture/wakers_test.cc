// SPDX-License-Identifier: BSD-2-Clause
// The waker of a thread: a task has a name, an interrupt has none, on every kernel.
#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <sstream>
#include <string>
#include <utility>

#include "capture/bpf/kernel_features.h"
#include "capture/support/environment.h"
#include "capture/support/expect.h"
#include "capture/support/recording.h"

namespace truth {
namespace {

constexpr uint64_t kCount = 400;

// Returns the wakeups of threads with this name, as `fxt dump` prints them.
struct Wakeups {
  uint64_t all = 0;
  uint64_t without_waker = 0;
  uint64_t by_expected = 0;
};

Wakeups CountWakeups(const std::string& dump, const std::string& woken, const std::string& waker) {
  Wakeups wakeups;
  std::istringstream lines(dump);
  for (std::string line; std::getline(lines, line);) {
    if (line.find(" thread=" + woken + "[") == std::string::npos) continue;
    ++wakeups.all;
    if (line.find(" waker=") == std::string::npos) ++wakeups.without_waker;
    if (line.find(" waker=" + waker + "[") != std::string::npos) ++wakeups.by_expected;
  }
  return wakeups;
}

void PinToFirstCpu() {
  cpu_set_t cpus;
  CPU_ZERO(&cpus);
  CPU_SET(0, &cpus);
  sched_setaffinity(0, sizeof(cpus), &cpus);
}

// A process sleeps for a millisecond at a time beside a busy process on the same CPU, which the
// timer interrupt interrupts. Under the name wl-sleeper only the timer wakes it.
void SleepBesideABusyProcess() {
  const pid_t busy = fork();
  if (busy == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    PinToFirstCpu();
    for (volatile bool forever = true; forever;) {
    }
  }
  const pid_t sleeper = fork();
  if (sleeper == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    PinToFirstCpu();
    prctl(PR_SET_NAME, "wl-sleeper");
    for (uint64_t i = 0; i < kCount; ++i) {
      const timespec millisecond{.tv_sec = 0, .tv_nsec = 1'000'000};
      clock_nanosleep(CLOCK_MONOTONIC, 0, &millisecond, nullptr);
    }
    prctl(PR_SET_NAME, "wl-late");
    _exit(0);
  }
  waitpid(sleeper, nullptr, 0);
  kill(busy, SIGKILL);
  waitpid(busy, nullptr, 0);
}

TEST(Wakers, TimersHaveNoNameAndTasksHaveTheirs) {
  REQUIRE_CAPTURE();
  const TempDir dir;
  const std::string trace = dir.File("trace.fxt");
  auto recorder = ChildProcess::Start(RecordCommand(trace, {"-c", "sched"}));
  ASSERT_TRUE(recorder.ok()) << recorder.error().message;
  ASSERT_TRUE(WaitForFile(trace, kLimit));
  SleepBesideABusyProcess();
  const CommandResult pipes =
      RunCommand({WorkloadPath(), "pingpong", "--count", std::to_string(kCount)}, kLimit);
  EXPECT_TRUE(Exited(pipes, 0)) << pipes.Describe();
  recorder->Signal(SIGINT);
  const CommandResult recorded = recorder->Wait(kLimit);
  ASSERT_TRUE(Exited(recorded, 0)) << recorded.Describe();
  const CommandResult info = RunCommand({FxtToolPath(), "info", trace}, kLimit);
  ASSERT_TRUE(Exited(info, 0)) << info.Describe();
  EXPECT_TRUE(Mentions(info.out, "interrupt_wakers"));
  EXPECT_FALSE(Mentions(info.out, capture::DescribeInterruptWakers({0}, 1))) << info.out;
  const CommandResult list = RunCommand({RecorderPath(), "--list-categories"}, kLimit);
  EXPECT_TRUE(
      Mentions(list.out, "wakers in interrupts are " + capture::DescribeInterruptWakers({}, 1)))
      << list.out;

  const CommandResult dump = RunCommand({FxtToolPath(), "dump", "--type", "wakeup", trace}, kLimit);
  ASSERT_TRUE(Exited(dump, 0)) << dump.err;
  const Wakeups sleeper = CountWakeups(dump.out, "wl-sleeper", "");
  // If the machine pauses, the timer may fire before the process sleeps.
  EXPECT_GT(sleeper.all, kCount / 2);
  EXPECT_EQ(sleeper.without_waker, sleeper.all);
  for (const auto& [woken, waker] : {std::pair{"wl-ping", "wl-pong"}, {"wl-pong", "wl-ping"}}) {
    const Wakeups wakeups = CountWakeups(dump.out, woken, waker);
    EXPECT_GT(wakeups.all, 4) << woken;
    EXPECT_EQ(wakeups.by_expected, wakeups.all) << woken;
  }
}

}  // namespace
}  // namespace truth
