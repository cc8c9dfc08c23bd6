// SPDX-License-Identifier: BSD-2-Clause
// After any end of a recording the file is complete, or readable up to its last complete record,
// and the message is correct.
#include <errno.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <random>
#include <thread>

#include "capture/support/clock.h"
#include "capture/support/environment.h"
#include "capture/support/expect.h"
#include "capture/support/gunzip.h"
#include "capture/support/recording.h"
#include "util/unique_fd.h"

namespace truth {
namespace {

using std::chrono::milliseconds;

class EndingBySignal : public testing::TestWithParam<int> {};

TEST_P(EndingBySignal, LeavesACompleteFile) {
  REQUIRE_CAPTURE();
  const TempDir dir;
  const std::string path = dir.File("trace.fxt");
  // An ignored signal stays ignored, as nohup requires.
  ASSERT_NE(signal(GetParam(), SIG_DFL), SIG_ERR);
  auto recorder = ChildProcess::Start(RecordCommand(path, {}));
  ASSERT_TRUE(recorder.ok());
  ASSERT_TRUE(WaitForFile(path, kLimit)) << recorder->ErrorsSoFar();
  RunCommand({WorkloadPath(), "pingpong", "--count", "2000"}, kLimit);
  recorder->Signal(GetParam());
  const CommandResult result = recorder->Wait(kLimit);
  EXPECT_FALSE(result.timed_out);
  EXPECT_TRUE(Exited(result, 0));
  FxtLog log;
  EXPECT_TRUE(IsWholeFile(path, &log));
  EXPECT_GT(log.log.switch_count(), 1000u);
}

INSTANTIATE_TEST_SUITE_P(Of, EndingBySignal, testing::Values(SIGINT, SIGTERM, SIGHUP),
                         [](const testing::TestParamInfo<int>& tested) {
                           return std::string(sigabbrev_np(tested.param));
                         });

// Ctrl-C reaches the command, too. The recording continues until the command ends.
TEST(Ending, CtrlCWithACommandEndsWithTheCommand) {
  REQUIRE_CAPTURE();
  const TempDir dir;
  const std::string path = dir.File("trace.fxt");
  auto recorder =
      ChildProcess::Start(RecordCommand(path, {}, {"sh", "-c", "echo runs >&2; exec sleep 300"}));
  ASSERT_TRUE(recorder.ok());
  ASSERT_TRUE(Eventually([&] { return Mentions(recorder->ErrorsSoFar(), "runs"); }));
  kill(-recorder->pid(), SIGINT);
  const CommandResult result = recorder->Wait(kLimit);
  EXPECT_FALSE(result.timed_out);
  EXPECT_EQ(result.signal, 0) << result.Describe();
  EXPECT_TRUE(Exited(result, 128 + SIGINT));
  EXPECT_TRUE(IsWholeFile(path));
}

TEST(Ending, AClosedPipeEndsTheRecording) {
  REQUIRE_CAPTURE();
  int ends[2];
  ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
  util::UniqueFd reader(ends[0]), writer(ends[1]);
  auto recorder = ChildProcess::Start({RecorderPath(), "-q", "-o", "-"},
                                      {.stdout_fd = writer.get(), .before_exec = {}});
  ASSERT_TRUE(recorder.ok());
  writer.reset();
  char first[8];
  ASSERT_EQ(read(reader.get(), first, sizeof(first)), 8);
  EXPECT_EQ(std::string_view(first, 8), std::string_view("\x10\0\4FxT\x16\0", 8));
  reader.reset();
  RunCommand({WorkloadPath(), "pingpong", "--count", "20000"}, kLimit);
  const CommandResult result = recorder->Wait(kLimit);
  EXPECT_FALSE(result.timed_out);
  EXPECT_EQ(result.signal, 0) << result.Describe();
  EXPECT_TRUE(IsClearError(result, {"output"}));
}

TEST(Ending, StandardOutputHasACompleteStream) {
  REQUIRE_CAPTURE();
  const TempDir dir;
  const std::string path = dir.File("piped.fxt");
  // A pipe with a slow reader.
  const CommandResult result =
      RunCommand({"sh", "-c",
                  RecorderPath() + " -q -o - -- " + WorkloadPath() + " pingpong --count 20000 | " +
                      "(sleep 0.3; cat) > " + path},
                 kLimit);
  EXPECT_TRUE(Exited(result, 0));
  FxtLog log;
  // The command has the same standard output; its output must not enter the trace.
  EXPECT_TRUE(IsWholeFile(path, &log));
  EXPECT_GT(log.log.switch_count(), 10'000u);
}

TEST(Ending, FullDiskLeavesAValidFile) {
  REQUIRE_CAPTURE();
  const TempDir dir;
  const std::string disk = dir.File("disk");
  std::filesystem::create_directory(disk);
  ASSERT_EQ(mount("tmpfs", disk.c_str(), "tmpfs", 0, "size=768k"), 0);
  const std::string path = disk + "/trace.fxt";
  const CommandResult result = RunCommand(
      RecordCommand(path, {}, {WorkloadPath(), "pingpong", "--cpu", "0", "--count", "100000"}),
      kLimit);
  EXPECT_FALSE(result.timed_out);
  EXPECT_NE(result.exit_code, 0);
  EXPECT_EQ(result.signal, 0) << result.Describe();
  EXPECT_TRUE(Mentions(result.err, "space")) << result.Describe();
  EXPECT_TRUE(Mentions(result.err, path)) << result.Describe();
  FxtLog log;
  EXPECT_TRUE(IsWholeFile(path, &log));
  EXPECT_GT(log.bytes, 400'000u);
  umount2(disk.c_str(), MNT_DETACH);
}

// A file beyond RLIMIT_FSIZE causes a signal that kills by default.
TEST(Ending, FileSizeLimitLeavesAValidFile) {
  REQUIRE_CAPTURE();
  const TempDir dir;
  CommandOptions limited;
  limited.before_exec = [] {
    const rlimit limit{1 << 20, 1 << 20};
    return setrlimit(RLIMIT_FSIZE, &limit) == 0;
  };
  const CommandResult result =
      RunCommand(RecordCommand(dir.File("trace.fxt"), {},
                               {WorkloadPath(), "pingpong", "--cpu", "0", "--count", "100000"}),
                 kLimit, limited);
  EXPECT_FALSE(result.timed_out);
  EXPECT_EQ(result.signal, 0) << result.Describe();
  EXPECT_NE(result.exit_code, 0);
  EXPECT_TRUE(Mentions(result.err, "large")) << result.Describe();
  EXPECT_TRUE(IsWholeFile(dir.File("trace.fxt")));
}

TEST(Ending, RemovedOutputIsReported) {
  REQUIRE_CAPTURE();
  const TempDir dir;
  const std::string path = dir.File("trace.fxt");
  auto recorder = ChildProcess::Start(RecordCommand(path, {}));
  ASSERT_TRUE(recorder.ok());
  ASSERT_TRUE(WaitForFile(path, kLimit)) << recorder->ErrorsSoFar();
  util::UniqueFd still(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  ASSERT_EQ(unlink(path.c_str()), 0);
  RunCommand({WorkloadPath(), "pingpong", "--count", "1000"}, kLimit);
  recorder->Signal(SIGINT);
  const CommandResult result = recorder->Wait(kLimit);
  EXPECT_FALSE(result.timed_out);
  EXPECT_NE(result.exit_code, 0) << result.Describe();
  EXPECT_TRUE(Mentions(result.err, path)) << result.Describe();
  // The written part is complete.
  EXPECT_TRUE(IsReadableFile("/proc/self/fd/" + std::to_string(still.get())));
}

// Without the standard descriptors messages must not enter the trace.
TEST(Ending, MissingStandardDescriptorsDoNotSpoilTheFile) {
  REQUIRE_CAPTURE();
  const TempDir dir;
  CommandOptions closed;
  closed.before_exec = [] { return close(0) == 0 && close(1) == 0 && close(2) == 0; };
  const std::string path = dir.File("trace.fxt");
  const CommandResult result = RunCommand(
      {RecorderPath(), "-o", path, "--", "sh", "-c", "echo out; echo err >&2"}, kLimit, closed);
  EXPECT_FALSE(result.timed_out);
  EXPECT_TRUE(IsWholeFile(path));
}

TEST(Ending, FailedMessagesDoNotStopTheRecording) {
  REQUIRE_CAPTURE();
  const TempDir dir;
  CommandOptions closed;
  closed.before_exec = [] { return close(0) == 0 && close(1) == 0 && close(2) == 0; };
  CommandOptions full;
  full.before_exec = [] { return dup2(open("/dev/full", O_WRONLY), STDERR_FILENO) >= 0; };
  for (const CommandOptions& options : {closed, full}) {
    const std::string path = dir.File("trace.fxt");
    EXPECT_TRUE(Exited(RunCommand({RecorderPath(), "-o", path, "--", "true"}, kLimit, options), 0));
    EXPECT_TRUE(IsWholeFile(path));
  }
}

TEST(Ending, KilledAtRandomMomentsIsReadable) {
  REQUIRE_CAPTURE();
  const TempDir dir;
  const unsigned seed = std::random_device()();
  std::mt19937 random(seed);
  auto load = ChildProcess::Start({OddTasksPath(), "storm", "--times", "300000"});
  ASSERT_TRUE(load.ok());
  int empty = 0, with_switches = 0, truncated = 0;
  for (int round = 0; round < 50; ++round) {
    const bool gzip = round % 2 == 1;
    const std::string path = dir.File(gzip ? "killed.fxt.gz" : "killed.fxt");
    std::filesystem::remove(path);
    auto recorder = ChildProcess::Start(RecordCommand(path, {}));
    ASSERT_TRUE(recorder.ok());
    // Half of the kills may come before the recorder has begun to write, half come after.
    if (round % 4 >= 2) {
      ASSERT_TRUE(WaitForFile(path, kLimit)) << recorder->ErrorsSoFar();
    }
    std::this_thread::sleep_for(milliseconds(20 + random() % 500));
    recorder->Signal(SIGKILL);
    const CommandResult result = recorder->Wait(kLimit);
    ASSERT_EQ(result.signal, SIGKILL) << "seed " << seed << ": " << result.Describe();
    // A compressed file may have only its header yet.
    const auto content = ReadMaybeGzip(path);
    if (!std::filesystem::exists(path) || (content.ok() && content->bytes.empty())) {
      ++empty;
      continue;
    }
    FxtLog log;
    ASSERT_TRUE(IsReadableFile(path, &log)) << "seed " << seed << " round " << round;
    // An uncompressed write ends with a complete record, but a kill ends a write at any page.
    truncated += !gzip && log.truncated;
    with_switches += log.log.switch_count() > 0;
  }
  printf("killed 50 times (seed %u): %d before anything was written, %d with switches\n", seed,
         empty, with_switches);
  EXPECT_GE(with_switches, 5);
  // If writes did not end with complete records, most of the 25 uncompressed files would be
  // truncated.
  EXPECT_LE(truncated, 12);
}

// A kill loses at most about a second of a compressed file.
TEST(Ending, KilledLosesAtMostAboutASecond) {
  REQUIRE_CAPTURE();
  for (const char* name : {"killed.fxt", "killed.fxt.gz"}) {
    double lost = 0;
    // A busy machine may delay a write now and then, but not each time.
    for (int attempt = 0; attempt == 0 || (lost >= 1.6 && attempt < 10); ++attempt) {
      const TempDir dir;
      const std::string path = dir.File(name);
      auto recorder = ChildProcess::Start(RecordCommand(path, {}));
      ASSERT_TRUE(recorder.ok());
      ASSERT_TRUE(WaitForFile(path, kLimit)) << recorder->ErrorsSoFar();
      // The rate is too low to fill a buffer.
      RunCommand({"sh", "-c", "for i in 1 2 3 4 5 6 7 8 9 10 11 12; do sleep 0.2; done"}, kLimit);
      const uint64_t killed_ns = BootTimeNs();
      recorder->Signal(SIGKILL);
      recorder->Wait(kLimit);
      FxtLog log;
      ASSERT_TRUE(IsReadableFile(path, &log)) << name;
      lost = (static_cast<double>(killed_ns) - static_cast<double>(log.last_ns)) / 1e9;
      printf("%s: killed, the last %.3f s are lost\n", name, lost);
    }
    EXPECT_LT(lost, 1.6) << name;
  }
}

}  // namespace
}  // namespace truth
