// SPDX-License-Identifier: BSD-2-Clause
#include "sink/output.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <thread>

#include "unit/sink/sink_test_support.h"

namespace sink {
namespace {

using testing::ReadBytes;
using testing::Records;
using testing::TemporaryFolder;

struct Pipe {
  Pipe() {
    std::array<int, 2> ends{};
    if (pipe(ends.data()) == 0) {
      read_end.reset(ends[0]);
      write_end.reset(ends[1]);
    }
  }
  util::UniqueFd read_end;
  util::UniqueFd write_end;
};

std::vector<std::byte> Drain(int fd, std::chrono::microseconds pause) {
  std::vector<std::byte> all;
  std::array<std::byte, 5000> buffer;
  for (;;) {
    const ssize_t got = read(fd, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return all;
    all.insert(all.end(), buffer.begin(), buffer.begin() + got);
    std::this_thread::sleep_for(pause);
  }
}

mode_t ModeOf(const std::string& path) {
  struct stat status = {};
  return stat(path.c_str(), &status) == 0 ? status.st_mode & 07777 : 0;
}

TEST(OutputTest, CreatesAFileForItsOwner) {
  const TemporaryFolder folder;
  const auto bytes = Records(1000, 1);
  auto output = Output::OpenFile(folder / "new");
  ASSERT_TRUE(output.ok());
  EXPECT_TRUE(output->Write(bytes));
  EXPECT_EQ(output->size(), bytes.size());
  EXPECT_TRUE(output->Close().ok());
  EXPECT_EQ(ReadBytes(folder / "new"), bytes);
  EXPECT_EQ(ModeOf(folder / "new"), 0600u);
}

TEST(OutputTest, ReplacesAnExistingFile) {
  const TemporaryFolder folder;
  const auto bytes = Records(5000, 1);
  {
    auto output = Output::OpenFile(folder / "old");
    ASSERT_TRUE(output.ok());
    output->Write(bytes);
  }
  ASSERT_EQ(chmod((folder / "old").c_str(), 0640), 0);
  auto output = Output::OpenFile(folder / "old");
  ASSERT_TRUE(output.ok());
  EXPECT_TRUE(ReadBytes(folder / "old").empty());
  EXPECT_TRUE(output->Close().ok());
  EXPECT_EQ(ModeOf(folder / "old"), 0600u);
  EXPECT_EQ(ReadBytes(folder / "old.old"), bytes);
}

TEST(OutputTest, CreatesTheTargetOfADanglingLink) {
  const TemporaryFolder folder;
  ASSERT_EQ(symlink((folder / "target").c_str(), (folder / "link").c_str()), 0);
  ASSERT_TRUE(Output::OpenFile(folder / "link").ok());
  EXPECT_EQ(access((folder / "target").c_str(), F_OK), 0);
}

TEST(OutputTest, DoesNotInheritTheDescriptor) {
  const TemporaryFolder folder;
  // The output gets the lowest free descriptor.
  const int lowest = dup(0);
  ASSERT_GE(lowest, 0);
  close(lowest);
  auto output = Output::OpenFile(folder / "file");
  ASSERT_TRUE(output.ok());
  EXPECT_EQ(fcntl(lowest, F_GETFD), FD_CLOEXEC);
}

TEST(OutputTest, ReportsOutputsThatCannotBeOpened) {
  const TemporaryFolder folder;
  const auto missing = Output::OpenFile(folder / "no/such/file");
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().message,
            "cannot write " + (folder / "no/such/file") + ": No such file or directory");
  EXPECT_FALSE(missing.error().hint.empty());
  const auto directory = Output::OpenFile(folder.path().string());
  ASSERT_FALSE(directory.ok());
  EXPECT_NE(directory.error().message.find("directory"), std::string::npos);
}

TEST(OutputTest, WaitsForASlowReaderOfANonBlockingPipe) {
  const testing::IgnoreSigpipe ignore;
  Pipe pipe;
  ASSERT_TRUE(pipe.write_end);
  ASSERT_EQ(fcntl(pipe.write_end.get(), F_SETFL, O_NONBLOCK), 0);
  std::vector<std::byte> received;
  std::thread reader(
      [&] { received = Drain(pipe.read_end.get(), std::chrono::microseconds(100)); });
  const auto bytes = Records(1'000'000, 3);
  Output output(std::move(pipe.write_end), "the pipe");
  EXPECT_TRUE(output.Write(bytes));
  EXPECT_TRUE(output.Close().ok());
  reader.join();
  EXPECT_TRUE(received == bytes);
}

std::atomic<int> signals = 0;

TEST(OutputTest, ContinuesAfterSignals) {
  struct sigaction action = {};
  struct sigaction before = {};
  action.sa_handler = [](int) { ++signals; };  // without SA_RESTART
  ASSERT_EQ(sigaction(SIGUSR1, &action, &before), 0);
  Pipe pipe;
  std::vector<std::byte> received;
  // Until the signals have come, the writer waits for room.
  std::thread reader([&] {
    while (signals <= 10) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    received = Drain(pipe.read_end.get(), std::chrono::microseconds(500));
  });
  const auto bytes = Records(1'000'000, 4);
  std::atomic<bool> done = false;
  const pthread_t writer = pthread_self();
  std::thread disturber([&] {
    while (!done) {
      pthread_kill(writer, SIGUSR1);
      std::this_thread::sleep_for(std::chrono::microseconds(300));
    }
  });
  Output output(std::move(pipe.write_end), "the pipe");
  EXPECT_TRUE(output.Write(bytes));
  done = true;
  disturber.join();
  EXPECT_TRUE(output.Close().ok());
  reader.join();
  sigaction(SIGUSR1, &before, nullptr);
  EXPECT_TRUE(received == bytes);
}

TEST(OutputTest, ReportsAClosedPipeWithoutASignal) {
  const testing::IgnoreSigpipe ignore;
  Pipe pipe;
  Output output(std::move(pipe.write_end), "standard output");
  EXPECT_TRUE(output.Write(Records(100, 1)));
  pipe.read_end.reset();
  EXPECT_FALSE(output.Write(Records(100, 1)));
  EXPECT_FALSE(output.Write(Records(100, 1)));
  EXPECT_FALSE(output.CutTo(0)) << "a pipe gives nothing back";
  const auto status = output.Close();
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().message, "the reader of standard output closed it");
  EXPECT_FALSE(output.Close().ok());
}

TEST(OutputTest, ReportsAFullDevice) {
  if (access("/dev/full", W_OK) != 0) GTEST_SKIP() << "no /dev/full";
  auto output = Output::OpenFile("/dev/full");
  ASSERT_TRUE(output.ok());
  EXPECT_FALSE(output->Write(Records(100, 1)));
  const auto status = output->Close();
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().message, "cannot write /dev/full: No space left on device");
  EXPECT_FALSE(status.error().hint.empty());
}

