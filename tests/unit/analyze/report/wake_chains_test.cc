// SPDX-License-Identifier: BSD-2-Clause
#include "analyze/report/wake_chains.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace analyze {
namespace {

using facts::Wait;
using facts::WaitKind;
using ::testing::IsEmpty;
using ::testing::SizeIs;

Wait Asleep(fxt::Koid thread, uint64_t begin, uint64_t end,
            std::optional<fxt::Koid> waker = std::nullopt) {
  return {.index = static_cast<facts::ThreadIndex>(100 - thread),
          .thread = thread,
          .kind = WaitKind::kSleep,
          .begin = begin,
          .end = end,
          .end_record = facts::WaitEnd::kWakeup,
          .end_waker = waker};
}

TEST(WakeChainsTest, FollowsWakersToTheFirstKnownOne) {
  WakeChains chains;
  chains.Add(Asleep(1, 0, 10));
  chains.Add(Asleep(2, 0, 20, 1));
  chains.Add(Asleep(3, 0, 30, 2));
  const auto chain = chains.ChainOf(Asleep(3, 0, 30));
  ASSERT_THAT(chain, SizeIs(3));
  EXPECT_EQ(chain[0].waker, 2u);
  EXPECT_EQ(chain[1].waker, 1u);
  EXPECT_EQ(chain[2].waker, std::nullopt);
  EXPECT_EQ(chain[2].time, 10u);
}

TEST(WakeChainsTest, IgnoresLaterWakeupsOfAWaker) {
  WakeChains chains;
  chains.Add(Asleep(3, 0, 30, 2));
  chains.Add(Asleep(2, 31, 40, 1));
  EXPECT_THAT(chains.ChainOf(Asleep(3, 0, 30)), SizeIs(1));
}

TEST(WakeChainsTest, EndsInARingOfWakers) {
  WakeChains chains;
  chains.Add(Asleep(1, 0, 10, 2));
  chains.Add(Asleep(2, 0, 10, 1));
  EXPECT_THAT(chains.ChainOf(Asleep(1, 0, 10)), SizeIs(WakeChains::kLinks));
}

TEST(WakeChainsTest, HasNoChainForAPreemptedThread) {
  WakeChains chains;
  chains.Add(Asleep(1, 0, 10, 2));
  EXPECT_THAT(chains.ChainOf({.thread = 1, .kind = WaitKind::kPreempted, .begin = 20, .end = 30}),
              IsEmpty());
  EXPECT_THAT(chains.ChainOf({.thread = 1, .kind = WaitKind::kWakeup, .begin = 10, .end = 30}),
              SizeIs(1));
}

}  // namespace
}  // namespace analyze
