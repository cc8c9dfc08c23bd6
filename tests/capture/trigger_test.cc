// SPDX-License-Identifier: BSD-2-Clause
// Files that triggers write.
#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "capture/ftrace/truth_run.h"
#include "capture/support/environment.h"
#include "capture/support/expect.h"
#include "capture/support/instants.h"
#include "capture/support/recording.h"
#include "capture/support/talking_recorder.h"
#include "capture/support/trace_objects.h"

namespace truth {
namespace {

using std::chrono::milliseconds;

// Whether the process sleeps under its last name.
bool VictimSleeps(pid_t pid) {
  std::string text;
  std::getline(std::ifstream("/proc/" + std::to_string(pid) + "/stat"), text);
  return text.find("(late-victim) S") != std::string::npos;
}

// Delays a thread for 25 ms by a real-time thread on its CPU.
void PlantDelay() {
  cpu_set_t cpu;
  CPU_ZERO(&cpu);
  CPU_SET(0, &cpu);
  const pid_t victim = fork();
  if (victim == 0) {
    prctl(PR_SET_NAME, "late-victim");
    sched_setaffinity(0, sizeof(cpu), &cpu);
    for (;;) usleep(500);
  }
  const pid_t hog = fork();
  if (hog == 0) {
    prctl(PR_SET_NAME, "late-hog");
    sched_setaffinity(0, sizeof(cpu), &cpu);
    const sched_param high{.sched_priority = 50};
    sched_setscheduler(0, SCHED_FIFO, &high);
    // The victim does not run meanwhile. If it waits for the CPU, that is no wakeup that is late.
    while (!VictimSleeps(victim)) usleep(1000);
    const auto end = std::chrono::steady_clock::now() + milliseconds(27);
    while (std::chrono::steady_clock::now() < end) continue;
    _exit(0);
  }
  waitpid(hog, nullptr, 0);
  usleep(50'000);
  kill(victim, SIGKILL);
  waitpid(victim, nullptr, 0);
}

int Setting(const char* name, int otherwise) {
  const char* value = getenv(name);
  return value ? atoi(value) : otherwise;
}

// A real-time thread that sleeps and wakes and that no other thread delays.
class PromptSleeper {
 public:
  PromptSleeper() {
    pid_ = fork();
    if (pid_ != 0) return;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    prctl(PR_SET_NAME, "late-never");
    const sched_param high{.sched_priority = 60};
    sched_setscheduler(0, SCHED_FIFO, &high);
    for (;;) usleep(500);
  }
  ~PromptSleeper() {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }

 private:
  pid_t pid_ = -1;
};

TEST(Trigger, CatchesAPlantedDelay) {
  REQUIRE_CAPTURE();
  const int trials = Setting("FXT_TRIGGER_TRIALS", 3);
  const TempDir dir;
  TalkingRecorder recorder(
      dir.File("late-%n.fxt"),
      {"--circular", "8M", "--trigger", "wakeup_latency > 20ms comm=late-victim per_minute=100",
       "--before", "2s", "--after", "20ms"});
  for (int trial = 1; trial <= trials; ++trial) {
    PlantDelay();
    ASSERT_TRUE(recorder.Says("wrote ", static_cast<size_t>(trial)))
        << trial << ": " << recorder.child().ErrorsSoFar();
    const std::string path = dir.File("late-" + std::to_string(trial) + ".fxt");
    EXPECT_TRUE(IsWholeFile(path));
    const auto instants = ReadInstants(path);
    ASSERT_TRUE(instants.ok()) << instants.error().message;
    const auto mark = std::find_if(instants->begin(), instants->end(),
                                   [](const Instant& each) { return each.name == "trigger"; });
    ASSERT_NE(mark, instants->end());
    const uint64_t begin = SessionBegin(path).value();
    EXPECT_GT(mark->time_ns, begin + 20'000'000);
    const TraceObjects objects = TraceObjects::Read(path);
    const auto tid = static_cast<fxt::Koid>(atoi(mark->arguments.at("thread").c_str()));
    ASSERT_TRUE(objects.threads.contains(tid));
    // A busy machine may delay the victim before it has its name, too.
    const std::string& name = objects.threads.at(tid).name;
    EXPECT_TRUE(name == "late-victim" || name == "capture_tests") << name;
    std::filesystem::remove(path);
  }
  EXPECT_TRUE(Exited(recorder.End(), 0));
}

TEST(Trigger, WritesNothingWithoutAnEvent) {
  REQUIRE_CAPTURE();
  const TempDir dir;
  TalkingRecorder recorder(dir.File("never-%n.fxt"),
                           {"--circular", "4M", "--trigger", "wakeup_latency > 100s", "--trigger",
                            "slice > 1ms comm=no-such-comm", "--trigger", "alert never"});
  SwitchALot();
  const CommandResult result = recorder.End();
  EXPECT_TRUE(Exited(result, 0));
  EXPECT_FALSE(Mentions(result.err, "wrote")) << result.err;
  EXPECT_FALSE(std::filesystem::exists(dir.File("never-1.fxt")));
}

// Returns the messages of a recording with triggers that no delay should fire.
std::string MessagesWithoutADelay() {
  const TempDir dir;
  const PromptSleeper sleeper;
  TalkingRecorder recorder(
      dir.File("never-%n.fxt"),
      {"--circular", "4M", "--trigger", "wakeup_latency > 20ms comm=late-never", "--trigger",
       "off_cpu > 200ms comm=late-never", "--trigger", "wakeup_latency > 2s", "--trigger",
       "runnable > 2s", "--trigger", "wakeup_latency > 20ms count=1", "--before", "1s"});
  std::this_thread::sleep_for(std::chrono::seconds(Setting("FXT_QUIET_SECONDS", 1)));
  const CommandResult result = recorder.End();
  EXPECT_TRUE(Exited(result, 0));
  printf("%s", result.err.c_str());
  return result.err;
}

// On a busy machine other threads may be late, but not by seconds. A delay of seconds would be a
// missed event. The number of delays is printed. A pause of the machine delays every thread, but
// not in each recording.
TEST(Trigger, NoneWithoutADelay) {
  REQUIRE_CAPTURE();
  std::string fired = "nothing recorded";
  for (int attempt = 0; attempt < 5 && !fired.empty(); ++attempt) {
    const std::string messages = MessagesWithoutADelay();
    fired.clear();
    for (const char* trigger :
         {"wakeup_latency > 20ms comm=late-never", "off_cpu > 200ms comm=late-never",
          "wakeup_latency > 2s", "runnable > 2s"}) {
      if (!Mentions(messages, std::string(trigger) + ": never")) fired += messages;
    }
  }
  EXPECT_EQ(fired, "");
}

TEST(Trigger, StormsAreLimited) {
  REQUIRE_CAPTURE();
  const TempDir dir;
  TalkingRecorder recorder(dir.File("storm-%n.fxt"),
                           {"--circular", "1M", "--trigger", "off_cpu > 1us per_minute=2",
                            "--before", "10ms", "--after", "1ms"});
  SwitchALot();
  EXPECT_TRUE(recorder.Says("wrote ", 1));
  SwitchALot();
  const CommandResult result = recorder.End();
  EXPECT_TRUE(Exited(result, 0));
  EXPECT_LE(TalkingRecorder::Count(result.err, "wrote "), 2u) << result.err;
}

TEST(Trigger, ExitStatusOfTheCommand) {
  REQUIRE_CAPTURE();
  const TempDir dir;
  const std::vector<std::string> options = {"--circular", "1M", "--trigger", "exit != 0"};
  EXPECT_TRUE(Exited(
      RunCommand(RecordCommand(dir.File("bad.fxt"), options, {"sh", "-c", "exit 7"}), kLimit), 7));
  EXPECT_TRUE(IsWholeFile(dir.File("bad.fxt")));
  const auto instants = ReadInstants(dir.File("bad.fxt"));
  ASSERT_TRUE(instants.ok());
  EXPECT_TRUE(std::any_of(instants->begin(), instants->end(), [](const Instant& each) {
    return each.name == "trigger" && each.arguments.at("value") == "7";
  }));
  EXPECT_TRUE(
      Exited(RunCommand(RecordCommand(dir.File("good.fxt"), options, {"true"}), kLimit), 0));
  EXPECT_FALSE(std::filesystem::exists(dir.File("good.fxt")));
}

TEST(Trigger, WrongTriggersAreErrors) {
  REQUIRE_CAPTURE();
  const TempDir dir;
  const std::string path = dir.File("trace.fxt");
  const auto run = [&](const std::vector<std::string>& options) {
    return RunCommand(RecordCommand(path, options, {"true"}), kLimit);
  };
  EXPECT_TRUE(IsClearError(run({"--trigger", "signal"}), {"--trigger", "--circular"}));
  EXPECT_TRUE(IsClearError(run({"--circular", "4M", "--trigger", "lateness > 2s"}), {"lateness"}));
  EXPECT_TRUE(IsClearError(run({"--circular", "4M", "--before", "2s"}), {"--before"}));
  EXPECT_TRUE(IsClearError(run({"--circular", "1K"}), {"out of range"}));
  EXPECT_TRUE(IsClearError(run({"--rotate", "10s"}), {"%t"}));
  EXPECT_TRUE(IsClearError(run({"--keep", "3"}), {"--rotate"}));
  EXPECT_TRUE(IsClearError(run({"--circular", "4M", "-c", "lbr"}), {"lbr"}));
}

}  // namespace
}  // namespace truth
