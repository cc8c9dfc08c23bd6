// SPDX-License-Identifier: BSD-2-Clause
#include "control/protocol/peer.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include "util/unique_fd.h"

namespace control {
namespace {

TEST(PeerTest, HasTheCredentialsOfTheClient) {
  int ends[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
  const util::UniqueFd first(ends[0]), second(ends[1]);
  auto peer = Peer::Of(first.get());
  ASSERT_TRUE(peer.ok());
  EXPECT_EQ(peer->uid, getuid());
  EXPECT_EQ(peer->gid, getgid());
  EXPECT_EQ(peer->pid, getpid());
  std::vector<gid_t> groups(static_cast<size_t>(getgroups(0, nullptr)));
  getgroups(static_cast<int>(groups.size()), groups.data());
  EXPECT_EQ(peer->groups, groups);
  EXPECT_FALSE(Peer::Of(-1).ok());
}

TEST(PeerTest, RootAndTheGroupMayControl) {
  EXPECT_TRUE((Peer{0, 0, 1, {}}).MayControl(std::nullopt));
  EXPECT_TRUE((Peer{geteuid(), 0, 1, {}}).MayControl(std::nullopt));
  const Peer other{4321, 4321, 1, {7, 8}};
  EXPECT_FALSE(other.MayControl(std::nullopt));
  EXPECT_FALSE(other.MayControl(9));
  EXPECT_TRUE(other.MayControl(8));
  EXPECT_TRUE(other.MayControl(4321));
}

}  // namespace
}  // namespace control
