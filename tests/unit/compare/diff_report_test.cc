// SPDX-License-Identifier: BSD-2-Clause
#include "compare/diff_report.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "compare/compare.h"
#include "unit/measure/random_capture.h"

namespace comparison {
namespace {

using measure::Capture;

void ExpectFinite(const ComparisonRow& row, uint64_t seed) {
  for (const Estimate* estimate : {&row.base, &row.next, &row.ratio}) {
    for (const double value : {estimate->value, estimate->low, estimate->high}) {
      EXPECT_TRUE(std::isfinite(value)) << seed << " " << IdOf(row.metric) << " " << value;
    }
  }
  for (const double value : {row.change, row.weight, row.p, row.q}) {
    EXPECT_TRUE(std::isfinite(value)) << seed << " " << IdOf(row.metric) << " " << value;
  }
  EXPECT_GE(row.q, 0);
  EXPECT_LE(row.q, 1);
}

// Damaged summaries contain any value. The report has finite numbers for them.
TEST(DiffReportTest, HasFiniteNumbersForAnyCaptures) {
  for (uint64_t seed = 0; seed < 150; ++seed) {
    std::mt19937_64 random(seed);
    DiffInput input;
    for (auto* side : {&input.base, &input.next}) {
      for (size_t i = 0; i < 1 + seed % 4; ++i) {
        Capture capture = measure::testing::RandomCapture(seed * 10 + random() % 3);
        capture.trigger.clear();
        if (seed % 3 == 0) capture.elapsed_ns = random() % 2;
        for (measure::Group& group : capture.groups) {
          group.name.of_command = seed % 2 == 0;
          if (random() % 4 == 0) group.wakeups = UINT64_MAX;
          if (random() % 4 == 0) group.share_ns[random() % facts::kShares] = UINT64_MAX;
          if (random() % 4 == 0) group.threads = random() % 2 * UINT64_MAX;
        }
        if (random() % 4 == 0) capture.end = capture.begin + 1;
        capture.groups[0].of(measure::Duration::kSlice).AddWhole({0, 5, 1, 0});
        side->push_back(std::move(capture));
      }
    }
    const auto report = Compare(std::move(input));
    if (!report) continue;
    for (const ComparisonRow& row : report->rows) ExpectFinite(row, seed);
    for (const ComparisonRow& row : report->others) ExpectFinite(row, seed);
  }
}

TEST(DiffReportTest, IsWorseWithConfirmedFindingsOnly) {
  DiffReport report;
  report.rows.resize(2);
  report.rows[1].verdict = Verdict::kWorse;
  report.unconfirmed = {1};
  EXPECT_FALSE(report.worse());
  report.unconfirmed.clear();
  report.findings = {1};
  EXPECT_TRUE(report.worse());
  for (const Verdict verdict : {Verdict::kNew, Verdict::kMore, Verdict::kBetter}) {
    report.rows[1].verdict = verdict;
    EXPECT_FALSE(report.worse());
  }
}

}  // namespace
}  // namespace comparison
