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
    providers_.set.Begin({});
    providers_.RunPosted();
    providers_.set.Start(0, 0, false);
    start_ = util::MonotonicNow();
  }

  // Delivers all waiting records. Returns their times after the start.
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

  testing::FakeProviders providers_;
  provider::testing::RecordedFile file_;
  ProviderStream stream_{providers_.set};
  uint64_t start_ = 0;
};

TEST_F(ProviderStreamTest, OrdersRecordsOfSeveralCollections) {
  stream_.set_writer(&file_.sections);
  providers_.Mark("c", start_ + 30);
  providers_.Mark("a", start_ + 10);
  stream_.Collect();
  EXPECT_EQ(stream_.NextTime(), start_ + 10);
  stream_.DeliverNext();
  providers_.Mark("d", start_ + 40);
  providers_.Mark("b", start_ + 20);
  stream_.Collect();
  EXPECT_EQ(Deliver(), (std::vector<uint64_t>{20, 30, 40}));
  stream_.Collect();
  EXPECT_EQ(Deliver(), std::vector<uint64_t>{});
  EXPECT_EQ(Names("fxt-mark"), (Lines{"a", "b", "c", "d"}));
}

TEST_F(ProviderStreamTest, RecordsWaitForAWriter) {
  providers_.Mark("a", start_ + 10);
  stream_.Collect();
  EXPECT_EQ(stream_.NextTime(), UINT64_MAX);
  stream_.Collect();
  stream_.set_writer(&file_.sections);
  EXPECT_EQ(Deliver(), std::vector<uint64_t>{10});
  stream_.set_writer(nullptr);
  EXPECT_EQ(Names("fxt-mark"), Lines{"a"});
}

TEST_F(ProviderStreamTest, WritesLossesOnce) {
  stream_.set_writer(&file_.sections);
  providers_.fake->header().lost = 3;
  stream_.Collect();
  stream_.Collect();
  providers_.fake->header().lost = 5;
  stream_.Collect();
  EXPECT_EQ(file_.sections.stats().lost, 5u);
  EXPECT_EQ(Names("app"), (Lines{"lost_events", "lost_events", "lost_events", "lost_events"}));
}

TEST_F(ProviderStreamTest, AlertsAreTakenOnce) {
  stream_.set_writer(&file_.sections);
  providers_.Alert("fire");
  stream_.Collect();
  const auto alerts = stream_.TakeAlerts();
  ASSERT_EQ(alerts.size(), 1u);
  EXPECT_EQ(alerts[0].name, "fire");
  EXPECT_GE(alerts[0].time, start_);
  EXPECT_TRUE(stream_.TakeAlerts().empty());
  // It is also an instant.
  EXPECT_EQ(Deliver().size(), 1u);
  EXPECT_EQ(Names("app"), Lines{"fire"});
}

TEST_F(ProviderStreamTest, LimitsWaitingAlerts) {
  stream_.set_writer(&file_.sections);
  for (size_t round = 0; round < 2; ++round) {
    // Fits into one block.
    providers_.fake->Take(0, round + 1, 100);
    for (size_t i = 0; i < provider::kMaxAlerts - 24; ++i) providers_.Alert("fire");
    stream_.Collect();
    Deliver();
  }
  EXPECT_LT(stream_.TakeAlerts().size(), 2 * provider::kMaxAlerts);
}

TEST_F(ProviderStreamTest, ClosesTheSectionOfAProviderThatHasGone) {
  stream_.set_writer(&file_.sections);
  providers_.Alert("one");
  stream_.Collect();
  Deliver();
  EXPECT_EQ(file_.sections.open_sections(), 1u);
  providers_.Alert("two");
  providers_.set.Remove(2);
  stream_.Collect();
  Deliver();
  EXPECT_EQ(Names("app"), (Lines{"one", "two"}));
  EXPECT_EQ(file_.sections.open_sections(), 0u);
}

TEST_F(ProviderStreamTest, WritesRefusals) {
  stream_.set_writer(&file_.sections);
  for (size_t i = 0; i < provider::ProviderSet::kMaxProvidersOfUser + 3; ++i) {
    providers_.set.Add("many", {.pid = 200, .user = 1000}, [](auto, auto, auto) {});
  }
  stream_.Collect();
  Deliver();
  EXPECT_EQ(file_.sections.stats().refused, 3u);
  EXPECT_EQ(Names("fxt-record").back(), "providers_refused");
}

}  // namespace
}  // namespace session
