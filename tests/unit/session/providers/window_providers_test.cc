// SPDX-License-Identifier: BSD-2-Clause
#include "session/providers/window_providers.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "provider/buffer_reader.h"
#include "unit/provider/fake_provider.h"
#include "unit/provider/recorded_file.h"

namespace session {
namespace {

using provider::testing::FakeProvider;
using Lines = std::vector<std::string>;

class WindowProvidersTest : public ::testing::Test {
 protected:
  // Adds a batch of process `pid`: instants at `times`, and a number of lost records.
  void AddBatch(uint32_t pid, const std::vector<uint64_t>& times, uint64_t lost = 0) {
    auto buffer = provider::SharedBuffer::Make({.bytes = 1 << 17, .categories = {}});
    ASSERT_TRUE(buffer);
    FakeProvider fake(*buffer);
    const uint16_t name = fake.Add("p" + std::to_string(pid));
    fake.Take(0, 1, pid);
    for (const uint64_t time : times) fake.Event(0, time, name, name);
    fake.header().lost = lost;
    provider::BufferReader reader(
        std::make_shared<provider::Identity>(provider::Identity{pid, pid, "app"}),
        std::move(*buffer));
    reader.ReadNew();
    records_.batches.push_back(reader.Take(provider::ClockPairs(), 0, 0, UINT64_MAX));
  }

  provider::ProviderRecords records_;
  provider::testing::RecordedFile file_;
};

TEST_F(WindowProvidersTest, WithoutBatchesItIsEmpty) {
  const WindowProviders providers(records_, 0, UINT64_MAX);
  EXPECT_EQ(providers.NextTime(), UINT64_MAX);
}

TEST_F(WindowProvidersTest, MergesProvidersByTime) {
  AddBatch(100, {10, 30, 50});
  AddBatch(200, {20, 30, 40});
  WindowProviders providers(records_, 0, UINT64_MAX);
  std::vector<uint64_t> times;
  while (providers.NextTime() != UINT64_MAX) {
    times.push_back(providers.NextTime());
    providers.WriteNext(file_.sections);
  }
  EXPECT_EQ(times, (std::vector<uint64_t>{10, 20, 30, 30, 40, 50}));
  EXPECT_EQ(file_.Events(),
            (Lines{"10 0 100/100 p100:p100", "20 0 200/200 p200:p200", "30 0 100/100 p100:p100",
                   "30 0 200/200 p200:p200", "40 0 200/200 p200:p200", "50 0 100/100 p100:p100"}));
}

TEST_F(WindowProvidersTest, AWindowIncludesBothEnds) {
  AddBatch(100, {10, 20, 30, 40});
  WindowProviders providers(records_, 20, 30);
  std::vector<uint64_t> times;
  for (; providers.NextTime() != UINT64_MAX; providers.WriteNext(file_.sections)) {
    times.push_back(providers.NextTime());
  }
  EXPECT_EQ(times, (std::vector<uint64_t>{20, 30}));
}

TEST_F(WindowProvidersTest, WritesLosses) {
  AddBatch(100, {10}, 7);
  AddBatch(200, {20});
  const WindowProviders providers(records_, 0, UINT64_MAX);
  providers.WriteLosses(90, file_.sections);
  EXPECT_EQ(file_.sections.stats().lost, 7u);
  EXPECT_EQ(file_.Events(),
            (Lines{"90 0 100/100 fxt-record:lost_events", "90 1 100/100 fxt-record:lost_events"}));
}

TEST_F(WindowProvidersTest, DeliversRefusalsInOrder) {
  AddBatch(100, {10, 30});
  records_.refusals = {{5, 1, 1000, "before"}, {20, 2, 1000, "within"}, {60, 1, 1000, "after"}};
  WindowProviders providers(records_, 10, 50);
  std::vector<uint64_t> times;
  for (; providers.NextTime() != UINT64_MAX; providers.WriteNext(file_.sections)) {
    times.push_back(providers.NextTime());
  }
  EXPECT_EQ(times, (std::vector<uint64_t>{10, 20, 30}));
  EXPECT_EQ(file_.sections.stats().refused, 2u);
}

}  // namespace
}  // namespace session
