// SPDX-License-Identifier: BSD-2-Clause
#include "measure/missing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/measure/trace_script.h"

namespace measure {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::TraceScript;

// A thread that runs 30 times beside one that wakes it.
void RunOften(TraceScript& trace, const char* state, bool wakeups) {
  for (uint64_t time = 1000; time < 31'000; time += 1000) {
    if (wakeups) trace.Wake(time, 7, 8);
    trace.Switch(time + 10, 0, 0, "R", 7).Switch(time + 500, 0, 7, state, 0);
  }
}

TEST(WhatIsMissingTest, NothingOfARecordingOfOurOwn) {
  TraceScript trace;
  trace.Name(7, "app").Name(8, "other");
  RunOften(trace, "S", true);
  EXPECT_THAT(WhatIsMissing(trace.Collect()), IsEmpty());
}

TEST(WhatIsMissingTest, SpansAloneHaveNoThreads) {
  TraceScript trace;
  trace.Name(7, "app").Span(10, 20, 7, "game", "frame").Span(30, 50, 7, "game", "frame");
  const Capture capture = trace.Collect();
  EXPECT_FALSE(HasSwitches(capture));
  EXPECT_THAT(WhatIsMissing(capture), ElementsAre(HasSubstr("no context switches")));
}

TEST(WhatIsMissingTest, NamesOfThreadsAndProcesses) {
  TraceScript none;
  RunOften(none, "S", true);
  EXPECT_THAT(WhatIsMissing(none.Collect()), ElementsAre(HasSubstr("threads and processes have")));
  TraceScript processes;
  processes.Process(7, "app");
  RunOften(processes, "S", true);
  EXPECT_THAT(WhatIsMissing(processes.Collect()), ElementsAre(HasSubstr("threads have no names")));
  TraceScript threads;
  threads.Thread(7, "main", 7);
  RunOften(threads, "S", true);
  EXPECT_THAT(WhatIsMissing(threads.Collect()), ElementsAre(HasSubstr("processes have no names")));
}

TEST(WhatIsMissingTest, StatesAndWakeups) {
  TraceScript trace;
  trace.Name(7, "app").Name(8, "other");
  RunOften(trace, "R", false);
  EXPECT_THAT(WhatIsMissing(trace.Collect()),
              ElementsAre(HasSubstr("states of threads are not recorded"), HasSubstr("wakeups")));
}

TEST(WhatIsMissingTest, AMomentLacksThemByChance) {
  TraceScript trace;
  trace.Name(7, "app").Switch(10, 0, 0, "R", 7).Switch(20, 0, 7, "R", 0);
  EXPECT_THAT(WhatIsMissing(trace.Collect()), IsEmpty());
}

}  // namespace
}  // namespace measure
