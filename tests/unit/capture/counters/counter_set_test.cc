// SPDX-License-Identifier: BSD-2-Clause
#include "capture/counters/counter_set.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <string>
#include <vector>

#include "unit/perf/fake_root.h"
#include "unit/perf/live/fake_kernel.h"

namespace capture {
namespace {

using perf::testing::FakeKernel;
using perf::testing::FakeRoot;
using Names = std::vector<std::string>;

TEST(CounterSetTest, NamesComeInTheirOrderAndOnce) {
  const auto names = CounterSet::ParseNames("instructions,cycles,instructions,page-faults");
  ASSERT_TRUE(names.ok());
  EXPECT_EQ(*names, (Names{"instructions", "cycles", "page-faults"}));
}

TEST(CounterSetTest, SuggestsTheNearestName) {
  const auto names = CounterSet::ParseNames("cycles,instuctions");
  ASSERT_FALSE(names.ok());
  EXPECT_NE(names.error().message.find("instuctions"), std::string::npos);
  EXPECT_NE(names.error().hint.find("did you mean 'instructions'"), std::string::npos);
  EXPECT_FALSE(CounterSet::ParseNames("").ok());
  EXPECT_FALSE(CounterSet::ParseNames("cycles,").ok());
}

TEST(CounterSetTest, ThereIsRoomForEight) {
  std::string list;
  const Names known = CounterSet::KnownNames();
  for (size_t i = 0; i < 9; ++i) list += (i == 0 ? "" : ",") + known.at(i);
  EXPECT_FALSE(CounterSet::ParseNames(list).ok());
  EXPECT_TRUE(CounterSet::ParseNames(list.substr(0, list.rfind(','))).ok());
}

TEST(CounterSetTest, OpensEachOnEachCpu) {
  FakeRoot root;
  root.Online("0-2").Pmu("cpu", "type", "4");
  FakeKernel kernel;
  const auto set = CounterSet::Open({"cycles", "task-clock"}, kernel, root.path());
  ASSERT_TRUE(set.ok()) << set.error().message;
  ASSERT_EQ(set->events().size(), 6u);
  EXPECT_EQ(set->events()[2].cpu, 2u);
  EXPECT_EQ(set->events()[2].counter, 0u);
  EXPECT_EQ(set->events()[5].counter, 1u);
  EXPECT_EQ(kernel.attempts[0].type, uint32_t{PERF_TYPE_HARDWARE});
  EXPECT_EQ(kernel.attempts[3].type, uint32_t{PERF_TYPE_SOFTWARE});
  for (const auto& attr : kernel.attempts) EXPECT_EQ(attr.disabled, 0u);
}

TEST(CounterSetTest, ReportsAMissingPmu) {
  FakeRoot root;
  root.Online("0");
  FakeKernel kernel;
  for (const int error : {ENOENT, ENODEV, EOPNOTSUPP}) {
    kernel.verdict = [error](const perf_event_attr& attr, int) {
      return attr.type == PERF_TYPE_SOFTWARE ? 0 : error;
    };
    const auto set = CounterSet::Open({"task-clock", "cycles"}, kernel, root.path());
    ASSERT_FALSE(set.ok());
    EXPECT_NE(set.error().message.find("counter cycles"), std::string::npos);
    EXPECT_NE(set.error().message.find("no performance monitoring unit"), std::string::npos);
    EXPECT_NE(set.error().hint.find("task-clock"), std::string::npos);
  }
}

TEST(CounterSetTest, SoftwareEventsOfThisMachineCount) {
  const auto set = CounterSet::Open({"task-clock", "page-faults"});
  if (!set.ok()) GTEST_SKIP() << set.error().message;
  EXPECT_FALSE(set->events().empty());
  EXPECT_EQ(set->DescribeMultiplexing(), "");
}

}  // namespace
}  // namespace capture
