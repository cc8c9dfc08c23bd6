// SPDX-License-Identifier: BSD-2-Clause
#include "tools/fxt/support/line_reader.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <string>
#include <thread>
#include <vector>

#include "tools/fxt/support/interrupt.h"
#include "util/unique_fd.h"

namespace tools {
namespace {

using Got = LineReader::Got;

// A pipe into which `text` is written by a thread, which then closes it.
class Written {
 public:
  explicit Written(std::string text) {
    int ends[2] = {-1, -1};
    EXPECT_EQ(pipe2(ends, O_CLOEXEC), 0);
    fd_.reset(ends[0]);
    writer_ = std::jthread([text = std::move(text), end = ends[1]] {
      EXPECT_EQ(write(end, text.data(), text.size()), static_cast<ssize_t>(text.size()));
      close(end);
    });
  }
  int fd() const { return fd_.get(); }

 private:
  util::UniqueFd fd_;
  std::jthread writer_;
};

TEST(LineReaderTest, LinesAreWhatLiesBetweenLineFeeds) {
  const std::string long_line(200'000, 'x');
  const Written from("one\n\n" + long_line + "\nlast");
  LineReader reader(from.fd(), 1 << 20);
  std::vector<std::string> lines;
  for (std::string line; reader.Next(line) == Got::kLine;) lines.push_back(line);
  EXPECT_EQ(lines, (std::vector<std::string>{"one", "", long_line, "last"}));
}

TEST(LineReaderTest, NothingHasNoLine) {
  const Written from("");
  std::string line;
  EXPECT_EQ(LineReader(from.fd(), 10).Next(line), Got::kEnd);
}

TEST(LineReaderTest, AFileWithoutAnEndIsGivenUp) {
  const util::UniqueFd zeros(open("/dev/zero", O_RDONLY | O_CLOEXEC));
  std::string line;
  EXPECT_EQ(LineReader(zeros.get(), 1 << 20).Next(line), Got::kTooLong);
  EXPECT_LE(line.size(), size_t{1} << 20);
}

TEST(LineReaderTest, WhatCannotBeReadIsAnError) {
  const util::UniqueFd folder(open("/", O_RDONLY | O_CLOEXEC));
  std::string line;
  EXPECT_EQ(LineReader(folder.get(), 10).Next(line), Got::kFailed);
  EXPECT_EQ(errno, EISDIR);
}

TEST(LineReaderTest, AnInterruptEndsTheWait) {
  int ends[2] = {-1, -1};
  ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
  const util::UniqueFd from(ends[0]);
  const util::UniqueFd to(ends[1]);
  NoteInterrupts();
  const pthread_t waits = pthread_self();
  // Whether it is read() that is interrupted, or what comes before, nobody can know.
  std::jthread interrupts([waits](const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      pthread_kill(waits, SIGINT);
      usleep(1000);
    }
  });
  std::string line;
  EXPECT_EQ(LineReader(from.get(), 10).Next(line), Got::kInterrupted);
  interrupts.request_stop();
  interrupts.join();
  EXPECT_TRUE(WasInterrupted());
  ForgetInterrupt();
  EXPECT_FALSE(WasInterrupted());
  std::signal(SIGINT, SIG_DFL);
}

// Between the prompt and the wait for a line.
TEST(LineReaderTest, AnInterruptBeforeTheWaitIsNotMissed) {
  int ends[2] = {-1, -1};
  ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
  const util::UniqueFd from(ends[0]);
  const util::UniqueFd to(ends[1]);
  NoteInterrupts();
  ForgetInterrupt();
  raise(SIGINT);
  // What misses it would wait for good.
  std::jthread later([end = to.get()](const std::stop_token& stop) {
    for (int i = 0; i < 100 && !stop.stop_requested(); ++i) usleep(50'000);
    if (stop.stop_requested()) return;
    EXPECT_EQ(write(end, "late\n", 5), 5);
  });
  std::string line;
  LineReader reader(from.get(), 10);
  EXPECT_EQ(reader.Next(line), Got::kInterrupted);
  later.request_stop();
  later.join();
  // Not twice.
  ForgetInterrupt();
  EXPECT_EQ(write(to.get(), "line\n", 5), 5);
  EXPECT_EQ(reader.Next(line), Got::kLine);
  EXPECT_EQ(line, "line");
  std::signal(SIGINT, SIG_DFL);
}

}  // namespace
}  // namespace tools
