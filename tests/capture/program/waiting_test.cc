// SPDX-License-Identifier: BSD-2-Clause
// While the recorder waits for a reader, a terminal or the command, it obeys signals and loses
// nothing.
#include <errno.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <optional>
#include <thread>

#include "capture/support/environment.h"
#include "capture/support/expect.h"
#include "capture/support/recording.h"
#include "util/unique_fd.h"

namespace truth {
namespace {

using std::chrono::milliseconds;

// Whether SIGINT is in a set of signals of the recorder: "SigBlk:" or "ShdPnd:".
bool HasInterruptIn(const std::string& set, const ChildProcess& recorder) {
  std::ifstream status("/proc/" + std::to_string(recorder.pid()) + "/status");
  for (std::string line; std::getline(status, line);) {
    if (!line.starts_with(set)) continue;
    return (strtoull(line.c_str() + set.size(), nullptr, 16) >> (SIGINT - 1) & 1) != 0;
  }
  return false;
}

// From now on the recorder handles signals.
bool WaitUntilItTakesSignals(const ChildProcess& recorder) {
  return Eventually([&] { return HasInterruptIn("SigBlk:", recorder); });
}

// Sends Ctrl-C twice, the second one after the recorder has read the first one. Returns whether it
// still ran then, and ends now.
bool TheSecondInterruptEnds(ChildProcess& recorder) {
  recorder.Signal(SIGINT);
  if (!Eventually([&] { return !HasInterruptIn("ShdPnd:", recorder); })) return false;
  std::this_thread::sleep_for(milliseconds(500));
  if (!recorder.Running()) return false;
  recorder.Signal(SIGINT);
  return Eventually([&] { return !recorder.Running(); });
}

// A command that ignores signals and ends once the file exists.
std::vector<std::string> Until(const std::string& path) {
  return {"sh", "-c",
          "trap '' INT TERM; until test -e " + path + "; do sleep 0.05; done; echo done"};
}

TEST(Waiting, ForTheCommandAfterAnOutputError) {
  REQUIRE_CAPTURE();
  const TempDir dir;
  auto recorder = ChildProcess::Start(RecordCommand("/dev/full", {}, Until(dir.File("go"))));
  ASSERT_TRUE(recorder.ok());
  EXPECT_TRUE(Eventually([&] { return Mentions(recorder->ErrorsSoFar(), "space"); }));
  EXPECT_TRUE(recorder->Running());
  std::ofstream(dir.File("go")) << "go";
  const CommandResult result = recorder->Wait(kLimit);
  EXPECT_TRUE(Exited(result, 1));
  EXPECT_EQ(result.out, "done\n");
}

TEST(Waiting, ASignalEndsTheWaitForAFifoReader) {
  REQUIRE_CAPTURE();
  for (const char* option : {"-q", "-z"}) {
    const TempDir dir;
    const std::string path = dir.File("fifo");
    ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
    auto recorder = ChildProcess::Start(RecordCommand(path, {option}));
    ASSERT_TRUE(recorder.ok());
    ASSERT_TRUE(WaitUntilItTakesSignals(*recorder));
    recorder->Signal(SIGINT);
    const CommandResult result = recorder->Wait(kLimit);
    EXPECT_TRUE(Exited(result, 1));
    EXPECT_TRUE(IsClearError(result, {path}));
  }
}

class StuckReader : public testing::TestWithParam<bool> {
 protected:
  // Records into a full pipe.
  void Start() {
    int ends[2];
    ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
    reader_.reset(ends[0]);
    util::UniqueFd writer(ends[1]);
    ASSERT_EQ(fcntl(writer.get(), F_SETPIPE_SZ, 8192), 8192);
    std::vector<std::string> words = {RecorderPath(), "-q", "-o", "-"};
    if (GetParam()) words.push_back("-z");
    auto started = ChildProcess::Start(words, {.stdout_fd = writer.get(), .before_exec = {}});
    ASSERT_TRUE(started.ok());
    recorder_.emplace(std::move(*started));
    ASSERT_TRUE(Eventually([&] {
      int waiting = 0;
      return ioctl(reader_.get(), FIONREAD, &waiting) == 0 && waiting >= 4096;
    })) << recorder_->ErrorsSoFar();
    // More than the pipe holds, even compressed.
    RunCommand({WorkloadPath(), "pingpong", "--count", "2000"}, kLimit);
  }
  util::UniqueFd reader_;
  std::optional<ChildProcess> recorder_;
};

TEST_P(StuckReader, TheSecondSignalEndsTheWait) {
  REQUIRE_CAPTURE();
  Start();
  EXPECT_TRUE(TheSecondInterruptEnds(*recorder_));
  const CommandResult result = recorder_->Wait(kLimit);
  EXPECT_TRUE(Exited(result, 1));
  EXPECT_TRUE(Mentions(result.err, "standard output")) << result.Describe();
}

TEST_P(StuckReader, TheFirstSignalEndsTheRecording) {
  REQUIRE_CAPTURE();
  Start();
  const TempDir dir;
  recorder_->Signal(SIGINT);
  RunCommand({WorkloadPath(), "pingpong", "--count", "2000"}, kLimit);
  std::string content;
  char buffer[1 << 14];
  for (ssize_t got; (got = read(reader_.get(), buffer, sizeof(buffer))) > 0;) {
    content.append(buffer, static_cast<size_t>(got));
  }
  EXPECT_TRUE(Exited(recorder_->Wait(kLimit), 0));
  const std::string path = dir.File(GetParam() ? "trace.fxt.gz" : "trace.fxt");
  std::ofstream(path, std::ios::binary) << content;
  EXPECT_TRUE(IsWholeFile(path));
}

INSTANTIATE_TEST_SUITE_P(Of, StuckReader, testing::Bool(),
                         [](const auto& tested) { return tested.param ? "Gzip" : "Plain"; });

TEST(Waiting, AfterTheDurationSignalsReachTheCommand) {
  REQUIRE_CAPTURE();
  const TempDir dir;
  auto recorder = ChildProcess::Start(
      {RecorderPath(), "-d", "200ms", "-o", dir.File("trace.fxt"), "--", "sleep", "100"});
  ASSERT_TRUE(recorder.ok());
  ASSERT_TRUE(Eventually([&] { return Mentions(recorder->ErrorsSoFar(), "wrote"); }));
  EXPECT_TRUE(IsWholeFile(dir.File("trace.fxt")));
  recorder->Signal(SIGINT);
  EXPECT_TRUE(Exited(recorder->Wait(kLimit), 128 + SIGTERM));
}

TEST(Waiting, AfterTheDurationTheSecondSignalEndsTheWait) {
  REQUIRE_CAPTURE();
  const TempDir dir;
  const std::vector<std::string> command = Until(dir.File("go"));
  auto recorder = ChildProcess::Start({RecorderPath(), "-d", "200ms", "-o", dir.File("trace.fxt"),
                                       "--", command[0], command[1], command[2]});
  ASSERT_TRUE(recorder.ok());
  ASSERT_TRUE(Eventually([&] { return Mentions(recorder->ErrorsSoFar(), "wrote"); }));
  EXPECT_TRUE(TheSecondInterruptEnds(*recorder));
  const CommandResult result = recorder->Wait(kLimit);
  EXPECT_TRUE(Exited(result, 128 + SIGINT));
  EXPECT_TRUE(Mentions(result.err, "process")) << result.Describe();
  std::ofstream(dir.File("go")) << "go";
  EXPECT_TRUE(IsWholeFile(dir.File("trace.fxt")));
}

TEST(Waiting, AnIgnoredHangupStaysIgnored) {
  REQUIRE_CAPTURE();
  const TempDir dir;
  CommandOptions nohup;
  nohup.before_exec = [] { return signal(SIGHUP, SIG_IGN) != SIG_ERR; };
  const std::string path = dir.File("trace.fxt");
  auto recorder = ChildProcess::Start(RecordCommand(path, {"-d", "1s"}), nohup);
  ASSERT_TRUE(recorder.ok());
  ASSERT_TRUE(WaitForFile(path, kLimit));
  recorder->Signal(SIGHUP);
  EXPECT_TRUE(Exited(recorder->Wait(kLimit), 0));
  FxtLog log;
  EXPECT_TRUE(IsWholeFile(path, &log));
  EXPECT_GT(log.last_ns - log.first_ns, 900'000'000u);
}

// A pseudo-terminal whose other end is this test.
struct Terminal {
  util::UniqueFd master, slave;
  Terminal() {
    master.reset(posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC));
    grantpt(master.get());
    unlockpt(master.get());
    char name[64] = "";
    ptsname_r(master.get(), name, sizeof(name));
    slave.reset(open(name, O_RDWR | O_NOCTTY | O_CLOEXEC));
    const winsize size{.ws_row = 24, .ws_col = 40, .ws_xpixel = 0, .ws_ypixel = 0};
    ioctl(slave.get(), TIOCSWINSZ, &size);
  }
};

class DeadTerminal : public testing::TestWithParam<bool> {};

TEST_P(DeadTerminal, LosesNoEvents) {
  REQUIRE_CAPTURE();
  const bool stopped = GetParam();
  const TempDir dir;
  Terminal terminal;
  ASSERT_TRUE(terminal.slave.valid()) << strerror(errno);
  if (stopped) {
    // Stops the output, as Ctrl-S does.
    ASSERT_EQ(tcflow(terminal.slave.get(), TCOOFF), 0);
  } else {
    const int flags = fcntl(terminal.slave.get(), F_GETFL);
    fcntl(terminal.slave.get(), F_SETFL, flags | O_NONBLOCK);
    // Written bytes reach the other end a little later, which makes room again.
    for (bool taken = true; taken;) {
      taken = false;
      while (write(terminal.slave.get(), "x", 1) > 0) taken = true;
      std::this_thread::sleep_for(milliseconds(20));
    }
    fcntl(terminal.slave.get(), F_SETFL, flags);
  }
  CommandOptions at_terminal;
  at_terminal.before_exec = [&] { return dup2(terminal.slave.get(), STDERR_FILENO) >= 0; };
  const std::string path = dir.File("trace.fxt");
  auto recorder = ChildProcess::Start({"nice", "-n", "-20", RecorderPath(), "-o", path, "-b", "1M",
                                       "--stats-json", dir.File("stats.json")},
                                      at_terminal);
  ASSERT_TRUE(recorder.ok());
  ASSERT_TRUE(WaitForFile(path, kLimit));
  // Far more events than the rings hold, but few between two reads.
  RunCommand({"sh", "-c",
              "for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do " + WorkloadPath() +
                  " pingpong --count 5000 >/dev/null; sleep 0.05; done"},
             kLimit);
  recorder->Signal(SIGINT);
  EXPECT_TRUE(Exited(recorder->Wait(kLimit), 0));
  const auto stats = CaptureStats::Read(dir.File("stats.json"));
  ASSERT_TRUE(stats.ok()) << stats.error().message;
  EXPECT_GT(stats->records, 200'000u);
  EXPECT_EQ(stats->dropped, 0u);
  EXPECT_TRUE(IsWholeFile(path));
}

INSTANTIATE_TEST_SUITE_P(Of, DeadTerminal, testing::Bool(), [](const auto& tested) {
  return tested.param ? "Stopped" : "NobodyReads";
});

TEST(Waiting, ProgressIsAsWideAsTheTerminal) {
  REQUIRE_CAPTURE();
  const TempDir dir;
  Terminal terminal;
  CommandOptions at_terminal;
  at_terminal.before_exec = [&] { return dup2(terminal.slave.get(), STDERR_FILENO) >= 0; };
  const CommandResult result =
      RunCommand({RecorderPath(), "-o", dir.File("trace.fxt"), "-d", "3s"}, kLimit, at_terminal);
  EXPECT_TRUE(Exited(result, 0));
  terminal.slave.reset();
  std::string shown;
  char buffer[4096];
  for (ssize_t got; (got = read(terminal.master.get(), buffer, sizeof(buffer))) > 0;) {
    shown.append(buffer, static_cast<size_t>(got));
  }
  int lines = 0;
  for (size_t at = 0; (at = shown.find("\rfxt-record: ", at)) != std::string::npos; ++at) {
    const size_t end = shown.find("\x1b[K", at);
    if (end == std::string::npos || shown.substr(at, end - at).find('\n') != std::string::npos) {
      continue;
    }
    ++lines;
    EXPECT_LE(end - at - 1, 40u) << shown.substr(at, end - at);
    EXPECT_GT(end - at - 1, 30u) << shown.substr(at, end - at);
  }
  EXPECT_GE(lines, 1) << shown;
}

}  // namespace
}  // namespace truth
