// SPDX-License-Identifier: BSD-2-Clause
#include "compare/row_tests.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

#include "compare/compare.h"
#include "compare/sides.h"
#include "compare/statistics/multiple_tests.h"

namespace comparison {
namespace {

// How sure of the noise that is expected, in degrees of freedom: of work, which differs from
// program to program, less so than of waits.
constexpr double kNoiseDegrees = 4;
constexpr double kWaitNoiseDegrees = 8;
// Some captures in a row that are all alike do not say that the next ones will be: less than this
// part of the variance that is expected is never believed.
constexpr double kLeastVariance = 0.15;
// Pairs from which on waits are compared in turns. What a program does varies with the speed of the
// machine, which drifts, and both of a pair have that in common; waits vary from moment to moment,
// and with pairs half of the degrees of freedom are gone.
constexpr size_t kLeastWaitPairs = 4;
// A statistic may be so many times as noisy in the other groups as expected (its variance), a group
// so many times as noisy as others; or as quiet.
constexpr double kQuietest = 0.25;
constexpr double kNoisiestStatistic = 4;
constexpr double kNoisiestGroup = 16;
// A mean of a handful of events is a value of nothing: so many per second there have to be.
constexpr double kLeastEvents = 3;
constexpr double kLeastWakeups = 50;  // of CPU time per wakeup

// Whether a metric is of what a thread does, and not of how it waits. The first varies with the
// program, the second with the load of the machine as well.
bool IsWork(Metric metric) {
  return metric == Metric::kCpuTime || metric == Metric::kSwitches || metric == Metric::kWakeups ||
         metric == Metric::kForks || metric == Metric::kSyscallTime;
}

bool IsRunnable(Metric metric) {
  return metric == Metric::kWakeupLatency || metric == Metric::kPreemptedWait;
}

struct Tested {
  const Seen* seen = nullptr;
  Side base;
  Side next;
  Prior prior;
  double least_variance = 0;
  Pairs pairs;  // if every capture has a value
  bool enough = false;
  Comparison shown;
  double p = 1;
  double change = 0;
  bool passes_gate = false;
};

Tested Prepare(const Seen& seen, const measure::GroupName& group, size_t bases, const Pairs& pairs,
               const Priors& priors) {
  const size_t captures = seen.captures.size();
  Tested tested;
  tested.seen = &seen;
  std::tie(tested.base, tested.next) = SidesOf(seen.statistic, seen.captures, bases);
  const size_t before = tested.base.shown.size();
  const size_t after = tested.next.shown.size();
  const StatisticInfo& info = InfoOf(seen.statistic);
  tested.enough = before > 0 && after > 0 && before >= std::min(bases, kConfirmed) &&
                  after >= std::min(captures - bases, kConfirmed) &&
                  LargestOf(info, tested.base, tested.next) >= info.gate;
  if (IsMean(info.statistic)) {
    const bool by_wakeup = info.statistic == Statistic::kCpuPerWakeup;
    const double least = by_wakeup ? kLeastWakeups : kLeastEvents;
    tested.enough = tested.enough && std::min(tested.base.events, tested.next.events) >= least;
  }
  const bool in_turns = IsWork(info.metric) || pairs.size() >= kLeastWaitPairs;
  if (in_turns && before == bases && after == captures - bases) tested.pairs = pairs;
  tested.prior = priors.Of(group, seen.statistic);
  tested.prior.variance *= (tested.base.damp + tested.next.damp) / 2;
  tested.prior.variance += (tested.base.chance + tested.next.chance) / 2;
  tested.least_variance = kLeastVariance * tested.prior.variance;
  return tested;
}

// What is seen of the noise of a statistic, as the logarithm of a multiple of what was expected;
// without degrees of freedom where there is too little of it. Of logarithms, for one metric that is
// very noisy does not speak for the others.
Spread NoiseRatio(const Tested& test) {
  // Next to nothing of it varies where somebody sleeps nearly all of the time, which says nothing
  // of those who do not.
  if (!test.enough || test.seen->statistic == Statistic::kSleepExcessMost) return {};
  const Spread spread = SpreadOf(test.base.tested[0], test.next.tested[0], test.pairs);
  if (spread.degrees <= 0) return {};
  return {MeanLogRatio(spread, test.prior.variance), spread.degrees};
}

// How much noisier than expected a group is, from all of its metrics of a kind that can be
// findings.
double NoiseOf(const std::vector<Tested>& tests, bool work) {
  struct Sum {
    double ratio = 0;
    double degrees = 0;
    double count = 0;
  };
  std::map<Metric, Sum> by_metric;
  for (const Tested& test : tests) {
    const Metric metric = InfoOf(test.seen->statistic).metric;
    if (IsPart(metric) || IsWork(metric) != work) continue;
    const Spread ratio = NoiseRatio(test);
    if (ratio.degrees <= 0) continue;
    Sum& sum = by_metric[metric];
    sum.ratio += ratio.variance;
    sum.degrees += ratio.degrees;
    sum.count += 1;
  }
  double degrees = work ? kNoiseDegrees : kWaitNoiseDegrees;
  double sum = 0;
  for (const auto& [metric, ratio] : by_metric) {
    // The statistics of a metric say the same, more or less.
    sum += ratio.ratio * ratio.degrees / (ratio.count * ratio.count);
    degrees += ratio.degrees / ratio.count;
  }
  return std::clamp(std::exp(sum / degrees), kQuietest, kNoisiestGroup);
}

void Test(Tested& test, double noise) {
  const StatisticInfo& info = InfoOf(test.seen->statistic);
  Prior prior = test.prior;
  prior.variance = std::max(prior.variance * noise, test.least_variance);
  const double effect = std::log(kLeastChange);
  test.shown = CompareModerated(test.base.shown, test.next.shown, test.pairs, prior, effect);
  // The least change is as much smaller as the noise is with what was added to the values.
  const double tested_effect = effect * std::sqrt((test.base.damp + test.next.damp) / 2);
  // Where there are two ways to look at it, both have to have changed, the same way.
  test.p = 0;
  for (size_t t = 0; t < 2; ++t) {
    if (t > 0 && (test.base.tested[t].size() != test.base.shown.size() ||
                  test.next.tested[t].size() != test.next.shown.size())) {
      continue;
    }
    const Comparison part = CompareModerated(test.base.tested[t], test.next.tested[t], test.pairs,
                                             prior, tested_effect);
    const bool same = part.difference * test.shown.difference > 0;
    test.p = std::max(test.p, same ? part.p : 1);
  }
  test.change = ChangeOf(info, test.base, test.next);
  test.passes_gate = std::abs(test.change) >= info.gate && test.change * test.shown.difference > 0;
  if (IsRunnable(info.metric)) {
    // Half of a change or more that came with other work of the machine is none of the group's.
    const double foreign = ForeignChange(test.base, test.next);
    if (foreign * test.change > 0 && std::abs(foreign) >= std::abs(test.change) * kExplained) {
      test.p = 1;
      test.passes_gate = false;
    }
  }
}

Estimate EstimateOf(const Side& side, const Comparison& comparison, double floor) {
  Comparison alone = comparison;
  alone.difference = std::log(side.value + floor);
  alone.error = std::sqrt(comparison.variance / static_cast<double>(side.shown.size()));
  return {side.value, std::max(0.0, std::exp(alone.Low(0.95)) - floor),
          std::exp(alone.High(0.95)) - floor};
}

// Whether it can be said that nothing changed by the least change, or nothing that matters.
bool IsKnown(const Tested& test) {
  const StatisticInfo& info = InfoOf(test.seen->statistic);
  const double effect = std::log(kLeastChange);
  const double low = test.shown.Low(0.9);
  const double high = test.shown.High(0.9);
  if (low > -effect && high < effect) return true;
  if (IsMean(info.statistic) || info.metric == Metric::kElapsed) return false;
  const double value = test.base.value + info.floor;
  const double unit = info.cost > 0 ? info.cost / 1e3 : 1;
  return value * (std::exp(high) - 1) * unit < info.gate &&
         value * (1 - std::exp(low)) * unit < info.gate;
}

// What is in one row: the statistics of a metric, or of a call or handler by its name. New
// processes and new threads are two things.
using RowKey = std::tuple<Metric, std::string, Statistic>;
RowKey KeyOf(const Seen& seen) {
  const Metric metric = InfoOf(seen.statistic).metric;
  return {metric, seen.name, metric == Metric::kForks ? seen.statistic : Statistic{}};
}

// Whether it is of what sleeps are longer than a part of all: one of these holds another.
bool IsExcess(Statistic statistic) {
  return InfoOf(statistic).metric == Metric::kSleep && statistic != Statistic::kSleepForThreads;
}

// The change of the metric: of what sleeps are longer than some, the largest that is as sure as a
// finding has to be, for what stands out the most may be the least part of it.
double ExtentOf(const Tested& shown, const std::vector<const Tested*>& row_tests) {
  if (!IsExcess(shown.seen->statistic)) return shown.change;
  double extent = shown.change;
  for (const Tested* test : row_tests) {
    const bool sure = test->enough && test->passes_gate &&
                      test->p * static_cast<double>(row_tests.size()) <= kFalseDiscoveries;
    if (sure && IsExcess(test->seen->statistic) && test->change / extent > 1) extent = test->change;
  }
  return extent;
}

Row RowOf(const Tested& test, size_t bases) {
  const StatisticInfo& info = InfoOf(test.seen->statistic);
  Row row;
  row.metric = info.metric;
  row.statistic = info.statistic;
  row.name = test.seen->name;
  row.change = test.change;
  for (size_t i = 0; i < test.seen->captures.size(); ++i) {
    const auto& capture = test.seen->captures[i];
    (i < bases ? row.base_captures : row.next_captures)
        .push_back(capture ? std::optional(capture->value) : std::nullopt);
  }
  row.base = EstimateOf(test.base, test.shown, info.floor);
  row.next = EstimateOf(test.next, test.shown, info.floor);
  row.ratio = {std::exp(test.shown.difference), std::exp(test.shown.Low(0.95)),
               std::exp(test.shown.High(0.95))};
  return row;
}

}  // namespace

void NoiseScales::Add(const std::vector<Seen>& seen, const measure::GroupName& group, size_t bases,
                      const Pairs& pairs, const Priors& priors) {
  for (const Seen& statistic : seen) {
    const Spread ratio = NoiseRatio(Prepare(statistic, group, bases, pairs, priors));
    sums_[static_cast<size_t>(statistic.statistic)] += ratio.variance * ratio.degrees;
    degrees_[static_cast<size_t>(statistic.statistic)] += ratio.degrees;
  }
}

double NoiseScales::Of(Statistic statistic, const Spread& own) const {
  const double sum = sums_[static_cast<size_t>(statistic)] - own.variance * own.degrees;
  const double degrees = kNoiseDegrees + degrees_[static_cast<size_t>(statistic)] - own.degrees;
  return std::clamp(std::exp(sum / degrees), kQuietest, kNoisiestStatistic);
}

RowTests TestRows(const std::vector<Seen>& seen, const measure::GroupName& group, size_t bases,
                  const Pairs& pairs, const Priors& priors, const NoiseScales& scales) {
  std::vector<Tested> tests;
  double half = 1;
  for (const Seen& statistic : seen) {
    Tested test = Prepare(statistic, group, bases, pairs, priors);
    // Of those two it is the same noise.
    const bool most = statistic.statistic == Statistic::kSleepExcessMost;
    const double scale = most ? half : scales.Of(statistic.statistic, NoiseRatio(test));
    if (statistic.statistic == Statistic::kSleepExcessHalf) half = scale;
    test.prior.variance *= scale;
    tests.push_back(std::move(test));
  }
  const double noise[] = {NoiseOf(tests, false), NoiseOf(tests, true)};
  RowTests result;
  std::map<RowKey, std::vector<const Tested*>> by_row;
  std::vector<double> forks_p;
  for (Tested& test : tests) {
    if (test.base.shown.empty() || test.next.shown.empty()) continue;
    Test(test, noise[IsWork(InfoOf(test.seen->statistic).metric)]);
    result.change[static_cast<size_t>(test.seen->statistic)] = test.shown.difference;
    by_row[KeyOf(*test.seen)].push_back(&test);
    const bool forks = InfoOf(test.seen->statistic).metric == Metric::kForks;
    if (forks && test.enough) forks_p.push_back(test.p);
  }
  std::map<Metric, double> by_metric;
  for (const auto& [key, row_tests] : by_row) {
    const Metric metric = std::get<Metric>(key);
    std::vector<double> p;
    const Tested* best = nullptr;
    bool known = true;
    for (const Tested* test : row_tests) {
      if (!test->enough) continue;
      p.push_back(test->p);
      known = known && IsKnown(*test);
      // What passes the gate before what does not, the first one of equals.
      if (best == nullptr ||
          std::pair(!test->passes_gate, test->p) < std::pair(!best->passes_gate, best->p)) {
        best = test;
      }
    }
    // One metric in two rows.
    if (metric == Metric::kForks) p = forks_p;
    const Tested& shown = best != nullptr ? *best : *row_tests.front();
    Row row = RowOf(shown, bases);
    row.change = ExtentOf(shown, row_tests);
    const auto names = static_cast<double>(shown.seen->names);
    row.p = best == nullptr     ? 1
            : best->passes_gate ? std::min(1.0, std::max(best->p, Simes(p)) * names)
                                : 1;
    row.verdict = best == nullptr || known ? Verdict::kUnchanged : Verdict::kCannotTell;
    if (best != nullptr && !IsPart(metric)) {
      const double whole = std::min(1.0, Simes(p) * names);
      const auto [at, added] = by_metric.try_emplace(metric, whole);
      if (!added) at->second = std::min(at->second, whole);
    }
    result.rows.push_back(std::move(row));
  }
  std::vector<double> p;
  for (const auto& [metric, value] : by_metric) p.push_back(value);
  result.p = Simes(p);
  return result;
}

}  // namespace comparison
