// SPDX-License-Identifier: BSD-2-Clause
#include "session/providers/provider_stream.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "unit/provider/recorded_file.h"
#include "unit/session/providers/fake_providers.h"

namespace session {
namespace {

using Lines = std::vector<std::string>;

class ProviderStreamTest : public ::testing::Test {
 protected:
  void SetUp() override {
    guests_.set.Begin({});
    guests_.Hear();
    guests_.set.Start(0, 0, false);
    start_ = util::MonotonicNow();
  }

  // Everything that waits; their times after the start.
  std::vector<uint64_t> Deliver() {
    std::vector<uint64_t> times;
    for (; stream_.NextTime() != UINT64_MAX; stream_.DeliverNext()) {
      times.push_back(stream_.NextTime() - start_);
    }
    return times;
  }
  Lines Names(const std::string& provider) {
    Lines names;
    for (const std::string& event : file_.Events(provider)) {
      names.push_back(event.substr(event.rfind(':') + 1));
    }
    return names;
  }

  testing::FakeProviders guests_;
  provider::testing::RecordedFile file_;
  ProviderStream stream_{guests_.set};
  uint64_t start_ = 0;
};

TEST_F(ProviderStreamTest, WhatComesLaterMayHaveBeenEarlier) {
  stream_.set_writer(&file_.sections);
  guests_.Mark("c", start_ + 30);
  guests_.Mark("a", start_ + 10);
  stream_.Collect();
  EXPECT_EQ(stream_.NextTime(), start_ + 10);
  stream_.DeliverNext();
  guests_.Mark("d", start_ + 40);
  guests_.Mark("b", start_ + 20);
  stream_.Collect();
  EXPECT_EQ(Deliver(), (std::vector<uint64_t>{20, 30, 40}));
  stream_.Collect();
  EXPECT_EQ(Deliver(), std::vector<uint64_t>{});
  EXPECT_EQ(Names("fxt-mark"), (Lines{"a", "b", "c", "d"}));
}

TEST_F(ProviderStreamTest, WithoutAFileRecordsWait) {
  guests_.Mark("a", start_ + 10);
  stream_.Collect();
  EXPECT_EQ(stream_.NextTime(), UINT64_MAX);
  stream_.Collect();
  stream_.set_writer(&file_.sections);
  EXPECT_EQ(Deliver(), std::vector<uint64_t>{10});
  stream_.set_writer(nullptr);
  EXPECT_EQ(Names("fxt-mark"), Lines{"a"});
}

TEST_F(ProviderStreamTest, LossesAreToldOnce) {
  stream_.set_writer(&file_.sections);
  guests_.fake->header().lost = 3;
  stream_.Collect();
  stream_.Collect();
  guests_.fake->header().lost = 5;
  stream_.Collect();
  EXPECT_EQ(file_.sections.stats().lost, 5u);
  EXPECT_EQ(Names("app"), (Lines{"lost_events", "lost_events", "lost_events", "lost_events"}));
}

TEST_F(ProviderStreamTest, AlertsAreTakenOnce) {
  stream_.set_writer(&file_.sections);
  guests_.Alert("fire");
  stream_.Collect();
  const auto alerts = stream_.TakeAlerts();
  ASSERT_EQ(alerts.size(), 1u);
  EXPECT_EQ(alerts[0].name, "fire");
  EXPECT_GE(alerts[0].time, start_);
  EXPECT_TRUE(stream_.TakeAlerts().empty());
  // It is an instant as well.
  EXPECT_EQ(Deliver().size(), 1u);
  EXPECT_EQ(Names("app"), Lines{"fire"});
}

TEST_F(ProviderStreamTest, AlertsThatNobodyTakesHaveABound) {
  stream_.set_writer(&file_.sections);
  for (size_t round = 0; round < 2; ++round) {
    // No more than a block has room for.
    guests_.fake->Take(0, round + 1, 100);
    for (size_t i = 0; i < provider::kMaxAlerts - 24; ++i) guests_.Alert("fire");
    stream_.Collect();
    Deliver();
  }
  EXPECT_LT(stream_.TakeAlerts().size(), 2 * provider::kMaxAlerts);
}

}  // namespace
}  // namespace session
