// SPDX-License-Identifier: BSD-2-Clause
#include "control/server/send_as.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>
#include <thread>

#include "util/clock.h"
#include "util/unique_fd.h"

namespace control {
namespace {

constexpr uid_t kOtherUser = 65534;
constexpr size_t kSize = size_t{1} << 20;
// ns; long enough for a busy machine, which may not run the reader for a while.
constexpr uint64_t kLong = 300'000'000'000;

util::UniqueFd Spool(size_t size) {
  util::UniqueFd file(memfd_create("spool", MFD_CLOEXEC));
  const std::string bytes(size, 'x');
  EXPECT_EQ(write(file.get(), bytes.data(), size), static_cast<ssize_t>(size));
  return file;
}

struct Pipe {
  Pipe() {
    int ends[2];
    EXPECT_EQ(pipe2(ends, O_CLOEXEC), 0);
    from.reset(ends[0]);
    to.reset(ends[1]);
  }
  util::UniqueFd from;
  util::UniqueFd to;
};

class SendAsTest : public testing::Test {
 protected:
  util::Status Send(int to) {
    return SendAs(Peer::Self(), spool_.get(), to, "the output", limits_, abandoned_);
  }

  const util::UniqueFd spool_ = Spool(kSize);
  SendLimits limits_{.idle = 200'000'000, .bytes_per_second = 2 << 20};
  std::atomic<bool> abandoned_ = false;
};

TEST_F(SendAsTest, SendsAllOfAFileToAReader) {
  Pipe pipe;
  limits_.idle = kLong;
  size_t got = 0;
  std::thread reader([&] {
    std::string buffer(kSize, '\0');
    for (ssize_t size = 1; size > 0; got += static_cast<size_t>(size)) {
      size = read(pipe.from.get(), buffer.data(), buffer.size());
    }
  });
  const util::Status sent = Send(pipe.to.get());
  pipe.to.reset();
  reader.join();
  EXPECT_TRUE(sent.ok()) << sent.error().message;
  EXPECT_EQ(got, kSize);
}

TEST_F(SendAsTest, EndsWhenTheReaderTakesNothing) {
  const Pipe pipe;
  const uint64_t begin = util::MonotonicNow();
  const util::Status sent = Send(pipe.to.get());
  ASSERT_FALSE(sent.ok());
  EXPECT_EQ(sent.error().message, "the output was not read to its end");
  EXPECT_GE(util::MonotonicNow() - begin, limits_.idle);
}

// A slow reader makes progress, so only the average rate ends it: 1 MiB may take 0.2 s + 0.5 s, but
// would need 32 s.
TEST_F(SendAsTest, EndsWhenTheReaderIsTooSlow) {
  Pipe pipe;
  std::atomic<bool> end = false;
  std::thread reader([&] {
    char buffer[4096];
    while (!end) {
      EXPECT_GT(read(pipe.from.get(), buffer, sizeof buffer), 0);
      std::this_thread::sleep_for(std::chrono::milliseconds(125));
    }
  });
  limits_.idle = 600'000'000;
  const util::Status sent = Send(pipe.to.get());
  end = true;
  reader.join();
  ASSERT_FALSE(sent.ok());
  EXPECT_EQ(sent.error().message, "the output was not read to its end");
}

TEST_F(SendAsTest, EndsWhenItIsAbandoned) {
  const Pipe pipe;
  limits_.idle = kLong;
  std::thread abandoning([this] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    abandoned_ = true;
  });
  EXPECT_FALSE(Send(pipe.to.get()).ok());
  abandoning.join();
}

TEST_F(SendAsTest, ReportsAReaderThatHasClosed) {
  Pipe pipe;
  pipe.from.reset();
  const util::Status sent = Send(pipe.to.get());
  ASSERT_FALSE(sent.ok());
  EXPECT_EQ(sent.error().message, "the reader of the output has closed it");
}

// A third program may trust the credentials of a stream.
TEST_F(SendAsTest, ASocketSeesTheClientAsTheSender) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root";
  int ends[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
  const util::UniqueFd ours(ends[0]);
  const util::UniqueFd theirs(ends[1]);
  const int on = 1;
  ASSERT_EQ(setsockopt(ours.get(), SOL_SOCKET, SO_PASSCRED, &on, sizeof on), 0);
  const util::UniqueFd small = Spool(10);
  const Peer client{kOtherUser, kOtherUser, getpid(), {}};
  const util::Status sent =
      SendAs(client, small.get(), theirs.get(), "the output", limits_, abandoned_);
  ASSERT_TRUE(sent.ok()) << sent.error().message;
  char bytes[64];
  iovec part{bytes, sizeof bytes};
  alignas(cmsghdr) char space[CMSG_SPACE(sizeof(ucred))];
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = space;
  message.msg_controllen = sizeof space;
  ASSERT_EQ(recvmsg(ours.get(), &message, 0), 10);
  const cmsghdr* header = CMSG_FIRSTHDR(&message);
  ASSERT_NE(header, nullptr);
  ucred sender{};
  memcpy(&sender, CMSG_DATA(header), sizeof sender);
  EXPECT_EQ(sender.uid, kOtherUser);
  EXPECT_EQ(sender.gid, kOtherUser);
}

}  // namespace
}  // namespace control
