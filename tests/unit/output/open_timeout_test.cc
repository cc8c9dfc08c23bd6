// SPDX-License-Identifier: BSD-2-Clause
#include "output/open_timeout.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string>
#include <thread>

#include "support/temp_folder.h"

namespace output {
namespace {

constexpr int kFlags = O_WRONLY | O_CLOEXEC;

class OpenTimeoutTest : public ::testing::Test {
 protected:
  OpenTimeoutTest() { EXPECT_EQ(mkfifo(fifo_.c_str(), 0600), 0); }
  // Returns true `most` times.
  KeepWaiting Times(int most) {
    return [this, most] { return ++asked_ <= most; };
  }

  testing_support::TempFolder folder_;
  std::string fifo_ = folder_ / "fifo";
  int asked_ = 0;
};

struct Pipe {
  Pipe() {
    std::array<int, 2> ends{};
    EXPECT_EQ(pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK), 0);
    reads.reset(ends[0]);
    writes.reset(ends[1]);
  }
  void Fill() const {
    const std::string bytes(4096, 'x');
    while (write(writes.get(), bytes.data(), bytes.size()) > 0) {
    }
  }
  util::UniqueFd reads;
  util::UniqueFd writes;
};

TEST_F(OpenTimeoutTest, OpensAFileAtOnce) {
  EXPECT_TRUE(OpenWithin(AT_FDCWD, folder_ / "file", kFlags | O_CREAT, 0600, Times(0)));
  EXPECT_EQ(asked_, 0);
}

TEST_F(OpenTimeoutTest, DoesNotWaitAfterAnError) {
  EXPECT_FALSE(OpenWithin(AT_FDCWD, folder_ / "no/file", kFlags, 0600, Times(9)));
  EXPECT_EQ(errno, ENOENT);
  EXPECT_EQ(asked_, 0);
}

TEST_F(OpenTimeoutTest, GivesUpAFifoWithoutReader) {
  EXPECT_FALSE(OpenWithin(AT_FDCWD, fifo_, kFlags, 0600, Times(3)));
  EXPECT_EQ(errno, ECANCELED);
  EXPECT_EQ(asked_, 4);
}

TEST_F(OpenTimeoutTest, WaitsForAReaderOfAFifo) {
  util::UniqueFd reads;
  const KeepWaiting let_one_read = [&] {
    if (++asked_ == 2) reads.reset(open(fifo_.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
    return asked_ < 500;
  };
  const util::UniqueFd writes = OpenWithin(AT_FDCWD, fifo_, kFlags, 0600, let_one_read);
  ASSERT_TRUE(writes.valid());
  EXPECT_EQ(asked_, 2);
  EXPECT_NE(fcntl(writes.get(), F_GETFL) & O_NONBLOCK, 0);
}

TEST_F(OpenTimeoutTest, WaitsForAFullPipe) {
  const Pipe pipe;
  EXPECT_TRUE(WaitUntilWritable(pipe.writes.get(), Times(0)));
  EXPECT_EQ(asked_, 0);
  pipe.Fill();
  const KeepWaiting let_one_read = [&] {
    std::string bytes(65536, '\0');
    if (++asked_ == 2) {
      EXPECT_GT(read(pipe.reads.get(), bytes.data(), bytes.size()), 0);
    }
    return asked_ < 500;
  };
  EXPECT_TRUE(WaitUntilWritable(pipe.writes.get(), let_one_read));
  EXPECT_EQ(asked_, 2);
}

TEST_F(OpenTimeoutTest, GivesUpAFullPipe) {
  const Pipe pipe;
  pipe.Fill();
  EXPECT_FALSE(WaitUntilWritable(pipe.writes.get(), Times(2)));
  EXPECT_EQ(errno, ECANCELED);
}

TEST_F(OpenTimeoutTest, ReportsABrokenPipeAsWritable) {
  Pipe pipe;
  pipe.Fill();
  pipe.reads.reset();
  EXPECT_TRUE(WaitUntilWritable(pipe.writes.get(), nullptr));
}

TEST_F(OpenTimeoutTest, LeavesThePipeBlockingForOthers) {
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe2(ends.data(), O_CLOEXEC), 0);
  const util::UniqueFd reads(ends[0]);
  const util::UniqueFd writes(ends[1]);
  const util::UniqueFd mine = ReopenWithoutBlocking(writes.get());
  ASSERT_TRUE(mine.valid());
  EXPECT_NE(fcntl(mine.get(), F_GETFL) & O_NONBLOCK, 0);
  EXPECT_EQ(fcntl(writes.get(), F_GETFL) & O_NONBLOCK, 0);
  ASSERT_EQ(write(mine.get(), "x", 1), 1);
  char byte = 0;
  EXPECT_EQ(read(reads.get(), &byte, 1), 1);
}

}  // namespace
}  // namespace output
