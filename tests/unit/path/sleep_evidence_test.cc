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
  std::vector<std::string> Lines(StackNamer name_stack = nullptr) {
    End(900, 7, "app", "request").Switch(910, 0, 7, "S", 0);
    PathOptions options = AllSpans();
    options.name_stack = std::move(name_stack);
    return PathLines(bytes(), options);
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

TEST(SleepEvidenceTest, CallersComeFromTheStack) {
  Requests trace;
  trace.Sleep(120, 130, "S");
  trace.Instant(130, 7, "stack", "off",
                {{TraceScript::Text("in"), TraceScript::Text("hrtimer_nanosleep")},
                 {TraceScript::Text("stack"), fxt::PointerValue{77}},
                 Number("away", 10)});
  trace.Sleep(150, 160, "S");
  trace.Instant(160, 7, "stack", "off",
                {{TraceScript::Text("stack"), fxt::PointerValue{78}}, Number("away", 10)});
  const auto lines = trace.Lines(
      [](fxt::Koid, uint64_t stack) { return stack == 77 ? "usleep <- nap (a.c:3)" : "poll"; });
  EXPECT_THAT(lines, Contains("120 10 t7 timer (hrtimer_nanosleep <- usleep <- nap (a.c:3))"));
  EXPECT_THAT(lines, Contains("150 10 t7 sleep (poll)"));
}

TEST(SleepEvidenceTest, PageFaultsAreNamed) {
  Requests trace;
  trace.Begin(110, 7, "fault", "major");
  trace.Sleep(120, 130, "D").End(131, 7, "fault", "major");
  EXPECT_THAT(trace.Lines(), Contains("120 10 t7 blocked (page fault)"));
}

// Category `wait` names the thing right before the wakeup.
class Waits : public Requests {
 public:
  struct Object {
    std::string_view syscall, kind, object;
    uint64_t asked = 0;
  };
  // Ended by an interrupt.
  Waits& Sleep(uint64_t begin, uint64_t end, std::string_view state, const Object& object) {
    std::vector<fxt::Argument> arguments{{Text("syscall"), Text(object.syscall)},
                                         {Text("object_kind"), Text(object.kind)},
                                         {Text("object"), Text(object.object)}};
    if (object.asked != 0) arguments.push_back(Number("asked", object.asked));
    Switch(begin, 0, 7, state, 0).Instant(end, 7, "wait", "waited", arguments);
    Wake(end, 7, 0).Switch(end, 0, 0, "S", 7);
    return *this;
  }
};

TEST(SleepEvidenceTest, ObjectsOfWaits) {
  Waits trace;
  trace.Sleep(120, 130, "S", {"read", "pipe", "pipe:[12]"});
  trace.Sleep(140, 150, "D", {"fdatasync", "file", "/var/lib/aof"});
  const auto lines = trace.Lines();
  EXPECT_THAT(lines, Contains("120 10 t7 sleep (read pipe:[12])"));
  EXPECT_THAT(lines, Contains("140 10 t7 blocked (fdatasync /var/lib/aof)"));
}

TEST(SleepEvidenceTest, ASleepAsLongAsItWasAskedForIsATimer) {
  Waits trace;
  trace.Sleep(120, 130, "S", {"poll", "poll", "", 10});
  trace.Sleep(140, 150, "S", {"poll", "poll", "", 11});
  const auto lines = trace.Lines();
  EXPECT_THAT(lines, Contains("120 10 t7 timer (poll)"));
  EXPECT_THAT(lines, Contains("140 10 t7 sleep (poll)"));
}

TEST(SleepEvidenceTest, PacketsOfOtherHostsAreOfThePeer) {
  Waits trace;
  trace.Sleep(120, 130, "S", {"recvfrom", "tcp", "10.0.0.2:4000 -> 10.0.0.9:80"});
  trace.Sleep(140, 150, "S", {"recvfrom", "tcp", "127.0.0.1:4000 -> 127.0.0.2:80"});
  trace.Sleep(160, 170, "S", {"recvfrom", "tcp", "10.0.0.2:4000 -> 10.0.0.2:80"});
  trace.Sleep(180, 190, "S", {"recvfrom", "udp", "0.0.0.0:53"});
  trace.Sleep(200, 210, "S", {"recvfrom", "tcp", "[fe80::1]:4000 -> [fe80::2]:80"});
  const auto lines = trace.Lines();
  EXPECT_THAT(lines, Contains("120 10 t7 peer (recvfrom 10.0.0.2:4000 -> 10.0.0.9:80)"));
  EXPECT_THAT(lines, Contains("140 10 t7 sleep (recvfrom 127.0.0.1:4000 -> 127.0.0.2:80)"));
  EXPECT_THAT(lines, Contains("160 10 t7 sleep (recvfrom 10.0.0.2:4000 -> 10.0.0.2:80)"));
  EXPECT_THAT(lines, Contains("180 10 t7 sleep (recvfrom 0.0.0.0:53)"));
  EXPECT_THAT(lines, Contains("200 10 t7 peer (recvfrom [fe80::1]:4000 -> [fe80::2]:80)"));
}

}  // namespace
}  // namespace path
