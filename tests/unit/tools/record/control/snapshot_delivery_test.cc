// SPDX-License-Identifier: BSD-2-Clause
#include "tools/record/control/snapshot_delivery.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <future>
#include <string>
#include <vector>

namespace tools {
namespace {

const control::Peer kRoot{0, 0, 1, {}};
const control::Peer kAlice{70'000, 70'000, 2, {}};
const control::Peer kBob{70'001, 70'001, 3, {}};

TEST(SnapshotDeliveryTest, AUserHasOnePlaceAndRootHasItsOwn) {
  SnapshotDelivery delivery;
  SnapshotDelivery::Place alice = delivery.Take(kAlice);
  EXPECT_NE(alice, nullptr);
  EXPECT_EQ(delivery.Take(kAlice), nullptr);
  EXPECT_NE(delivery.Take(kBob), nullptr);
  EXPECT_NE(delivery.Take(kRoot), nullptr);
  alice.reset();
  EXPECT_NE(delivery.Take(kAlice), nullptr);
}

TEST(SnapshotDeliveryTest, AllOtherUsersLeaveRootItsPlaces) {
  SnapshotDelivery delivery;
  std::vector<SnapshotDelivery::Place> places;
  for (uid_t user = 70'000; user < 70'000 + SnapshotDelivery::kPlacesOfOthers; ++user) {
    places.push_back(delivery.Take({user, user, 1, {}}));
    EXPECT_NE(places.back(), nullptr) << user;
  }
  EXPECT_EQ(delivery.Take({80'000, 80'000, 1, {}}), nullptr);
  for (size_t i = 0; i < SnapshotDelivery::kPlacesOfRoot; ++i) {
    places.push_back(delivery.Take(kRoot));
    EXPECT_NE(places.back(), nullptr) << i;
  }
  EXPECT_EQ(delivery.Take(kRoot), nullptr);
}

TEST(SnapshotDeliveryTest, ABlockedReceiverDelaysNoOther) {
  int blocked[2];
  int open[2];
  ASSERT_EQ(pipe2(blocked, O_CLOEXEC), 0);
  ASSERT_EQ(pipe2(open, O_CLOEXEC), 0);
  std::promise<util::Status> first;
  std::promise<util::Status> second;
  {
    SnapshotDelivery delivery;
    const auto begin = [&](int to, size_t size, std::promise<util::Status>& done) {
      auto spool = OpenSpool();
      ASSERT_TRUE(spool.ok());
      const std::string bytes(size, 'x');
      ASSERT_EQ(write(spool->get(), bytes.data(), size), static_cast<ssize_t>(size));
      delivery.Begin(delivery.Take(kRoot), control::Peer::Self(), std::move(*spool),
                     util::UniqueFd(to), "pipe",
                     [&done](util::Status status) { done.set_value(std::move(status)); });
    };
    begin(blocked[1], size_t{1} << 20, first);
    begin(open[1], 1000, second);
    EXPECT_TRUE(second.get_future().get().ok());
  }
  EXPECT_FALSE(first.get_future().get().ok()) << "abandoned";
  close(blocked[0]);
  close(open[0]);
}

}  // namespace
}  // namespace tools
