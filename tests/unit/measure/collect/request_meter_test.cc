// SPDX-License-Identifier: BSD-2-Clause
#include "measure/collect/request_meter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "unit/measure/overlapping_requests.h"
#include "unit/measure/random_trace.h"
#include "unit/measure/trace_script.h"

namespace measure {
namespace {

using path::PartKind;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using testing::TraceScript;

CollectorOptions WithRequests() {
  CollectorOptions options;
  options.with_requests = true;
  return options;
}

std::vector<std::string> NamesOf(const Capture& capture) {
  std::vector<std::string> names;
  for (const auto& [name, stats] : capture.requests) {
    names.push_back(name + " " + std::to_string(stats.times.whole.count()));
  }
  return names;
}

// Thread 7, "app", runs since 100.
class Begun : public TraceScript {
 public:
  Begun() { Name(7, "app").Name(8, "holder1").Session(100).Switch(100, 0, 0, "S", 7); }
};

TEST(RequestMeterTest, PartsAddUpToTheDurations) {
  Begun trace;
  trace.Switch(100, 1, 0, "S", 8);
  trace.Begin(110, 7, "app", "checkout").Switch(120, 0, 7, "S", 0);
  trace.Wake(150, 7, 8).Switch(152, 0, 0, "S", 7);
  trace.End(160, 7, "app", "checkout").Switch(170, 0, 7, "S", 0);
  const Capture capture = trace.Collect(WithRequests());
  ASSERT_THAT(NamesOf(capture), ElementsAre("checkout 1"));
  const RequestStats& stats = capture.requests.at("checkout");
  EXPECT_EQ(stats.times.whole_ns, 50U);
  const PathPart ran{.kind = PartKind::kRunning, .is_own = true, .thread = "app"};
  const PathPart held{.kind = PartKind::kRunning, .is_own = false, .thread = "holder#"};
  const PathPart idle{
      .kind = PartKind::kRunnable, .is_own = true, .thread = "app", .waited_for = "idle CPU"};
  EXPECT_THAT(stats.parts, ElementsAre(Pair(held, 30U), Pair(ran, 18U), Pair(idle, 2U)));
  EXPECT_THAT(trace.Collect().requests, IsEmpty());
}

TEST(RequestMeterTest, TakesOutermostSpansOfProgramsAndRequests) {
  Begun trace;
  trace.Begin(110, 7, "app", "outer").Begin(111, 7, "app", "inner");
  trace.Span(112, 113, 7, "syscall", "read").Span(113, 114, 7, "request", "GET");
  trace.End(115, 7, "app", "inner").End(120, 7, "app", "outer");
  trace.Span(130, 131, 7, "syscall", "read").Span(140, 150, 7, "app", "next");
  trace.Switch(170, 0, 7, "S", 0);
  EXPECT_THAT(NamesOf(trace.Collect(WithRequests())), ElementsAre("GET 1", "next 1", "outer 1"));
  CollectorOptions chosen = WithRequests();
  chosen.wants_request = [](std::string_view, std::string_view name) { return name == "read"; };
  EXPECT_THAT(NamesOf(trace.Collect(chosen)), ElementsAre("read 2"));
}

TEST(RequestMeterTest, NamesThatDifferInDigitsAreApartIfThereAreFew) {
  Begun trace;
  uint64_t time = 110;
  const auto add = [&](const std::string& name) {
    trace.Span(time, time + 1, 7, "app", name);
    time += 2;
  };
  for (int i = 0; i < 3; ++i) add("step " + std::to_string(i));
  for (int i = 0; i < 50; ++i) add("user " + std::to_string(i));
  trace.Switch(time, 0, 7, "S", 0);
  EXPECT_THAT(NamesOf(trace.Collect(WithRequests())),
              ElementsAre("step 0 1", "step 1 1", "step 2 1", "user # 50"));
}

TEST(RequestMeterTest, NamesBeyondTheLimitAreCountedTogether) {
  Begun trace;
  uint64_t time = 110;
  for (size_t i = 0; i < RequestMeter::kMaxNames + 100; ++i) {
    // Letters: digits would be folded.
    std::string name;
    for (size_t rest = i + 26; rest != 0; rest /= 26) name += static_cast<char>('a' + rest % 26);
    trace.Span(time, time + 1, 7, "app", name);
    time += 2;
  }
  trace.Switch(time, 0, 7, "S", 0);
  const Capture capture = trace.Collect(WithRequests());
  EXPECT_EQ(capture.requests.size(), RequestMeter::kMaxNames);
  EXPECT_EQ(capture.requests.at(std::string(kOthers)).times.whole.count(), 101U);
}

TEST(RequestMeterTest, RequestsThatBeganBeforeTheWindowAreLeftOut) {
  Begun trace;
  trace.Span(110, 120, 7, "app", "early").Span(118, 130, 7, "app", "cut");
  trace.Span(132, 140, 7, "app", "whole").Span(141, 160, 7, "app", "late");
  trace.Switch(170, 0, 7, "S", 0);
  CollectorOptions options = WithRequests();
  options.from = 125;
  options.to = 150;
  const Capture capture = trace.Collect(options);
  EXPECT_THAT(NamesOf(capture), ElementsAre("whole 1"));
  EXPECT_EQ(capture.requests_left_out, 1U);
}

// 300 requests of 100,000 parts are beyond what is walked. Other requests have complete paths.
TEST(RequestMeterTest, RequestsBeyondTheLimitOfPathsAreLeftOut) {
  constexpr uint64_t kRequests = 300;
  testing::OverlappingRequests trace(kRequests, 50'000);
  const Capture capture = trace.Collect(WithRequests());
  EXPECT_GT(capture.requests_left_out, kRequests / 4);
  const RequestStats& stats = capture.requests.at("overlapping");
  EXPECT_EQ(stats.times.whole.count() + capture.requests_left_out, kRequests);
  uint64_t sum = 0;
  for (const auto& [part, ns] : stats.parts) {
    EXPECT_NE(part.kind, path::PartKind::kUnknown);
    sum += ns;
  }
  EXPECT_EQ(sum, stats.times.whole.count() * (trace.end() - 110));
}

// For any records in any order the parts add up, and the fast path gives the same result.
TEST(RequestMeterTest, FastPathAndAllRecordsAgree) {
  for (uint64_t seed = 1; seed <= 30; ++seed) {
    TraceScript trace(TraceScript::kIndexed);
    for (fxt::Koid thread = 1; thread <= 6; ++thread) {
      trace.Begin(1000 + 10 * thread, thread, "app", "request " + std::to_string(thread));
    }
    testing::FillAtRandom(trace, seed, false, seed % 2 == 0);
    for (fxt::Koid thread = 1; thread <= 6; ++thread) {
      trace.End(1200 + 100 * thread, thread, "app", "");
    }
    const CollectorOptions options = WithRequests();
    const Capture capture = trace.Collect(options);
    EXPECT_EQ(capture.requests.size(), 6U);
    EXPECT_EQ(capture.requests, trace.CollectFastPath(options).requests) << seed;
    for (const auto& [name, stats] : capture.requests) {
      uint64_t sum = 0;
      for (const auto& [part, ns] : stats.parts) sum += ns;
      EXPECT_EQ(sum, stats.times.whole_ns) << seed << " " << name;
    }
  }
}

}  // namespace
}  // namespace measure
