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

using Status = LineReader::Status;

// A pipe that a thread fills with `text` and closes.
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

TEST(LineReaderTest, SplitsAtLineFeeds) {
  const std::string long_line(200'000, 'x');
  const Written from("one\n\n" + long_line + "\nlast");
  LineReader reader(from.fd(), 1 << 20);
  std::vector<std::string> lines;
  for (std::string line; reader.Next(line) == Status::kLine;) lines.push_back(line);
  EXPECT_EQ(lines, (std::vector<std::string>{"one", "", long_line, "last"}));
}

TEST(LineReaderTest, EmptyInputHasNoLine) {
  const Written from("");
  std::string line;
  EXPECT_EQ(LineReader(from.fd(), 10).Next(line), Status::kEnd);
}

TEST(LineReaderTest, LimitsTheLengthOfALine) {
  const util::UniqueFd zeros(open("/dev/zero", O_RDONLY | O_CLOEXEC));
  std::string line;
  EXPECT_EQ(LineReader(zeros.get(), 1 << 20).Next(line), Status::kTooLong);
  EXPECT_LE(line.size(), size_t{1} << 20);
}

TEST(LineReaderTest, ReportsAReadError) {
  const util::UniqueFd folder(open("/", O_RDONLY | O_CLOEXEC));
  std::string line;
  EXPECT_EQ(LineReader(folder.get(), 10).Next(line), Status::kFailed);
  EXPECT_EQ(errno, EISDIR);
}

TEST(LineReaderTest, AnInterruptEndsTheWait) {
  int ends[2] = {-1, -1};
  ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
  const util::UniqueFd from(ends[0]);
  const util::UniqueFd to(ends[1]);
  NoteInterrupts();
  const pthread_t waits = pthread_self();
  // The signal may arrive in read() or before it; both must work.
  std::jthread interrupts([waits](const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      pthread_kill(waits, SIGINT);
      usleep(1000);
    }
  });
  std::string line;
  EXPECT_EQ(LineReader(from.get(), 10).Next(line), Status::kInterrupted);
  interrupts.request_stop();
  interrupts.join();
  EXPECT_TRUE(WasInterrupted());
  ForgetInterrupt();
  EXPECT_FALSE(WasInterrupted());
  std::signal(SIGINT, SIG_DFL);
}

// The signal arrives between the prompt and the wait for a line.
TEST(LineReaderTest, AnInterruptBeforeTheWaitEndsIt) {
  int ends[2] = {-1, -1};
  ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
  const util::UniqueFd from(ends[0]);
  const util::UniqueFd to(ends[1]);
  NoteInterrupts();
  ForgetInterrupt();
  raise(SIGINT);
  // A missed signal would wait for ever.
  std::jthread later([end = to.get()](const std::stop_token& stop) {
    for (int i = 0; i < 100 && !stop.stop_requested(); ++i) usleep(50'000);
    if (stop.stop_requested()) return;
    EXPECT_EQ(write(end, "late\n", 5), 5);
  });
  std::string line;
  LineReader reader(from.get(), 10);
  EXPECT_EQ(reader.Next(line), Status::kInterrupted);
  later.request_stop();
  later.join();
  // Not twice.
  ForgetInterrupt();
  EXPECT_EQ(write(to.get(), "line\n", 5), 5);
  EXPECT_EQ(reader.Next(line), Status::kLine);
  EXPECT_EQ(line, "line");
  std::signal(SIGINT, SIG_DFL);
}

}  // namespace
}  // namespace tools
