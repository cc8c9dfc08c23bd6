// SPDX-License-Identifier: BSD-2-Clause
#include "compare/request_changes.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "analyze/diff/request_words.h"
#include "analyze/diff/sentences.h"
#include "compare/compare.h"
#include "unit/compare/simulated_capture.h"

namespace comparison {
namespace {

using measure::PathPart;
using path::PartKind;
using testing::At;
using testing::Simulator;
using testing::Work;

constexpr uint64_t kUs = 1'000;

// What requests wait for, on average.
struct RequestWaits {
  double thread_us = 100;
  double cpu_us = 0;  // that another program has
};

// Requests of a capture, of about that length.
void AddRequests(measure::Capture& capture, const std::string& name, uint64_t count, double own_us,
                 const RequestWaits& waits_for, std::mt19937_64& random) {
  measure::RequestStats& stats = capture.requests[name];
  std::normal_distribution<double> noise(0, 0.2);
  for (uint64_t i = 0; i < count; ++i) {
    const auto own = static_cast<uint64_t>(own_us * 1e3 * std::exp(noise(random)));
    const auto waits = static_cast<uint64_t>(waits_for.thread_us * 1e3 * std::exp(noise(random)));
    const auto others = static_cast<uint64_t>(waits_for.cpu_us * 1e3 * std::exp(noise(random)));
    stats.times.AddWhole({.begin = i, .length = own + waits + others, .thread = 7, .cpu = 0});
    if (others != 0) {
      stats.parts[{.kind = PartKind::kRunnable,
                   .is_own = true,
                   .thread = "worker",
                   .waited_for = "cc1plus"}] += others;
    }
    stats.parts[{.kind = PartKind::kRunning, .is_own = true, .thread = "worker"}] += own;
    stats.parts[{.kind = PartKind::kRunning, .thread = "expiry", .waited_for = "futex"}] += waits;
  }
}

// Five captures a side of ten names; `waits` of "r3" in the new ones.
DiffReport DiffOfTen(uint64_t seed, const RequestWaits& waits) {
  const Work worker{.of_command = true};
  const Work other{.process = "cc1plus", .thread = "cc1plus", .cpu_ms = 900};
  DiffInput input = Simulator(seed).Sides({worker, other}, {worker, other}, 5);
  std::mt19937_64 random(seed);
  std::normal_distribution<double> noise(0, 0.05);
  for (auto* side : {&input.base, &input.next}) {
    for (measure::Capture& capture : *side) {
      for (int i = 0; i < 10; ++i) {
        const bool slow = i == 3 && side == &input.next;
        AddRequests(capture, "r" + std::to_string(i), 300, 900 * std::exp(noise(random)),
                    slow ? waits : RequestWaits(), random);
      }
    }
  }
  auto report = Compare(std::move(input));
  EXPECT_TRUE(report.ok());
  return std::move(*report);
}

TEST(RequestChangesTest, TheSlowOneOfTenNamesIsFirstWithThePartThatGrew) {
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    const DiffReport report = DiffOfTen(seed, {.thread_us = 2100});
    ASSERT_EQ(report.requests.size(), 10U);
    const ComparisonRow* first = At(report, 1);
    ASSERT_NE(first, nullptr);
    EXPECT_EQ(first->name, "r3");
    EXPECT_EQ(first->verdict, Verdict::kWorse);
    const auto cause = report.requests[*first->request].CauseOf(1);
    ASSERT_TRUE(cause);
    EXPECT_NEAR(cause->change, 2, 0.2);
    const std::string sentence = analyze::ConclusionOf(report);
    EXPECT_TRUE(sentence.starts_with("request r3 takes ")) << sentence;
    EXPECT_NE(sentence.find("of it waits for expiry (futex), which runs"), std::string::npos)
        << sentence;
  }
}

TEST(RequestChangesTest, OthersMakeARequestSlowerWhereNothingElseDoes) {
  const DiffReport by_others = DiffOfTen(1, {.thread_us = 200, .cpu_us = 2000});
  EXPECT_TRUE(by_others.findings.empty());
  ASSERT_EQ(by_others.slower_by_others.size(), 1U);
  EXPECT_EQ(by_others.slower_by_others[0].name, "r3");
  // They delay it as well, and it would be slow without them.
  const DiffReport both = DiffOfTen(1, {.thread_us = 3100, .cpu_us = 2200});
  EXPECT_TRUE(both.slower_by_others.empty());
  ASSERT_NE(At(both, 1), nullptr);
  EXPECT_EQ(At(both, 1)->name, "r3");
}

TEST(RequestChangesTest, EqualRequestsGiveNoFinding) {
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    const DiffReport report = DiffOfTen(seed, {});
    for (const size_t number : report.findings) {
      EXPECT_FALSE(report.rows[number].request) << seed;
    }
  }
}

