// SPDX-License-Identifier: BSD-2-Clause
// Circular and oneshot recordings, snapshots, and rotated files.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/prctl.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "capture/ftrace/truth_run.h"
#include "capture/support/environment.h"
#include "capture/support/expect.h"
#include "capture/support/puppet.h"
#include "capture/support/talking_recorder.h"
#include "capture/support/trace_objects.h"

namespace truth {
namespace {

using std::chrono::milliseconds;

struct Workload {
  const char* name;
  const char* size;
  bool odd;
  std::vector<std::string> arguments;
  bool overwrites;
};
void PrintTo(const Workload& workload, std::ostream* out) { *out << workload.name; }

class CircularTruth : public testing::TestWithParam<Workload> {};

TEST_P(CircularTruth, WindowMatchesFtrace) {
  REQUIRE_CAPTURE();
  const TempDir dir;
  TruthRunOptions options;
  options.recorder = {"nice", "-n", "-20", RecorderPath()};
  options.trace_path = dir.File("trace.fxt");
  options.recorder_options = {"--circular", GetParam().size};
  options.workload = {"nice", "-n", "20", GetParam().odd ? OddTasksPath() : WorkloadPath()};
  options.workload.insert(options.workload.end(), GetParam().arguments.begin(),
                          GetParam().arguments.end());
  options.window_program = ComparePath();
  options.buffer_kib = 160 * 1024;
  options.from_session = true;
  const auto run = RunUnderBoth(options);
  ASSERT_TRUE(run.ok()) << run.error().message << "\n" << run.error().hint;
  const std::string description = run->Describe();
  printf("%s", description.c_str());
  EXPECT_TRUE(run->comparison.exact()) << description;
  EXPECT_EQ(run->recorded.lost(), 0u);
  EXPECT_EQ(run->recorded.problem_count, 0u) << description;
  EXPECT_GT(run->comparison.total.matched, 10u);
  EXPECT_TRUE(IsWholeFile(options.trace_path));
  if (GetParam().overwrites) {
    // The oldest events are dropped.
    EXPECT_EQ(run->options.window.begin_ns, SessionBegin(options.trace_path).value());
  }
}

INSTANTIATE_TEST_SUITE_P(
    Of, CircularTruth,
    testing::Values(
        Workload{"PingPong", "4M", false, {"pingpong", "--cpu", "0", "--count", "150000"}, true},
        Workload{"ForkStorm", "128K", false, {"forkstorm", "--count", "4000"}, true},
        Workload{"ForkStormExec", "256K", false, {"forkstorm", "--count", "500", "--exec"}, false},
        Workload{"Renames", "4M", false, {"renames"}, false},
        Workload{"ExecFromThread", "64K", true, {"exec-from-thread", "--times", "50"}, false},
        Workload{"ReuseTid", "64K", true, {"reuse-tid", "--times", "100"}, false}),
    [](const testing::TestParamInfo<Workload>& tested) { return std::string(tested.param.name); });

TEST(Circular, NamesAreThoseOfTheWindow) {
  REQUIRE_CAPTURE();
  const TempDir dir;
  TalkingRecorder recorder(dir.File("trace-%n.fxt"), {"--circular", "512K"});
  const auto act = [](char word) {
    if (word == 'a') prctl(PR_SET_NAME, "window-old");
    if (word == 'b') prctl(PR_SET_NAME, "window-new");
    if (word == 'c') prctl(PR_SET_NAME, "window-last");
  };
  Puppet lives(act);
  lives.Command('a');
  {
    Puppet dies([](char) { prctl(PR_SET_NAME, "window-dead"); });
    dies.Command('a');
  }
  lives.Command('b');
  // An ended task is kept for this time, since its last switch may still arrive.
  std::this_thread::sleep_for(milliseconds(1100));
  SwitchALot();
  // A later name does not change the earlier window.
  lives.Command('-');
  recorder.child().Signal(SIGUSR1);
  ASSERT_TRUE(recorder.Says("wrote ", 1)) << recorder.child().ErrorsSoFar();
  lives.Command('c');
  EXPECT_TRUE(Exited(recorder.End(), 0));
  EXPECT_TRUE(IsWholeFile(dir.File("trace-1.fxt")));
  const TraceObjects objects = TraceObjects::Read(dir.File("trace-1.fxt"));
  const auto pid = static_cast<fxt::Koid>(lives.pid());
  ASSERT_TRUE(objects.threads.contains(pid));
  EXPECT_EQ(objects.threads.at(pid).name, "window-new");
  EXPECT_EQ(objects.ThreadNamed("window-dead"), 0u);
  EXPECT_EQ(objects.ThreadNamed("window-old"), 0u);
  EXPECT_EQ(objects.ThreadNamed("window-last"), 0u);
  // The file of the end comes later.
  EXPECT_TRUE(IsWholeFile(dir.File("trace-2.fxt")));
  EXPECT_EQ(TraceObjects::Read(dir.File("trace-2.fxt")).threads.at(pid).name, "window-last");
}

TEST(Circular, SnapshotsDuringAStormAreComplete) {
  REQUIRE_CAPTURE();
  const TempDir dir;
  TalkingRecorder recorder(dir.File("trace-%n.fxt"), {"--circular", "4M"});
  auto storm = ChildProcess::Start({OddTasksPath(), "storm", "--times", "3000"});
  ASSERT_TRUE(storm.ok());
  for (size_t i = 1; i <= 5; ++i) {
    recorder.child().Signal(SIGUSR1);
    ASSERT_TRUE(recorder.Says("wrote ", i)) << recorder.child().ErrorsSoFar();
  }
  storm->Signal(SIGKILL);
  storm->Wait(kLimit);
  EXPECT_TRUE(Exited(recorder.End(), 0));
  for (int i = 1; i <= 6; ++i) {
    FxtLog log;
    EXPECT_TRUE(IsWholeFile(dir.File("trace-" + std::to_string(i) + ".fxt"), &log)) << i;
    EXPECT_EQ(log.lost(), 0u) << i;
  }
}

TEST(Circular, AFullDiskLosesOnlyTheSnapshot) {
  REQUIRE_CAPTURE();
  const TempDir dir;
  const std::string disk = dir.File("disk");
  std::filesystem::create_directory(disk);
  ASSERT_EQ(mount("tmpfs", disk.c_str(), "tmpfs", 0, "size=64k"), 0);
  {
    TalkingRecorder recorder(disk + "/trace-%n.fxt", {"--circular", "4M"});
    SwitchALot();
    recorder.child().Signal(SIGUSR1);
    EXPECT_TRUE(recorder.Says("space")) << recorder.child().ErrorsSoFar();
    EXPECT_FALSE(std::filesystem::exists(disk + "/trace-1.fxt"));
    ASSERT_EQ(mount("tmpfs", disk.c_str(), "tmpfs", MS_REMOUNT, "size=64m"), 0);
    recorder.child().Signal(SIGUSR1);
    EXPECT_TRUE(recorder.Says("wrote ")) << recorder.child().ErrorsSoFar();
    FxtLog log;
    EXPECT_TRUE(IsWholeFile(disk + "/trace-2.fxt", &log));
    EXPECT_GT(log.log.switch_count(), 10'000u);
    // The exit code shows the failed file, too.
    EXPECT_TRUE(Exited(recorder.End(), 1));
  }
  umount(disk.c_str());
}

TEST(Oneshot, StopsWhenTheBufferIsFull) {
  REQUIRE_CAPTURE();
  const TempDir dir;
  TalkingRecorder recorder(dir.File("trace.fxt"), {"--oneshot", "256K"});
  SwitchALot();
  EXPECT_TRUE(recorder.Says("the buffer is full"));
  EXPECT_TRUE(Exited(recorder.child().Wait(kLimit), 0));
  FxtLog log;
  EXPECT_TRUE(IsWholeFile(dir.File("trace.fxt"), &log));
  EXPECT_EQ(log.lost(), 0u);
  EXPECT_GT(log.log.switch_count(), 2'000u);
  EXPECT_LT(log.log.switch_count(), 16'384u);
}

// On each CPU the next file continues with the thread that ran at the end of the last one.
TEST(Rotate, FilesContinueWithoutLoss) {
  REQUIRE_CAPTURE();
  const TempDir dir;
  TalkingRecorder recorder(dir.File("day-%n.fxt"), {"--rotate", "200K"});
  SwitchALot();
  SwitchALot();
  const CommandResult result = recorder.End();
  ASSERT_TRUE(Exited(result, 0));
  const size_t files = TalkingRecorder::Count(result.err, "wrote ");
  ASSERT_GE(files, 2u) << result.err;
  std::vector<Switch> last;
  for (size_t i = 1; i <= files; ++i) {
    FxtLog log;
    ASSERT_TRUE(IsWholeFile(dir.File("day-" + std::to_string(i) + ".fxt"), &log)) << i;
    EXPECT_EQ(log.lost(), 0u);
    last.resize(std::max(last.size(), log.log.cpus.size()));
    for (size_t cpu = 0; cpu < log.log.cpus.size(); ++cpu) {
      const auto& switches = log.log.cpus[cpu];
      if (switches.empty()) continue;
      // On some virtual machines the kernel hides switches of the second CPU.
      if (last[cpu].time_ns != 0 && cpu == 0) {
        EXPECT_GT(switches.front().time_ns, last[cpu].time_ns) << i << " " << cpu;
        EXPECT_EQ(switches.front().prev_tid, last[cpu].next_tid) << i << " " << cpu;
      }
      last[cpu] = switches.back();
    }
  }
}

TEST(Rotate, FilesOfAKilledRecorderAreReadableAndRemovedLater) {
  REQUIRE_CAPTURE();
  const TempDir dir;
  const std::vector<std::string> options = {"--rotate", "1s", "--keep", "2"};
  {
    TalkingRecorder recorder(dir.File("day-%t-%n.fxt"), options);
    SwitchALot();
    ASSERT_TRUE(recorder.Says("wrote ", 3)) << recorder.child().ErrorsSoFar();
    recorder.child().Signal(SIGKILL);
    recorder.child().Wait(kLimit);
  }
  std::vector<std::string> left;
  for (const auto& entry : std::filesystem::directory_iterator(dir.path())) {
    left.push_back(entry.path());
    // The last file may still be empty.
    if (entry.file_size() == 0) continue;
    EXPECT_TRUE(IsReadableFile(entry.path())) << entry.path();
  }
  ASSERT_GE(left.size(), 2u);
  TalkingRecorder again(dir.File("day-%t-%n.fxt"), {"--rotate", "1s", "--keep", "1"});
  const CommandResult result = again.End();
  EXPECT_TRUE(Exited(result, 0));
  EXPECT_TRUE(Mentions(result.err, "removed")) << result.err;
  EXPECT_TRUE(Mentions(result.err, "of an earlier run")) << result.err;
  const auto files = std::filesystem::directory_iterator(dir.path());
  EXPECT_EQ(std::distance(begin(files), end(files)), 1);
}

}  // namespace
}  // namespace truth
