// SPDX-License-Identifier: BSD-2-Clause
#include "session/providers/provider_control.h"

#include <gtest/gtest.h>

#include <vector>

#include "unit/session/providers/fake_providers.h"

namespace session {
namespace {

using provider::ProviderState;

TEST(ProviderControlTest, WithoutProvidersItDoesNothing) {
  ProviderControl control(nullptr, {}, FXT_MODE_CIRCULAR);
  control.Start(false);
  control.Scan(UINT64_MAX);
  control.Stop();
  EXPECT_TRUE(control.Copy().batches.empty());
  EXPECT_TRUE(control.TakeAlerts().empty());
  EXPECT_EQ(control.records() + control.lost(), 0u);
}

TEST(ProviderControlTest, ProvidersFollowTheRecording) {
  testing::FakeProviders providers;
  {
    ProviderControl control(&providers.set, {}, FXT_MODE_ONESHOT);
    providers.RunPosted();
    EXPECT_EQ(providers.states,
              (std::vector{ProviderState::kRegistered, ProviderState::kInitialized}));
    // The mode of the recording, not of the options.
    EXPECT_EQ(providers.fake->header().mode, static_cast<uint32_t>(FXT_MODE_ONESHOT));
    // Acknowledged in advance, so that the start does not wait.
    providers.fake->header().acknowledged = 1;
    control.Start(false);
    control.Stop();
    EXPECT_TRUE(providers.set.active());
  }
  EXPECT_FALSE(providers.set.active());
  providers.RunPosted();
  EXPECT_EQ(providers.states,
            (std::vector{ProviderState::kRegistered, ProviderState::kInitialized,
                         ProviderState::kStarted, ProviderState::kStopped, ProviderState::kEnded}));
}

// This provider never acknowledges the start.
TEST(ProviderControlTest, WaitsALimitedTimeForProviders) {
  testing::FakeProviders providers;
  ProviderControl control(&providers.set, {}, FXT_MODE_CIRCULAR);
  providers.RunPosted();
  const uint64_t before = util::MonotonicNow();
  control.Start(false);
  EXPECT_GE(util::MonotonicNow() - before, 50'000'000u);
}

TEST(ProviderControlTest, ScansAndCopiesRecords) {
  testing::FakeProviders providers;
  ProviderControl control(&providers.set, {}, FXT_MODE_CIRCULAR);
  providers.RunPosted();
  providers.fake->header().acknowledged = 1;
  control.Start(false);
  providers.Alert("fire");
  providers.fake->header().lost = 4;
  control.Scan(0);
  const auto alerts = control.TakeAlerts();
  ASSERT_EQ(alerts.size(), 1u);
  EXPECT_EQ(alerts[0].name, "fire");
  control.Scan(0);
  EXPECT_TRUE(control.TakeAlerts().empty());
  EXPECT_EQ(control.records(), 1u);
  EXPECT_EQ(control.lost(), 4u);
  // Each copy has the record.
  for (int copy = 0; copy < 2; ++copy) {
    const auto batches = control.Copy().batches;
    ASSERT_EQ(batches.size(), 1u);
    EXPECT_EQ(batches[0]->entries.size(), 1u);
  }
}

}  // namespace
}  // namespace session
