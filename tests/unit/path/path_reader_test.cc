// SPDX-License-Identifier: BSD-2-Clause
#include "path/path_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/measure/overlapping_requests.h"
#include "unit/measure/random_trace.h"
#include "unit/measure/trace_script.h"
#include "unit/path/path_lines.h"

namespace path {
namespace {

using measure::testing::TraceScript;
using testing::AllSpans;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::PathLines;

// Thread 7 runs since 100.
class Begun : public TraceScript {
 public:
  Begun() { Session(100).Switch(100, 0, 0, "S", 7); }
};

TEST(PathReaderTest, RunsAndWaitsForTheCpu) {
  Begun trace;
  trace.Begin(110, 7, "app", "request");
  trace.Switch(120, 0, 7, "R+", 8);
  trace.Switch(130, 0, 8, "R+", 9);
  trace.Switch(145, 0, 9, "S", 7);
  trace.End(150, 7, "app", "request").Switch(160, 0, 7, "S", 0);
  EXPECT_THAT(
      PathLines(trace.bytes(), AllSpans()),
      ElementsAre("request request t7 110-150", "110 10 t7 running", "120 10 t7 runnable by t8",
                  "130 15 t7 runnable by t9", "145 5 t7 running"));
}

TEST(PathReaderTest, GoesOnAtTheThreadThatEndedTheSleep) {
  Begun trace;
  trace.Switch(100, 1, 0, "S", 8);
  trace.Begin(110, 7, "app", "request");
  trace.Switch(120, 0, 7, "S", 0);
  // 8 is preempted while 7 waits for it.
  trace.Switch(130, 1, 8, "R+", 9).Switch(137, 1, 9, "S", 8);
  trace.Wake(150, 7, 8).Switch(152, 0, 0, "S", 7);
  trace.End(160, 7, "app", "request").Switch(170, 0, 7, "S", 0);
  EXPECT_THAT(
      PathLines(trace.bytes(), AllSpans()),
      ElementsAre("request request t7 110-160", "110 10 t7 running", "120 10 t8 running for t7",
                  "130 7 t8 runnable by t9 for t7", "137 13 t8 running for t7",
                  "150 2 t7 runnable idle", "152 8 t7 running"));
}

// 7 waits for 8, which waits for 9: and both sleeps count from where they matter.
TEST(PathReaderTest, FollowsChains) {
  Begun trace;
  trace.Switch(100, 1, 0, "S", 8).Switch(100, 2, 0, "S", 9);
  trace.Begin(110, 7, "app", "request");
  trace.Switch(115, 1, 8, "S", 0);
  trace.Switch(120, 0, 7, "S", 0);
  trace.Wake(150, 8, 9, 1).Switch(150, 1, 0, "S", 8);
  trace.Wake(160, 7, 8).Switch(160, 0, 0, "S", 7);
  trace.End(165, 7, "app", "request").Switch(170, 0, 7, "S", 0);
  EXPECT_THAT(
      PathLines(trace.bytes(), AllSpans()),
      ElementsAre("request request t7 110-165", "110 10 t7 running", "120 30 t9 running for t8",
                  "150 10 t8 running for t7", "160 5 t7 running"));
}

TEST(PathReaderTest, FollowsTheCreatorOfAChild) {
  Begun trace;
  trace.Begin(110, 7, "app", "request");
  trace.Fork(120, 7, 20).Wake(120, 20, 7, 1);
  trace.Switch(125, 1, 0, "S", 20);
  trace.Switch(130, 0, 7, "S", 0);
  trace.Wake(150, 7, 20).Switch(155, 0, 0, "S", 7).Switch(156, 1, 20, "X", 0);
  trace.End(160, 7, "app", "request").Switch(170, 0, 7, "S", 0);
  EXPECT_THAT(
      PathLines(trace.bytes(), AllSpans()),
      ElementsAre("request request t7 110-160", "110 20 t7 running", "130 20 t20 running for t7",
                  "150 5 t7 runnable idle", "155 5 t7 running"));
}

TEST(PathReaderTest, WakeupsByInterruptsAreNoThreads) {
  Begun trace;
  trace.Begin(105, 7, "app", "request");
  trace.Begin(106, 7, "syscall", "clock_nanosleep").Switch(110, 0, 7, "S", 0);
  trace.Wake(120, 7).Switch(120, 0, 0, "S", 7).End(121, 7, "syscall", "clock_nanosleep");
  trace.Begin(122, 7, "syscall", "epoll_wait").Switch(125, 0, 7, "S", 0);
  trace.Wake(130, 7).Switch(130, 0, 0, "S", 7).End(131, 7, "syscall", "epoll_wait");
  trace.Switch(135, 0, 7, "D", 0);
  trace.Wake(140, 7).Switch(140, 0, 0, "S", 7);
  trace.End(145, 7, "app", "request").Switch(150, 0, 7, "S", 0);
  EXPECT_THAT(PathLines(trace.bytes(), AllSpans()),
              ElementsAre("request request t7 105-145", "105 5 t7 running",
                          "110 10 t7 timer (clock_nanosleep)", "120 5 t7 running",
                          "125 5 t7 sleep (epoll_wait)", "130 5 t7 running", "135 5 t7 blocked",
                          "140 5 t7 running"));
}

TEST(PathReaderTest, MissingWakeupsAndLossesAreUnknown) {
  Begun trace;
  trace.Begin(105, 7, "app", "request");
  // It runs again without a wakeup.
  trace.Switch(110, 0, 7, "S", 0).Switch(120, 0, 0, "S", 7);
  // The waker does not run.
  trace.Switch(130, 0, 7, "S", 0).Wake(140, 7, 99).Switch(140, 0, 0, "S", 7);
  // Events of another CPU are lost while it sleeps.
  trace.Switch(150, 0, 7, "S", 0).Loss(155, 1, 5).Wake(160, 7).Switch(160, 0, 0, "S", 7);
  trace.End(170, 7, "app", "request").Switch(180, 0, 7, "S", 0);
  EXPECT_THAT(PathLines(trace.bytes(), AllSpans()),
              ElementsAre("request request t7 105-170", "105 5 t7 running", "110 10 t7 unknown",
                          "120 10 t7 running", "130 10 t7 unknown", "140 10 t7 running",
                          "150 10 t7 unknown", "160 10 t7 running"));
}

TEST(PathReaderTest, TimeOutsideOfTheSchedulingIsUnknown) {
  TraceScript trace;
  trace.Begin(50, 7, "app", "request");
  trace.Session(100).Switch(110, 0, 0, "S", 7).Switch(200, 0, 7, "S", 0);
  trace.End(250, 7, "app", "request");
  EXPECT_THAT(PathLines(trace.bytes(), AllSpans()),
              ElementsAre("request request t7 50-250", "50 60 t7 unknown", "110 90 t7 running",
                          "200 50 t7 unknown"));
}

TEST(PathReaderTest, WithoutSchedulingAllIsUnknown) {
  TraceScript trace;
  trace.Span(50, 60, 7, "app", "request");
  EXPECT_THAT(PathLines(trace.bytes(), AllSpans()),
              ElementsAre("request request t7 50-60", "50 10 ? unknown"));
}

TEST(PathReaderTest, AsleepAtTheEndIsASleep) {
  Begun trace;
  trace.Switch(120, 0, 7, "S", 0).Wake(200, 7, 0).Switch(200, 0, 0, "S", 7);
  trace.Switch(300, 0, 7, "S", 0);
  PathOptions options;
  options.wants_thread = [](fxt::Koid thread, std::string_view) { return thread == 7; };
  options.from = 110;
  options.to = 150;
  EXPECT_THAT(PathLines(trace.bytes(), options),
              ElementsAre("request  t7 110-150", "110 10 t7 running", "120 30 t7 sleep"));
  options.to = 190'000;  // behind the end
  options.from = 210;
  EXPECT_THAT(PathLines(trace.bytes(), options),
              ElementsAre("request  t7 210-300", "210 90 t7 running"));
}

// Spans of other categories nest with those chosen, and numbers do not depend on the choice.
TEST(PathReaderTest, MatchesEndsWithBeginsAndNumbersThem) {
  Begun trace;
  trace.Begin(110, 7, "app", "outer").Begin(115, 7, "syscall", "read");
  trace.Begin(120, 7, "app", "inner").End(125, 7, "app", "inner");
  trace.End(130, 7, "syscall", "read").End(140, 7, "app", "outer");
  trace.Begin(145, 7, "app", "open").Switch(150, 0, 7, "S", 0);
  EXPECT_THAT(PathLines(trace.bytes(), AllSpans()),
              ElementsAre("request inner t7 120-125", "120 5 t7 running",
                          "request outer t7 110-140", "110 30 t7 running"));
  PathOptions options = AllSpans();
  options.id = 3;
  EXPECT_THAT(PathLines(trace.bytes(), options),
              ElementsAre("request outer t7 110-140", "110 30 t7 running"));
  options.id = 2;  // not chosen
  EXPECT_THAT(PathLines(trace.bytes(), options), IsEmpty());
}

// Programs' records may stand behind those of the scheduler that are later.
TEST(PathReaderTest, WaitsForTheTimeline) {
  TraceScript early;
  early.Span(110, 150, 7, "app", "request");
  early.Session(100).Switch(100, 0, 0, "S", 7).Switch(120, 0, 7, "R", 8);
  early.Switch(140, 0, 8, "S", 7).Switch(160, 0, 7, "S", 0);
  TraceScript late;
  late.Session(100).Switch(100, 0, 0, "S", 7).Switch(120, 0, 7, "R", 8);
  late.Switch(140, 0, 8, "S", 7).Switch(160, 0, 7, "S", 0);
  late.Span(110, 150, 7, "app", "request");
  const auto expected = ElementsAre("request request t7 110-150", "110 10 t7 running",
                                    "120 20 t7 runnable by t8", "140 10 t7 running");
  EXPECT_THAT(PathLines(early.bytes(), AllSpans()), expected);
  EXPECT_THAT(PathLines(late.bytes(), AllSpans()), expected);
}

TEST(PathReaderTest, TimesBeforeTheRingAreUnknown) {
  Begun trace;
  trace.Begin(110, 7, "app", "request");
  uint64_t time = 120;
  for (int i = 0; i < 1000; ++i, time += 20) {
    trace.Switch(time, 0, 7, "R", 8).Switch(time + 10, 0, 8, "R", 7);
  }
  trace.End(time, 7, "app", "request").Switch(time + 10, 0, 7, "S", 0);
  PathOptions options = AllSpans();
  options.max_thread_bytes = options.max_cpu_bytes = 2048;
  const auto lines = PathLines(trace.bytes(), options);
  ASSERT_GT(lines.size(), 10U);
  EXPECT_LT(lines.size(), 1000U);
  EXPECT_THAT(lines[1], ::testing::StartsWith("110 "));
  EXPECT_THAT(lines[1], ::testing::EndsWith(" t7 unknown"));
  EXPECT_EQ(lines.back(), fmt::format("{} 10 t7 running", time - 10));
}

TEST(PathReaderTest, TakesAnyTime) {
  Begun trace;
  trace.Begin(0, 7, "app", "request").End(UINT64_MAX, 7, "app", "request");
  trace.Switch(200, 0, 7, "S", 0);
  EXPECT_THAT(
      PathLines(trace.bytes(), AllSpans()),
      ElementsAre(fmt::format("request request t7 0-{}", UINT64_MAX), "0 100 t7 unknown",
                  "100 100 t7 running", fmt::format("200 {} t7 unknown", UINT64_MAX - 200)));
}

TEST(PathReaderTest, CountsRequestsWithoutRoom) {
  TraceScript trace;
  for (int i = 0; i < 100; ++i) trace.Span(50, 60, 7, "app", "request");
  PathOptions options = AllSpans();
  options.max_pending_bytes = 2000;
  PathReader paths(options, [](const Request&, std::span<const Part>) {});
  fxt::MemorySource source(trace.bytes());
  fxt::Reader reader(source);
  facts::ReadRecords(reader, paths);
  paths.Finish();
  EXPECT_GT(paths.builder().left_out(), 80U);
  EXPECT_LT(paths.builder().left_out(), 100U);
}

// Ten requests overlap. The walk of each takes 3,001 steps: 2,001 parts, half of which a second
// step finds the holder of.
TEST(PathReaderTest, PathsBeyondTheStepsAreLeftOutCompletely) {
  measure::testing::OverlappingRequests trace(10, 1000);
  PathOptions options;
  options.wants_span = [](std::string_view, std::string_view, bool) { return true; };
  const uint64_t of_bytes = trace.bytes().size() / PathWalker::kBytesOfStep;
  for (const auto& [steps, expected] : {std::pair<uint64_t, uint64_t>{20'000, 7}, {40'000, 10}}) {
    ASSERT_GT(steps, of_bytes);
    options.free_steps = steps - of_bytes;
    uint64_t paths = 0;
    uint64_t requests = 0;
    PathReader reader(options, [&](const Request& request, std::span<const Part> parts) {
      ++requests;
      paths += request.has_path ? 1 : 0;
      uint64_t sum = 0;
      for (const Part& part : parts) sum += part.length;
      EXPECT_EQ(sum, request.has_path ? request.duration() : 0);
    });
    fxt::MemorySource source(trace.bytes());
    fxt::Reader records(source);
    facts::ReadRecords(records, reader);
    reader.Finish();
    EXPECT_EQ(requests, 10U);
    EXPECT_EQ(paths, expected);
    EXPECT_EQ(reader.builder().paths_left_out(), 10 - expected);
    EXPECT_EQ(reader.builder().left_out(), 0U);
  }
}

// In any case the parts follow one another and add up (PathLines() checks it), and the fast path
// gives the same result.
TEST(PathReaderTest, AddsUpInAnyTrace) {
  for (const bool order : {false, true}) {
    for (uint64_t seed = 0; seed < 100; ++seed) {
      TraceScript indexed(TraceScript::kIndexed);
      TraceScript general(TraceScript::kInline);
      for (TraceScript* trace : {&indexed, &general}) {
        for (fxt::Koid thread = 1; thread <= 8; ++thread) {
          for (uint64_t begin = 900; begin < 2200; begin += 130) {
            trace->Span(begin, begin + 60 * thread, thread, "app", "request");
          }
        }
        measure::testing::FillAtRandom(*trace, seed, true, order);
      }
      const auto lines = PathLines(general.bytes(), AllSpans());
      EXPECT_GT(lines.size(), 100U);
      EXPECT_EQ(PathLines(indexed.bytes(), AllSpans()), lines) << seed;
    }
  }
}

}  // namespace
}  // namespace path
