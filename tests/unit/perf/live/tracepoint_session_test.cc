// SPDX-License-Identifier: BSD-2-Clause
#include "perf/live/tracepoint_session.h"

#include <gtest/gtest.h>
#include <time.h>

#include <cerrno>

#include "unit/perf/fake_root.h"
#include "unit/perf/live/fake_kernel.h"

namespace perf {
namespace {

using testing::FakeKernel;
using testing::FakeRoot;

class TracepointSessionTest : public ::testing::Test {
 protected:
  TracepointSessionTest() { root_.Online("0-1"); }
  std::vector<const FakeKernel::Event*> Tracepoints() const {
    std::vector<const FakeKernel::Event*> found;
    for (const auto& [fd, event] : kernel_.events()) {
      if (event.attr.type == PERF_TYPE_TRACEPOINT) found.push_back(&event);
    }
    return found;
  }

  FakeRoot root_;
  FakeKernel kernel_;
};

TEST_F(TracepointSessionTest, EventsOfACpuShareItsRing) {
  TracepointSession session(1 << 20, kernel_, root_.path());
  ASSERT_TRUE(session.Open().ok());
  ASSERT_TRUE(session.Add(314, "sched:sched_switch", "prev_pid > 1").ok());
  ASSERT_TRUE(session.Add(315, "sched:sched_waking", "").ok());
  EXPECT_EQ(session.fds().size(), 2u);
  const auto events = Tracepoints();
  ASSERT_EQ(events.size(), 4u);
  for (const auto* event : events) {
    EXPECT_TRUE(event->attr.config == 314 || event->attr.config == 315);
    EXPECT_EQ(event->filter, event->attr.config == 314 ? "prev_pid > 1" : "");
    EXPECT_EQ(kernel_.events().at(event->ring).cpu, event->cpu);
    EXPECT_EQ(event->attr.clockid, CLOCK_MONOTONIC);
    EXPECT_EQ(event->attr.sample_period, 1u);
    EXPECT_TRUE(event->attr.sample_type & PERF_SAMPLE_RAW);
    // Otherwise an event that counts nanoseconds yields a sample for each nanosecond.
    EXPECT_TRUE(event->attr.sample_type & PERF_SAMPLE_PERIOD);
    EXPECT_FALSE(event->enabled);
  }
  ASSERT_TRUE(session.Enable().ok());
  for (const auto* event : Tracepoints()) EXPECT_TRUE(event->enabled);
  session.Disable();
  for (const auto* event : Tracepoints()) EXPECT_FALSE(event->enabled);
}

TEST_F(TracepointSessionTest, RefusalsNameTheTracepoint) {
  TracepointSession session(1 << 20, kernel_, root_.path());
  ASSERT_TRUE(session.Open().ok());
  kernel_.filter_error = EINVAL;
  const auto filtered = session.Add(314, "sched:sched_switch", "nosuch > 1");
  ASSERT_FALSE(filtered.ok());
  EXPECT_NE(filtered.error().message.find("sched:sched_switch"), std::string::npos);
  EXPECT_NE(filtered.error().message.find("nosuch > 1"), std::string::npos);
  kernel_.verdict = [](const perf_event_attr&, int) { return EMFILE; };
  const auto many = session.Add(315, "sched:sched_waking", "");
  ASSERT_FALSE(many.ok());
  EXPECT_NE(many.error().hint.find("ulimit"), std::string::npos);
  EXPECT_EQ(session.size(), 0u);
}

TEST_F(TracepointSessionTest, ReportsMissingPermission) {
  kernel_.verdict = [](const perf_event_attr&, int) { return EACCES; };
  TracepointSession session(1 << 20, kernel_, root_.path());
  const auto opened = session.Open();
  ASSERT_FALSE(opened.ok());
  EXPECT_NE(opened.error().hint.find("CAP_PERFMON"), std::string::npos);
}

TEST_F(TracepointSessionTest, NewCpusGetTheEvents) {
  TracepointSession session(1 << 20, kernel_, root_.path());
  ASSERT_TRUE(session.Open().ok());
  ASSERT_TRUE(session.Add(314, "sched:sched_switch", "prev_pid > 1").ok());
  ASSERT_TRUE(session.Enable().ok());
  root_.Online("0-2");
  session.FollowCpus([](unsigned, const Record&) {});
  EXPECT_EQ(session.fds().size(), 3u);
  const auto events = Tracepoints();
  ASSERT_EQ(events.size(), 3u);
  for (const auto* event : events) {
    EXPECT_TRUE(event->enabled);
    EXPECT_EQ(event->filter, "prev_pid > 1");
  }
  root_.Online("0");
  session.FollowCpus([](unsigned, const Record&) {});
  EXPECT_EQ(session.fds().size(), 1u);
}

TEST_F(TracepointSessionTest, CountsUnreportedLosses) {
  TracepointSession session(1 << 20, kernel_, root_.path());
  ASSERT_TRUE(session.Open().ok());
  ASSERT_TRUE(session.Add(314, "sched:sched_switch", "").ok());
  ASSERT_TRUE(session.Add(315, "sched:sched_waking", "").ok());
  for (auto& [fd, event] : kernel_.events()) {
    if (event.attr.type == PERF_TYPE_TRACEPOINT && event.cpu == 1) event.lost = event.attr.config;
  }
  auto unreported = session.CountUnreported();
  EXPECT_EQ(unreported[0], 0u);
  EXPECT_EQ(unreported[1], 314u + 315u);
}

}  // namespace
}  // namespace perf
