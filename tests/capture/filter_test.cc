// SPDX-License-Identifier: BSD-2-Clause
// A filter selects tasks and, with --follow, their descendants. The file has only the names of
// other tasks.
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string_view>
#include <thread>

#include "capture/support/environment.h"
#include "capture/support/expect.h"
#include "capture/support/instants.h"
#include "capture/support/recording.h"

namespace truth {
namespace {

using std::chrono::milliseconds;

// No task has this id: the kernel assigns smaller ones.
constexpr const char* kNoTask = "4194303";

struct Recorded {
  FxtLog log;
  std::vector<Instant> instants;  // of category `task`
  std::string filters;            // from the session instant
};

void Read(const std::string& path, Recorded* recorded) {
  ASSERT_TRUE(IsWholeFile(path, &recorded->log));
  const auto instants = ReadInstants(path);
  ASSERT_TRUE(instants.ok()) << instants.error().message;
  for (const Instant& instant : *instants) {
    if (instant.name == "session") recorded->filters = instant.arguments.at("filters");
    if (instant.category == "task") recorded->instants.push_back(instant);
  }
}

// Parses the tids by name that the family of odd_tasks printed.
std::map<std::string, uint32_t> MembersOf(const std::string& printed) {
  std::map<std::string, uint32_t> members;
  std::istringstream lines(printed);
  for (std::string line; std::getline(lines, line);) {
    char name[32];
    uint32_t tid = 0;
    if (sscanf(line.c_str(), "name=%31s tid=%u", name, &tid) == 2) members[name] = tid;
  }
  return members;
}

// The file has the events of all members under their names, and no events of other tasks.
void ExpectTheFamily(const Recorded& recorded, const std::string& printed) {
  const auto members = MembersOf(printed);
  ASSERT_EQ(members.size(), 5u) << printed;
  std::set<uint32_t> tids;
  for (const auto& [name, tid] : members) tids.insert(tid);
  std::map<std::string, int> switches;
  uint64_t of_others = 0;
  for (const auto& cpu : recorded.log.log.cpus) {
    for (const Switch& s : cpu) {
      const bool out = tids.contains(static_cast<uint32_t>(s.prev_tid));
      const bool in = tids.contains(static_cast<uint32_t>(s.next_tid));
      of_others += !out && !in;
      if (out) ++switches[std::string(recorded.log.log.names.Name(s.prev_name))];
    }
  }
  EXPECT_EQ(of_others, 0u) << "switches among others";
  for (const auto& [name, tid] : members) {
    EXPECT_GE(switches[name], name == "exe" ? 1 : 5) << name << " " << tid;
  }
  std::map<std::string, int> kinds;
  for (const Instant& instant : recorded.instants) {
    ++kinds[instant.name];
    EXPECT_TRUE(tids.contains(instant.tid)) << instant.name << " of " << instant.thread_name;
  }
  EXPECT_EQ(kinds["fork"], 4);
  EXPECT_EQ(kinds["exit"], 5);
  EXPECT_GE(kinds["exec"], 1);
}

TEST(Filter, WithoutAMatchRecordsNothing) {
  REQUIRE_CAPTURE();
  const TempDir dir;
  auto storm = ChildProcess::Start({OddTasksPath(), "births", "--times", "100000"});
  ASSERT_TRUE(storm.ok());
  const std::string own = std::to_string(getpid());
  const CommandResult result = RunCommand(
      RecordCommand(dir.File("trace.fxt"), {"-d", "300ms", "--tid", kNoTask, "--pid", kNoTask,
                                            "--comm", "no-such-comm", "--tid", own}),
      kLimit);
  ASSERT_TRUE(Exited(result, 0));
  for (const char* words : {"--tid 4194303", "--pid 4194303", "--comm no-such-comm"}) {
    EXPECT_TRUE(Mentions(result.err, words)) << result.Describe();
  }
  EXPECT_TRUE(Mentions(result.err, "warning")) << result.Describe();
  EXPECT_FALSE(Mentions(result.err, "--tid " + own)) << result.Describe();
  Recorded recorded;
  ASSERT_NO_FATAL_FAILURE(Read(dir.File("trace.fxt"), &recorded));
  EXPECT_EQ(recorded.filters, "pid=4194303,tid=4194303,tid=" + own + ",comm=no-such-comm");
  for (const Instant& instant : recorded.instants) {
    EXPECT_EQ(std::to_string(instant.tid), own) << instant.name << " of " << instant.thread_name;
  }
}

// `--pid` of a thread that is no process records nothing, and the warning names the process.
TEST(Filter, NamesTheProcessOfAThreadGivenAsProcess) {
  REQUIRE_CAPTURE();
  const TempDir dir;
  auto family = ChildProcess::Start({WorkloadPath(), "resident", "--name", "wl-resident"});
  ASSERT_TRUE(family.ok());
  const std::string process = std::to_string(family->pid());
  std::string thread;
  ASSERT_TRUE(Eventually([&] {
    for (const auto& task : std::filesystem::directory_iterator("/proc/" + process + "/task")) {
      if (task.path().filename() != process) thread = task.path().filename();
    }
    return !thread.empty();
  }));
  const CommandResult result =
      RunCommand(RecordCommand(dir.File("trace.fxt"), {"-d", "100ms", "--pid", thread}), kLimit);
  ASSERT_TRUE(Exited(result, 0));
  EXPECT_TRUE(Mentions(result.err, "--pid " + thread + ": at the start it is a thread of process " +
                                       process +
                                       ", not a process; to select only the thread use --tid"))
      << result.Describe();
}

// The other thread of a switch has its name even if it started unrecorded, outside the filter.
TEST(Filter, NamesTheOtherSide) {
  REQUIRE_CAPTURE();
  const TempDir dir;
  // A real-time child runs on the parent's CPU, so the two alternate.
  auto storm = ChildProcess::Start({"nice", "-n", "-20", "taskset", "-c", "0", WorkloadPath(),
                                    "forkstorm", "--count", "1000000", "--parallel", "1"});
  ASSERT_TRUE(storm.ok());
  const auto pid = std::to_string(storm->pid());
  const CommandResult result =
      RunCommand(RecordCommand(dir.File("trace.fxt"), {"-d", "1s", "--tid", pid}), kLimit);
  ASSERT_TRUE(Exited(result, 0));
  EXPECT_FALSE(Mentions(result.err, "warning")) << result.Describe();
  Recorded recorded;
  ASSERT_NO_FATAL_FAILURE(Read(dir.File("trace.fxt"), &recorded));
  uint64_t forks = 0;
  for (const Instant& instant : recorded.instants) {
    EXPECT_EQ(std::to_string(instant.tid), pid) << instant.name;
    forks += instant.name == "fork";
  }
  EXPECT_GT(forks, 0u);
  uint64_t named = 0, nameless = 0;
  for (const auto& cpu : recorded.log.log.cpus) {
    for (const Switch& s : cpu) {
      for (const auto of : {s.prev_name, s.next_name}) {
        const std::string_view name = recorded.log.log.names.Name(of);
        named += name == "wl-fork";
        nameless += name.starts_with("tid ");
      }
    }
  }
  EXPECT_GT(named, 0u);
  EXPECT_EQ(nameless, 0u);
}

TEST(Filter, OnlyCommandSelectsTheCommandAndItsDescendants) {
  REQUIRE_CAPTURE();
  const TempDir dir;
  auto storm = ChildProcess::Start({OddTasksPath(), "births", "--times", "100000"});
  ASSERT_TRUE(storm.ok());
  const CommandResult result = RunCommand(
      RecordCommand(dir.File("trace.fxt"), {"--only-command"}, {OddTasksPath(), "family"}), kLimit);
  ASSERT_TRUE(Exited(result, 0));
  SCOPED_TRACE(result.err);
  Recorded recorded;
  ASSERT_NO_FATAL_FAILURE(Read(dir.File("trace.fxt"), &recorded));
  EXPECT_EQ(recorded.filters, "only-command");
  ASSERT_NO_FATAL_FAILURE(ExpectTheFamily(recorded, result.out));
}

// A thread that calls exec takes the leader's id while the leader may still run.
TEST(Filter, OnlyCommandWithAnExecOfAThread) {
  REQUIRE_CAPTURE();
  const TempDir dir;
  const CommandResult result =
      RunCommand(RecordCommand(dir.File("trace.fxt"), {"--only-command"},
                               {OddTasksPath(), "exec-from-thread", "--times", "300"}),
                 kLimit);
  ASSERT_TRUE(Exited(result, 0));
  Recorded recorded;
  ASSERT_NO_FATAL_FAILURE(Read(dir.File("trace.fxt"), &recorded));
  EXPECT_EQ(recorded.filters, "only-command");
}

// A family that exists before the recording and grows during it.
void RecordFamily(std::vector<std::string> options, const char* filter_option, Recorded* recorded,
                  std::string* printed) {
  const TempDir dir;
  const std::string path = dir.File("trace.fxt");
  auto storm = ChildProcess::Start({OddTasksPath(), "births", "--times", "100000"});
  auto family = ChildProcess::Start({OddTasksPath(), "family", "--stopped"});
  ASSERT_TRUE(storm.ok() && family.ok());
  const std::string stat = "/proc/" + std::to_string(family->pid()) + "/stat";
  for (std::string text; !Mentions(text, "(odd-parent) T");) {
    ASSERT_TRUE(family->Running());
    std::getline(std::ifstream(stat), text);
    std::this_thread::sleep_for(milliseconds(1));
  }
  const std::string option = filter_option;
  options.push_back(option);
  options.push_back(option == "--comm" ? "odd-parent" : std::to_string(family->pid()));
  auto recorder = ChildProcess::Start(RecordCommand(path, options));
  ASSERT_TRUE(recorder.ok());
  ASSERT_TRUE(WaitForFile(path, kLimit)) << recorder->ErrorsSoFar();
  family->Signal(SIGCONT);
  const CommandResult result = family->Wait(kLimit);
  ASSERT_TRUE(Exited(result, 0));
  recorder->Signal(SIGINT);
  ASSERT_TRUE(Exited(recorder->Wait(kLimit), 0));
  ASSERT_NO_FATAL_FAILURE(Read(path, recorded));
  *printed = result.out;
}

class FilterFollow : public testing::TestWithParam<const char*> {};

TEST_P(FilterFollow, SelectsDescendants) {
  REQUIRE_CAPTURE();
  Recorded recorded;
  std::string printed;
  ASSERT_NO_FATAL_FAILURE(RecordFamily({"--follow"}, GetParam(), &recorded, &printed));
  EXPECT_TRUE(Mentions(recorded.filters, "follow")) << recorded.filters;
  ASSERT_NO_FATAL_FAILURE(ExpectTheFamily(recorded, printed));
}

TEST_P(FilterFollow, WithoutFollowSkipsChildren) {
  REQUIRE_CAPTURE();
  Recorded recorded;
  std::string printed;
  ASSERT_NO_FATAL_FAILURE(RecordFamily({}, GetParam(), &recorded, &printed));
  const auto members = MembersOf(printed);
  ASSERT_EQ(members.size(), 5u) << printed;
  EXPECT_FALSE(recorded.instants.empty());
  for (const Instant& instant : recorded.instants) {
    EXPECT_NE(instant.tid, members.at("odd-thread")) << instant.name;
    EXPECT_NE(instant.tid, members.at("odd-grand")) << instant.name;
    EXPECT_NE(instant.name, "exec");
  }
}

INSTANTIATE_TEST_SUITE_P(By, FilterFollow, testing::Values("--pid", "--tid", "--comm"),
                         [](const auto& tested) { return std::string(tested.param + 2); });

}  // namespace
}  // namespace truth
