// SPDX-License-Identifier: BSD-2-Clause
#include "control/server/mailbox.h"

#include <gtest/gtest.h>
#include <poll.h>

#include <thread>

namespace control {
namespace {

bool IsReadable(int fd) {
  pollfd ready{fd, POLLIN, 0};
  return poll(&ready, 1, 0) == 1;
}

TEST(MailboxTest, RunsFunctionsInOrder) {
  Mailbox mailbox;
  EXPECT_FALSE(IsReadable(mailbox.fd()));
  std::vector<int> done;
  std::thread other([&] {
    for (int i = 0; i < 3; ++i) mailbox.Post([&done, i] { done.push_back(i); });
  });
  other.join();
  EXPECT_TRUE(IsReadable(mailbox.fd()));
  EXPECT_TRUE(done.empty());
  // Functions that are posted during Run() run at the next call.
  mailbox.Post([&] { mailbox.Post([&] { done.push_back(4); }); });
  mailbox.Run();
  EXPECT_EQ(done, (std::vector<int>{0, 1, 2}));
  EXPECT_TRUE(IsReadable(mailbox.fd()));
  mailbox.Run();
  EXPECT_EQ(done.back(), 4);
  EXPECT_FALSE(IsReadable(mailbox.fd()));
}

}  // namespace
}  // namespace control
