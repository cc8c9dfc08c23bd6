// SPDX-License-Identifier: BSD-2-Clause
#include "session/trigger/trigger_spec.h"

#include <gtest/gtest.h>

#include "fxt_record/event.h"

namespace session {
namespace {

TriggerSpec Parsed(std::string_view text) {
  auto spec = ParseTrigger(text);
  EXPECT_TRUE(spec.ok()) << text << ": " << (spec.ok() ? "" : spec.error().message);
  return spec.ok() ? *spec : TriggerSpec{};
}

TEST(TriggerSpecTest, ReadsLatencyTriggers) {
  const TriggerSpec late = Parsed("wakeup_latency > 20ms");
  EXPECT_EQ(late.kind, TriggerKind::kWakeupLatency);
  EXPECT_EQ(late.above, 20'000'000u);
  EXPECT_EQ(late.text, "wakeup_latency > 20ms");
  EXPECT_EQ(late.per_minute, TriggerSpec::kDefaultPerMinute);
  EXPECT_FALSE(late.before.has_value());
  for (const char* text : {"slice>50ms", "slice >50ms", "slice> 50ms", "  slice   >  50ms "}) {
    EXPECT_EQ(Parsed(text).above, 50'000'000u) << text;
    EXPECT_EQ(Parsed(text).kind, TriggerKind::kSlice) << text;
  }
}

TEST(TriggerSpecTest, ReadsTaskFiltersAndLimits) {
  const TriggerSpec spec = Parsed(
      "off_cpu > 1s state=D comm='a b' pid=12 cgroup=system.slice/ before=5s after=0 per_minute=2 "
      "count=7");
  EXPECT_EQ(spec.kind, TriggerKind::kOffCpu);
  EXPECT_EQ(spec.state, static_cast<uint32_t>(FXR_STATE_UNINTERRUPTIBLE));
  EXPECT_EQ(spec.comm, "a b");
  EXPECT_EQ(spec.pid, 12u);
  EXPECT_EQ(spec.cgroup, "/system.slice");
  EXPECT_EQ(spec.before, 5'000'000'000u);
  EXPECT_EQ(spec.after, 0u);
  EXPECT_EQ(spec.per_minute, 2u);
  EXPECT_EQ(spec.count, 7u);
  EXPECT_EQ(Parsed("runnable > 1ms comm=a-name-that-is-too-long").comm, "a-name-that-is-");
}

TEST(TriggerSpecTest, ReadsAlertsSignalsAndExits) {
  EXPECT_EQ(Parsed("signal").kind, TriggerKind::kSignal);
  EXPECT_EQ(Parsed("alert slow-request").name, "slow-request");
  EXPECT_FALSE(Parsed("exit").status.has_value());
  EXPECT_TRUE(Parsed("exit != 0").other_status);
  EXPECT_EQ(Parsed("exit == 3").status, 3);
  EXPECT_EQ(Parsed("exit!=0 count=1").status, 0);
  EXPECT_EQ(Parsed("log 'out of memory'").name, "out of memory");
  const TriggerSpec pressure = Parsed("psi cpu some 20% 1s");
  EXPECT_EQ(pressure.resource, "cpu");
  EXPECT_EQ(pressure.share, "some");
  EXPECT_EQ(pressure.stall, 200'000'000u);
  EXPECT_EQ(pressure.window, 1'000'000'000u);
}

TEST(TriggerSpecTest, ErrorsNameTheTrigger) {
  for (const char* text : {"",
                           " ",
                           "lateness > 2s",
                           "wakeup_latency",
                           "wakeup_latency >",
                           "wakeup_latency > soon",
                           "wakeup_latency < 2ms",
                           "slice > 2ms state=D",
                           "slice > 2ms pid=0",
                           "slice > 2ms pid=x",
                           "slice > 2ms comm=",
                           "slice > 2ms twice",
                           "signal comm=x",
                           "alert",
                           "alert fifteen-bytes--",
                           "exit != nothing",
                           "log",
                           "log '('",
                           "log 'open",
                           "psi",
                           "psi disk some 20% 1s",
                           "psi cpu any 20% 1s",
                           "psi cpu some 20 1s",
                           "psi cpu some 0% 1s",
                           "psi cpu some 101% 1s",
                           "psi cpu some 20% 1ms",
                           "signal per_minute=0",
                           "signal count=-1",
                           "signal before=never"}) {
    const auto spec = ParseTrigger(text);
    EXPECT_FALSE(spec.ok()) << text;
    if (spec.ok()) continue;
    EXPECT_NE(spec.error().message.find("trigger '"), std::string::npos);
    EXPECT_FALSE(spec.error().hint.empty());
  }
}

}  // namespace
}  // namespace session
