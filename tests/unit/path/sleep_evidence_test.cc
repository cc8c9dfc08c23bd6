// SPDX-License-Identifier: BSD-2-Clause
#include "path/sleep_evidence.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/measure/trace_script.h"
#include "unit/path/path_lines.h"

namespace path {
namespace {

using measure::testing::TraceScript;
using testing::AllSpans;
using ::testing::Contains;
using testing::PathLines;

fxt::Argument Number(std::string_view name, uint64_t value) {
  return {TraceScript::Text(name), value};
}

// A trace of thread 7, which is in a request from 105 on and runs.
class Requests : public TraceScript {
 public:
  Requests() {
    Session(100, {{Text("categories"), Text("default,stack:off")}})
        .Switch(100, 0, 0, "S", 7)
        .Begin(105, 7, "app", "request");
  }
  // It sleeps in `state` from `begin` to `end`, when an interrupt or `waker` wakes it.
  Requests& Sleep(uint64_t begin, uint64_t end, std::string_view state, fxt::Koid waker = 0) {
    Switch(begin, 0, 7, state, 0).Wake(end, 7, waker).Switch(end, 0, 0, "S", 7);
    return *this;
  }
  std::vector<std::string> Lines() {
    End(900, 7, "app", "request").Switch(910, 0, 7, "S", 0);
    return PathLines(bytes(), AllSpans());
  }
};

TEST(SleepEvidenceTest, TimersAreCallsThatOnlySleep) {
  Requests trace;
  trace.Begin(110, 7, "syscall", "nanosleep");
  trace.Sleep(120, 130, "S").End(131, 7, "syscall", "nanosleep");
  trace.Begin(140, 7, "syscall", "futex");
  trace.Sleep(150, 160, "S").End(161, 7, "syscall", "futex");
  trace.Sleep(170, 180, "S");
  const auto lines = trace.Lines();
  EXPECT_THAT(lines, Contains("120 10 t7 timer (nanosleep)"));
  EXPECT_THAT(lines, Contains("150 10 t7 sleep (futex)"));
  EXPECT_THAT(lines, Contains("170 10 t7 sleep"));
}

TEST(SleepEvidenceTest, CallsOfProgramsAreNoSystemCalls) {
  Requests trace;
  trace.Begin(110, 7, "app", "nanosleep");
  trace.Sleep(120, 130, "S").End(131, 7, "app", "nanosleep");
  EXPECT_THAT(trace.Lines(), Contains("120 10 t7 sleep"));
}

// The function comes with the stack, when the thread runs again.
TEST(SleepEvidenceTest, FunctionsOfStacks) {
  Requests trace;
  trace.Sleep(120, 130, "S");
  trace.Instant(
      130, 7, "stack", "off",
      {{TraceScript::Text("in"), TraceScript::Text("hrtimer_nanosleep")}, Number("away", 10)});
  trace.Sleep(150, 160, "D");
  trace.Instant(
      160, 7, "stack", "off",
      {{TraceScript::Text("in"), TraceScript::Text("folio_wait_bit")}, Number("away", 10)});
  const auto lines = trace.Lines();
  EXPECT_THAT(lines, Contains("120 10 t7 timer (hrtimer_nanosleep)"));
  EXPECT_THAT(lines, Contains("150 10 t7 blocked (folio_wait_bit)"));
}

TEST(SleepEvidenceTest, PageFaultsAreNamed) {
  Requests trace;
  trace.Begin(110, 7, "fault", "major");
  trace.Sleep(120, 130, "D").End(131, 7, "fault", "major");
  EXPECT_THAT(trace.Lines(), Contains("120 10 t7 blocked (page fault)"));
}

}  // namespace
}  // namespace path
