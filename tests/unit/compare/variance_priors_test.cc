// SPDX-License-Identifier: BSD-2-Clause
#include "compare/variance_priors.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

namespace comparison {
namespace {

using measure::Capture;

// Factors between captures of the same program, and their variance as logarithms.
constexpr double kFactors[] = {1, 1.6, 0.7, 1.2};
// Of variances with three degrees of freedom: the median of chi-squared is 2.366.
constexpr double kMeanOfMedian = 3 / 2.366;
double VarianceOfFactors() {
  double sum = 0;
  double squares = 0;
  for (const double factor : kFactors) sum += std::log(factor);
  for (const double factor : kFactors) squares += std::pow(std::log(factor) - sum / 4, 2);
  return squares / 3;
}

measure::Distribution Times(double ms) {
  measure::Distribution times;
  for (int i = 0; i < 100; ++i) {
    times.AddWhole({.begin = 0, .length = static_cast<uint64_t>(ms * 1e4), .thread = 1, .cpu = 0});
  }
  return times;
}

// Captures of a second. `calls` system calls, `handlers` handlers and the command take a few
// hundred ms each, times a factor. The command has `groups` groups.
std::vector<Capture> Noise(int calls, int handlers, int groups, bool elapsed) {
  std::vector<Capture> captures;
  for (const double factor : kFactors) {
    Capture& capture = captures.emplace_back();
    capture.end = 1'000'000'000;
    if (elapsed) capture.elapsed_ns = static_cast<uint64_t>(factor * 4e9);
    for (int i = 0; i < handlers; ++i) {
      capture.handlers["irq " + std::string(1, static_cast<char>('a' + i))] = Times(factor * 300);
    }
    for (int i = 0; i < groups; ++i) {
      measure::Group& group = capture.groups.emplace_back();
      group.name.process = std::string(1, static_cast<char>('a' + i));
      group.threads = 1;
      group.share_ns[static_cast<size_t>(facts::Share::kRunning)] =
          static_cast<uint64_t>(factor * 4e8);
      for (int call = 0; i == 0 && call < calls; ++call) {
        group.syscalls[std::string(1, static_cast<char>('r' + call))] = Times(factor * 300);
      }
    }
  }
  return captures;
}

VariancePriors Of(const std::vector<Capture>& captures) {
  std::vector<const Capture*> pointers;
  for (const Capture& capture : captures) pointers.push_back(&capture);
  return VariancePriors::Of(pointers);
}

double UsualVariance(Statistic statistic) {
  return InfoOf(statistic).noise * InfoOf(statistic).noise;
}

TEST(VariancePriorsTest, DefaultIsTheTableOfStatistics) {
  const VariancePrior prior = VariancePriors().Of({}, Statistic::kElapsedTime);
  EXPECT_DOUBLE_EQ(prior.variance, UsualVariance(Statistic::kElapsedTime));
  EXPECT_EQ(prior.degrees, 6);
}

TEST(VariancePriorsTest, EstimatesStatisticsOfThreeGroups) {
  const double seen = VarianceOfFactors();
  const VariancePriors calls = Of(Noise(3, 0, 1, false));
  EXPECT_NEAR(calls.Of({"x", "x"}, Statistic::kSyscallRate).variance, kMeanOfMedian * seen,
              0.05 * seen);
  EXPECT_EQ(calls.Of({"x", "x"}, Statistic::kSyscallRate).degrees, 6);
  const VariancePriors handlers = Of(Noise(0, 3, 1, false));
  EXPECT_NEAR(handlers.Of({}, Statistic::kIrqRate).variance, kMeanOfMedian * seen, 0.05 * seen);
  EXPECT_EQ(handlers.Of({}, Statistic::kSoftirqRate).variance,
            UsualVariance(Statistic::kSoftirqRate));
  const VariancePriors groups = Of(Noise(0, 0, 3, false));
  EXPECT_NEAR(groups.Of({"x", "x"}, Statistic::kCpuRate).variance, kMeanOfMedian * seen,
              0.05 * seen);
}

TEST(VariancePriorsTest, KeepsTheDefaultForFewerGroups) {
  const VariancePriors few = Of(Noise(2, 2, 2, false));
  for (const Statistic statistic :
       {Statistic::kSyscallRate, Statistic::kIrqRate, Statistic::kCpuRate}) {
    EXPECT_EQ(few.Of({"x", "x"}, statistic).variance, UsualVariance(statistic));
  }
}

// The command has a variance of its own, as a group has.
TEST(VariancePriorsTest, AveragesAGroupWithTheEstimateOfAll) {
  const double seen = VarianceOfFactors();
  const VariancePriors priors = Of(Noise(0, 0, 1, true));
  const VariancePrior elapsed = priors.Of({}, Statistic::kElapsedTime);
  const double usual = UsualVariance(Statistic::kElapsedTime);
  EXPECT_EQ(elapsed.degrees, 9);
  EXPECT_NEAR(elapsed.variance, (6 * usual + 3 * seen) / 9, 0.02 * seen);
  const VariancePrior own = priors.Of({"a", ""}, Statistic::kCpuRate);
  EXPECT_EQ(own.degrees, 9);
  EXPECT_GT(own.variance, UsualVariance(Statistic::kCpuRate));
  EXPECT_EQ(priors.Of({"x", "x"}, Statistic::kCpuRate).degrees, 6);
}

TEST(VariancePriorsTest, IgnoresValuesBelowTheFloor) {
  std::vector<Capture> captures = Noise(3, 3, 3, false);
  for (Capture& capture : captures) {
    for (auto& [name, times] : capture.handlers) times = Times(0.1);
    for (auto& [name, times] : capture.groups[0].syscalls) times = Times(0.1);
  }
  const VariancePriors priors = Of(captures);
  EXPECT_EQ(priors.Of({}, Statistic::kIrqRate).variance, UsualVariance(Statistic::kIrqRate));
  EXPECT_EQ(priors.Of({}, Statistic::kSyscallRate).variance,
            UsualVariance(Statistic::kSyscallRate));
}

}  // namespace
}  // namespace comparison