TEST(RequestChangesTest, PartsAreMeansOfCapturesAndRequests) {
  measure::RequestStats slow;
  measure::RequestStats fast;
  const PathPart runs{.kind = PartKind::kRunning, .is_own = true, .thread = "w"};
  for (int i = 0; i < 2; ++i) {
    fast.times.AddWhole({.begin = 0, .length = 1000 * kUs, .thread = 7, .cpu = 0});
    slow.times.AddWhole({.begin = 0, .length = 3000 * kUs, .thread = 7, .cpu = 0});
  }
  fast.parts[runs] = 2000 * kUs;
  slow.parts[runs] = 6000 * kUs;
  const RequestChange change = ChangeOf({"x", {&fast, nullptr, &slow, &slow}}, 2);
  ASSERT_EQ(change.parts.size(), 1U);
  EXPECT_DOUBLE_EQ(change.parts[0].base, 1);
  EXPECT_DOUBLE_EQ(change.parts[0].next, 3);
  EXPECT_DOUBLE_EQ(change.change(), 2);
  ASSERT_EQ(change.base_captures.size(), 2U);
  EXPECT_EQ(change.base_captures[0]->count, 2U);
  EXPECT_NEAR(*change.base_captures[0]->p50, 1000, 10);
  EXPECT_FALSE(change.base_captures[0]->p90) << "two requests have no p90";
  EXPECT_FALSE(change.base_captures[1]);
}

TEST(RequestChangesTest, AllPartsOfAThreadAreOneCause) {
  RequestChange change;
  const auto add = [&](PathPart part, double base, double next) {
    change.parts.push_back({std::move(part), base, next});
  };
  add({.kind = PartKind::kRunning, .is_own = true, .thread = "w"}, 1, 4);
  add({.kind = PartKind::kTimer, .thread = "expiry"}, 0, 2);
  add({.kind = PartKind::kRunning, .thread = "expiry"}, 0, 2.5);
  add({.kind = PartKind::kSleep, .is_own = true, .thread = "w"}, 3, 1);
  const auto longer = change.CauseOf(1);
  ASSERT_TRUE(longer);
  EXPECT_EQ(longer->part, 2U);
  EXPECT_DOUBLE_EQ(longer->change, 4.5);
  EXPECT_EQ(change.CauseOf(-1)->part, 3U);
  EXPECT_EQ(analyze::PartWords(change.parts[1].part),
            "waits for expiry, which sleeps until a timer");
}

TEST(RequestChangesTest, WaitsForACpuInSomeRequestsAreNoCauseOfTheMedian) {
  RequestChange change;
  const measure::PathPart runs{.kind = PartKind::kRunning, .is_own = true, .thread = "w"};
  const measure::PathPart waits{
      .kind = PartKind::kRunnable, .is_own = true, .thread = "w", .waited_for = "cc1plus"};
  change.parts = {{.part = waits, .base = 0.1, .next = 2.4},
                  {.part = runs, .base = 1.2, .next = 2.5}};
  EXPECT_EQ(change.CauseOf(1)->part, 0U);
  EXPECT_EQ(change.CauseOf(1, 1.3)->part, 1U);
  // The wait explains this median, and running does not explain that one.
  EXPECT_EQ(change.CauseOf(1, 3.5)->part, 0U);
  change.parts[1].next = 1.5;
  EXPECT_EQ(change.CauseOf(1, 1.3)->part, 0U);
}

TEST(RequestChangesTest, PatternsMatchTheNamesAlone) {
  EXPECT_EQ(analyze::SpanPatternOf("GET /user/#?q=[a]"), "GET /user/*\\?q=\\[a]");
}

}  // namespace
}  // namespace comparison