TEST(OutputTest, ContinuesWhereTheFileWasCut) {
  const TemporaryFolder folder;
  auto output = Output::OpenFile(folder / "file");
  ASSERT_TRUE(output.ok());
  const auto bytes = Records(1000, 1);
  ASSERT_TRUE(output->Write(bytes));
  EXPECT_FALSE(output->CutTo(bytes.size() + 1));
  ASSERT_TRUE(output->CutTo(100));
  ASSERT_TRUE(output->Write(std::span(bytes).subspan(100)));
  ASSERT_TRUE(output->Close().ok());
  EXPECT_EQ(ReadBytes(folder / "file"), bytes);
}

// As with `command >> file`: the earlier content stays.
TEST(OutputTest, KeepsEarlierContentWhenCut) {
  const TemporaryFolder folder;
  const auto bytes = Records(1000, 1);
  for (const int flags : {O_WRONLY, O_WRONLY | O_APPEND}) {
    {
      auto before = Output::OpenFile(folder / "file");
      ASSERT_TRUE(before.ok());
      ASSERT_TRUE(before->Write(bytes));
    }
    util::UniqueFd fd(open((folder / "file").c_str(), flags));
    ASSERT_TRUE(fd);
    ASSERT_EQ(lseek(fd.get(), 0, SEEK_END), static_cast<off_t>(bytes.size()));
    Output output(std::move(fd), "standard output");
    ASSERT_TRUE(output.Write(bytes));
    EXPECT_EQ(output.size(), bytes.size());
    ASSERT_TRUE(output.CutTo(0));
    ASSERT_TRUE(output.Close().ok());
    EXPECT_EQ(ReadBytes(folder / "file"), bytes);
  }
}

TEST(OutputTest, ReportsARemovedFile) {
  const TemporaryFolder folder;
  auto output = Output::OpenFile(folder / "file");
  ASSERT_TRUE(output.ok());
  ASSERT_EQ(unlink((folder / "file").c_str()), 0);
  EXPECT_TRUE(output->Write(Records(100, 1)));
  const auto status = output->Close();
  ASSERT_FALSE(status.ok());
  EXPECT_NE(status.error().message.find("was removed"), std::string::npos);
}

TEST(OutputTest, RefusesATerminal) {
  util::UniqueFd terminal(posix_openpt(O_RDWR | O_NOCTTY));
  if (!terminal || grantpt(terminal.get()) != 0 || unlockpt(terminal.get()) != 0) {
    GTEST_SKIP() << "no pseudoterminals here";
  }
  util::UniqueFd side(open(ptsname(terminal.get()), O_RDWR | O_NOCTTY));
  if (!side) GTEST_SKIP() << "no pseudoterminals here";
  fflush(stdout);
  util::UniqueFd before(dup(STDOUT_FILENO));
  ASSERT_GE(dup2(side.get(), STDOUT_FILENO), 0);
  const auto output = Output::OpenStdout();
  dup2(before.get(), STDOUT_FILENO);
  ASSERT_FALSE(output.ok());
  EXPECT_NE(output.error().message.find("terminal"), std::string::npos);
}

}  // namespace
}  // namespace sink
