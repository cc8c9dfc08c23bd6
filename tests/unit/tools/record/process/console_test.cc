// SPDX-License-Identifier: BSD-2-Clause
#include "tools/record/process/console.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <string>

#include "util/unique_fd.h"

namespace tools {
namespace {

using std::chrono::milliseconds;
constexpr milliseconds kLong{300'000};

// A pipe in the place of standard error.
class ConsoleTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::array<int, 2> ends{};
    ASSERT_EQ(pipe2(ends.data(), O_CLOEXEC), 0);
    reads_.reset(ends[0]);
    const util::UniqueFd writes(ends[1]);
    before_.reset(fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3));
    ASSERT_GE(dup2(writes.get(), STDERR_FILENO), 0);
  }
  void TearDown() override { Restore(); }
  void Restore() {
    if (before_) dup2(before_.get(), STDERR_FILENO);
    before_.reset();
  }
  // All output, after the writers have ended.
  std::string Said() {
    Restore();
    std::string text;
    std::array<char, 4096> piece;
    for (ssize_t got; (got = read(reads_.get(), piece.data(), piece.size())) > 0;) {
      text.append(piece.data(), static_cast<size_t>(got));
    }
    return text;
  }
  // Fills the pipe, so that the next one who writes waits.
  static void Stop() {
    const int flags = fcntl(STDERR_FILENO, F_GETFL);
    fcntl(STDERR_FILENO, F_SETFL, flags | O_NONBLOCK);
    const std::string bytes(4096, '.');
    while (write(STDERR_FILENO, bytes.data(), bytes.size()) > 0) {
    }
    fcntl(STDERR_FILENO, F_SETFL, flags);
  }
  void Empty(size_t most) {
    std::string bytes(most, '\0');
    EXPECT_GT(read(reads_.get(), bytes.data(), bytes.size()), 0);
  }

  util::UniqueFd reads_;
  util::UniqueFd before_;
};

TEST_F(ConsoleTest, WritesMessagesInOrder) {
  {
    Console console("fxt-record");
    EXPECT_FALSE(console.on_terminal());
    console.Note("first");
    console.Error({"second", "do this"});
    console.Error({"third", ""});
    console.Finish(kLong);
  }
  EXPECT_EQ(Said(),
            "fxt-record: first\nfxt-record: error: second\nfxt-record: hint: do this\n"
            "fxt-record: error: third\n");
}

TEST_F(ConsoleTest, EscapesControlCharacters) {
  {
    Console console("p");
    console.Note("comm \x1b[2J\n");
    console.Finish(kLong);
  }
  EXPECT_EQ(Said(), "p: comm \\u001b[2J\\u000a\n");
}

TEST_F(ConsoleTest, MessagesReplaceTheProgressLine) {
  {
    Console console("p");
    console.Progress("1 s");
    console.Finish(kLong);
    console.Progress(std::string(200, 'x'));
    console.Finish(kLong);
    console.Note("done");
    console.Finish(kLong);
  }
  EXPECT_EQ(Said(),
            "\rp: 1 s\x1b[K\r\x1b[K\rp: " + std::string(76, 'x') + "\x1b[K\r\x1b[Kp: done\n");
}

TEST_F(ConsoleTest, DoesNotWaitForAStoppedReader) {
  Stop();
  const auto begin = std::chrono::steady_clock::now();
  {
    Console console("p");
    for (int i = 0; i < 10'000; ++i) {
      console.Note("message");
      console.Progress("progress");
    }
    console.Finish(milliseconds(50));
  }
  EXPECT_LT(std::chrono::steady_clock::now() - begin, kLong);
  // The thread that waits to say the first one is let go.
  Empty(65536);
}

TEST_F(ConsoleTest, FinishWaitsWhileTheReaderReads) {
  Stop();
  Console console("p");
  console.Note("late");
  console.Finish(milliseconds(20));
  Empty(65536);
  console.Finish(kLong);
  EXPECT_TRUE(Said().ends_with("p: late\n"));
}

}  // namespace
}  // namespace tools
