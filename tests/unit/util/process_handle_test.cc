// SPDX-License-Identifier: BSD-2-Clause
#include "util/process_handle.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <utility>

namespace util {
namespace {

TEST(ProcessHandleTest, SeesTheExitOfAProcess) {
  const pid_t child = fork();
  if (child == 0) {
    pause();
    _exit(0);
  }
  const auto handle = ProcessHandle::Open(child);
  ASSERT_TRUE(handle);
  EXPECT_TRUE(handle->IsAlive());
  EXPECT_EQ(handle->pid(), child);
  const auto own = ProcessHandle::Open(getpid());
  ASSERT_TRUE(own);
  EXPECT_LE(own->start_ticks(), handle->start_ticks());
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  EXPECT_FALSE(handle->IsAlive());
  EXPECT_FALSE(ProcessHandle::Open(child));
}

TEST(ProcessHandleTest, IdentifiesThePeerOfASocket) {
  int pair[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
  const UniqueFd first(pair[0]);
  const UniqueFd second(pair[1]);
  const auto handle = ProcessHandle::OfPeer(first.get(), getpid());
  ASSERT_TRUE(handle);
  EXPECT_TRUE(handle->IsAlive());
  EXPECT_EQ(handle->start_ticks(), ProcessHandle::Open(getpid())->start_ticks());
}

TEST(ProcessHandleTest, ReadsParentSessionAndUser) {
  const auto stat = ReadProcessStat(getpid());
  ASSERT_TRUE(stat);
  EXPECT_EQ(stat->parent, getppid());
  EXPECT_EQ(stat->session, getsid(0));
  EXPECT_EQ(ReadProcessUser(getpid()), getuid());
  EXPECT_FALSE(ReadProcessStat(0));
}

}  // namespace
}  // namespace util
