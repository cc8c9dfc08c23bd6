// SPDX-License-Identifier: BSD-2-Clause
#include "session/providers/provider_control.h"

#include <gtest/gtest.h>

#include <vector>

#include "unit/session/providers/fake_providers.h"

namespace session {
namespace {

using provider::ProviderState;

TEST(ProviderControlTest, NobodyIsNothing) {
  ProviderControl control(nullptr, {}, FXT_MODE_CIRCULAR);
  control.Start(false);
  control.Look(UINT64_MAX);
  control.Stop();
  EXPECT_TRUE(control.Copy().empty());
  EXPECT_TRUE(control.TakeAlerts().empty());
  EXPECT_EQ(control.records() + control.lost(), 0u);
}

TEST(ProviderControlTest, ProgramsBeginStartStopAndEndWithIt) {
  testing::FakeProviders guests;
  {
    ProviderControl control(&guests.set, {}, FXT_MODE_ONESHOT);
    guests.Hear();
    EXPECT_EQ(guests.news, (std::vector{ProviderState::kRegistered, ProviderState::kInitialized}));
    // Not that of the options.
    EXPECT_EQ(guests.fake->header().mode, static_cast<uint32_t>(FXT_MODE_ONESHOT));
    // As one that has followed before it is asked.
    guests.fake->header().acknowledged = 1;
    control.Start(false);
    control.Stop();
    EXPECT_TRUE(guests.set.active());
  }
  EXPECT_FALSE(guests.set.active());
  guests.Hear();
  EXPECT_EQ(guests.news,
            (std::vector{ProviderState::kRegistered, ProviderState::kInitialized,
                         ProviderState::kStarted, ProviderState::kStopped, ProviderState::kEnded}));
}

// The time that a program takes to follow is bounded: this one never does.
TEST(ProviderControlTest, WaitsForNobodyForLong) {
  testing::FakeProviders guests;
  ProviderControl control(&guests.set, {}, FXT_MODE_CIRCULAR);
  guests.Hear();
  const uint64_t before = util::MonotonicNow();
  control.Start(false);
  EXPECT_GE(util::MonotonicNow() - before, 50'000'000u);
}

TEST(ProviderControlTest, LooksAtWhatIsLeftInPlace) {
  testing::FakeProviders guests;
  ProviderControl control(&guests.set, {}, FXT_MODE_CIRCULAR);
  guests.Hear();
  guests.fake->header().acknowledged = 1;
  control.Start(false);
  guests.Alert("fire");
  guests.fake->header().lost = 4;
  control.Look(0);
  const auto alerts = control.TakeAlerts();
  ASSERT_EQ(alerts.size(), 1u);
  EXPECT_EQ(alerts[0].name, "fire");
  control.Look(0);
  EXPECT_TRUE(control.TakeAlerts().empty());
  EXPECT_EQ(control.records(), 1u);
  EXPECT_EQ(control.lost(), 4u);
  // It is there each time, until it is older than what is wanted.
  for (int turn = 0; turn < 2; ++turn) {
    const auto batches = control.Copy();
    ASSERT_EQ(batches.size(), 1u);
    EXPECT_EQ(batches[0]->entries.size(), 1u);
  }
}

}  // namespace
}  // namespace session
