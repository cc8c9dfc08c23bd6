// SPDX-License-Identifier: BSD-2-Clause
#include "facts/timeline/runnable_meter.h"

#include <gtest/gtest.h>

#include <vector>

#include "facts/timeline/timeline.h"

namespace facts {
namespace {

struct Handler {
  RunnableMeter meter;
  std::vector<RunnableParts> parts;  // of waits for a CPU that end in a run

  void OnRun(const Run& run) { meter.Add(run); }
  void OnIdle(const Idle& idle) { meter.Add(idle); }
  void OnGap(const Gap& gap) { meter.Add(gap); }
  void OnCpuSwitch(const CpuSwitch& change) { meter.Add(change); }
  void OnWait(const Wait& wait) {
    const RunnableParts of = meter.Add(wait);
    if (wait.is_runnable() && wait.ends_in_run()) parts.push_back(of);
  }
};

SwitchSide Side(fxt::Koid thread, int64_t priority = 120) {
  const bool idle = thread == 0;
  return {.thread = thread,
          .process = idle ? 0 : 1,
          .priority = idle ? 0 : priority,
          .idle = idle,
          .lost = false};
}

void AddProcess(RunnableMeter& meter, const TimelineState& state, const char* cpus) {
  const std::vector<fxt::Argument> arguments = {
      {fxt::StringRef::Inline("subject"), fxt::StringRef::Inline("app")},
      {fxt::StringRef::Inline("process"), fxt::KoidValue{1}},
      {fxt::StringRef::Inline("executable"), fxt::StringRef::Inline("/app")},
      {fxt::StringRef::Inline("cpus_allowed"), fxt::StringRef::Inline(cpus)},
      {fxt::StringRef::Inline("cgroup"), fxt::StringRef::Inline("/")}};
  meter.AddEvent({.type = fxt::EventType::kInstant,
                  .timestamp = 0,
                  .thread = fxt::ThreadRef::Inline(1, 1),
                  .category = fxt::StringRef::Inline("settings"),
                  .name = fxt::StringRef::Inline("process"),
                  .arguments = arguments},
                 0, state);
}

// Thread 7 is woken for CPU 0 at 10, where 8 runs until 50. CPU 1 is idle from 20 to 30.
std::vector<RunnableParts> WaitOf7(const char* cpus, int64_t priority_of_8) {
  Handler handler;
  Timeline<Handler> timeline(handler);
  const auto ready = fxt::ThreadState::kRunning;
  const auto blocked = fxt::ThreadState::kBlocked;
  const auto swap = [&](uint64_t time, uint32_t cpu, fxt::ThreadState state, SwitchSide out,
                        SwitchSide in) {
    timeline.OnSwitch(
        {.time = time, .cpu = cpu, .outgoing_state = state, .outgoing = out, .incoming = in});
  };
  swap(1, 1, blocked, Side(7), Side(9));
  swap(2, 0, ready, Side(0), Side(8, priority_of_8));
  AddProcess(handler.meter, timeline, cpus);
  timeline.OnWakeup({.time = 10, .cpu = 0, .thread = 7, .waker = {}, .weight = {}});
  swap(20, 1, blocked, Side(9), Side(0));
  swap(30, 1, ready, Side(0), Side(9));
  swap(50, 0, blocked, Side(8, priority_of_8), Side(7));
  return handler.parts;
}

TEST(RunnableMeterTest, ReportsWhyAThreadDidNotRun) {
  EXPECT_EQ(WaitOf7("0", 120).back(), (RunnableParts{.affinity = 10}));
  EXPECT_EQ(WaitOf7("0", 110).back(), (RunnableParts{.affinity = 10, .weight = 30}));
  EXPECT_EQ(WaitOf7("0-1", 120).back(), RunnableParts());
}

}  // namespace
}  // namespace facts
