// SPDX-License-Identifier: BSD-2-Clause
#include "compare/row_tests.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

#include "compare/compare.h"
#include "compare/side_summary.h"
#include "compare/statistics/multiple_tests.h"

namespace comparison {
namespace {

// Pairs that a paired test of waits needs. Work varies with the speed of the machine, which drifts
// slowly, so that pairs share it. Waits vary from moment to moment, and pairs cost them half of the
// degrees of freedom.
constexpr size_t kLeastWaitPairs = 4;
// Wakeups per second that CPU time per wakeup needs.
constexpr double kLeastWakeups = 50;

// Whether a metric measures what a thread does, and not how it waits. Work varies with the program,
// waits with the load of the machine as well.
bool IsWork(Metric metric) {
  return metric == Metric::kCpuTime || metric == Metric::kSwitches || metric == Metric::kWakeups ||
         metric == Metric::kForks || metric == Metric::kSyscallTime;
}

bool IsRunnable(Metric metric) {
  return metric == Metric::kWakeupLatency || metric == Metric::kPreemptedWait;
}

// The test of one statistic.
struct StatisticTest {
  const StatisticSample* sample = nullptr;
  SideSummary base;
  SideSummary next;
  VariancePrior prior;
  double least_variance = 0;
  Pairs pairs;          // if every capture has a value
  bool enough = false;  // there are enough captures and events
  bool steady = true;   // the events are many enough to estimate the noise of other groups by
  Comparison shown;
  double p = 1;
  double change = 0;
  bool passes_gate = false;
  double by_others_p = 1;  // of a change that other work of the machine explains
};

StatisticTest Prepare(const StatisticSample& sample, const measure::GroupName& group, size_t bases,
                      const Pairs& pairs, const VariancePriors& priors) {
  const size_t captures = sample.captures.size();
  StatisticTest test;
  test.sample = &sample;
  std::tie(test.base, test.next) = SummarizeSides(sample.statistic, sample.captures, bases);
  const size_t before = test.base.shown.size();
  const size_t after = test.next.shown.size();
  const StatisticInfo& info = InfoOf(sample.statistic);
  test.enough = before > 0 && after > 0 && before >= std::min(bases, kConfirmed) &&
                after >= std::min(captures - bases, kConfirmed) &&
                LargestChange(info, test.base, test.next) >= info.gate;
  if (test.enough && IsMean(info.statistic) && info.metric != Metric::kRequest) {
    const double least =
        info.statistic == Statistic::kCpuPerWakeup ? kLeastWakeups : kLeastPerSecond;
    const auto events = [](const SideSummary& side) {
      if (const auto* answers = std::get_if<AnswerDetail>(&side.detail)) return answers->events;
      const auto* mean = std::get_if<MeanDetail>(&side.detail);
      return mean == nullptr ? 0 : mean->events;
    };
    test.enough = std::min(events(test.base), events(test.next)) >= least;
  }
  // Of a few sleeps, how long each of them is is chance.
  const auto sleeps = [](const SideSummary& side) -> std::optional<double> {
    if (const auto* longer = std::get_if<LongSleepDetail>(&side.detail)) return longer->often;
    if (const auto* locks = std::get_if<LockDetail>(&side.detail)) return locks->sleeps;
    return std::nullopt;
  };
  if (test.enough && sleeps(test.base)) {
    test.enough = std::max(*sleeps(test.base), sleeps(test.next).value_or(0)) >= kLeastPerSecond;
    const auto* of_base = std::get_if<LongSleepDetail>(&test.base.detail);
    const auto* of_next = std::get_if<LongSleepDetail>(&test.next.detail);
    test.steady = of_base == nullptr || of_next == nullptr ||
                  std::max(of_base->wakeups, of_next->wakeups) >= kLeastPerSecond;
  }
  const bool in_pairs = IsWork(info.metric) || pairs.size() >= kLeastWaitPairs;
  if (in_pairs && before == bases && after == captures - bases) test.pairs = pairs;
  test.prior = priors.Of(group, sample.statistic);
  test.prior.variance *= (test.base.damping + test.next.damping) / 2;
  test.prior.variance += (test.base.sampling_variance + test.next.sampling_variance) / 2;
  test.least_variance = test.prior.variance / kNoisiest;
  return test;
}

// The logarithm of the sample variance in parts of the expected one; no degrees of freedom without
// enough values. One very noisy metric must not dominate others, hence logarithms.
SampleVariance LogNoise(const StatisticTest& test) {
  // Excess above a quarter of the sleeps hardly varies in a group that sleeps nearly all of the
  // time. Other groups cannot be judged by it.
  const bool is_most = test.sample->statistic == Statistic::kSleepExcessP25;
  if (!test.enough || !test.steady || is_most) return {};
  const SampleVariance variance =
      PooledVariance(test.base.tested[0], test.next.tested[0], test.pairs);
  if (variance.degrees <= 0) return {};
  return {LogVarianceRatio(variance, test.prior.variance), variance.degrees};
}

// The noise of a group in parts of the expected one, from its metrics of work or of waits.
double NoiseOf(const std::vector<StatisticTest>& tests, bool work) {
  struct Sum {
    double ratio = 0;
    double degrees = 0;
    double count = 0;
  };
  std::map<Metric, Sum> by_metric;
  for (const StatisticTest& test : tests) {
    const Metric metric = InfoOf(test.sample->statistic).metric;
    if (IsPart(metric) || IsWork(metric) != work) continue;
    const SampleVariance ratio = LogNoise(test);
    if (ratio.degrees <= 0) continue;
    Sum& sum = by_metric[metric];
    sum.ratio += ratio.variance;
    sum.degrees += ratio.degrees;
    sum.count += 1;
  }
  double degrees = kPriorDegrees;
  double sum = 0;
  for (const auto& [metric, ratio] : by_metric) {
    // The statistics of a metric are correlated: they count as one.
    sum += ratio.ratio * ratio.degrees / (ratio.count * ratio.count);
    degrees += ratio.degrees / ratio.count;
  }
  return std::clamp(std::exp(sum / degrees), 1 / kNoisiest, kNoisiest * kNoisiest);
}

void RunTest(StatisticTest& test, double noise) {
  const StatisticInfo& info = InfoOf(test.sample->statistic);
  VariancePrior prior = test.prior;
  prior.variance = std::max(prior.variance * noise, test.least_variance);
  const double effect = std::log(kLeastChange);
  test.shown = CompareModerated(test.base.shown, test.next.shown, test.pairs, prior, effect);
  // The floor damps the least change as it damps the noise.
  const double tested_effect = effect * std::sqrt((test.base.damping + test.next.damping) / 2);
  // Of two tests both have to find a change, in the same direction.
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
    // Other work of the machine explains the change.
    const double out_of_scope = OutOfScopeChange(test.base, test.next);
    if (out_of_scope * test.change > 0 &&
        std::abs(out_of_scope) >= std::abs(test.change) * kExplained) {
      // The other statistics are without waits for groups out of scope.
      const bool with_all = info.statistic != Statistic::kLatencyRunnable &&
                            info.statistic != Statistic::kPreemptedRunnable;
      // A group that is new is no slower: no threads are beside it in the base, but for rounding.
      const bool was_there = test.base.out_of_scope.threads > 1e-9;
      if (test.enough && test.passes_gate && test.change > 0 && with_all && was_there) {
        test.by_others_p = test.p;
      }
      test.p = 1;
      test.passes_gate = false;
    }
  }
}

Estimate EstimateOf(const SideSummary& side, const Comparison& comparison, double floor) {
  Comparison alone = comparison;
  alone.difference = std::log(side.value + floor);
  alone.error = std::sqrt(comparison.variance / static_cast<double>(side.shown.size()));
  return {side.value, std::max(0.0, std::exp(alone.Low(0.95)) - floor),
          std::exp(alone.High(0.95)) - floor};
}

// Whether the interval excludes the least change, or any change that passes the gate.
bool IsDecided(const StatisticTest& test) {
  const StatisticInfo& info = InfoOf(test.sample->statistic);
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

// A row has the statistics of a metric, or of a call or handler by name. New processes and new
// threads are two rows.
using RowKey = std::tuple<Metric, std::string, Statistic>;
RowKey KeyOf(const StatisticSample& sample) {
  const Metric metric = InfoOf(sample.statistic).metric;
  return {metric, sample.name, metric == Metric::kForks ? sample.statistic : Statistic{}};
}

// Whether it measures sleeps by what they were for, or what ended them.
bool IsByPurpose(Statistic statistic) {
  return InfoOf(statistic).metric == Metric::kSleep && !IsExcess(statistic);
}

// True if the change is significant although `statistics` statistics were tested.
bool IsSure(const StatisticTest& test, size_t statistics) {
  return test.enough && test.passes_gate &&
         test.p * static_cast<double>(statistics) <= kFalseDiscoveries;
}

// The change of the metric. For long sleeps it is the largest significant change: the most
// significant statistic may contain only a small part of it.
double ExtentOf(const StatisticTest& shown, const std::vector<const StatisticTest*>& row_tests) {
  if (!IsExcess(shown.sample->statistic)) return shown.change;
  double extent = shown.change;
  for (const StatisticTest* test : row_tests) {
    if (IsSure(*test, row_tests.size()) && IsExcess(test->sample->statistic) &&
        test->change / extent > 1) {
      extent = test->change;
    }
  }
  return extent;
}

ComparisonRow RowOf(const StatisticTest& test, size_t bases) {
  const StatisticInfo& info = InfoOf(test.sample->statistic);
  ComparisonRow row;
  row.metric = info.metric;
  row.statistic = info.statistic;
  row.name = test.sample->name;
  row.change = test.change;
  for (size_t i = 0; i < test.sample->captures.size(); ++i) {
    const auto& capture = test.sample->captures[i];
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

void NoiseScales::Add(const std::vector<StatisticSample>& samples, const measure::GroupName& group,
                      size_t bases, const Pairs& pairs, const VariancePriors& priors) {
  for (const StatisticSample& sample : samples) {
    const SampleVariance ratio = LogNoise(Prepare(sample, group, bases, pairs, priors));
    sums_[static_cast<size_t>(sample.statistic)] += ratio.variance * ratio.degrees;
    degrees_[static_cast<size_t>(sample.statistic)] += ratio.degrees;
  }
}

double NoiseScales::Of(Statistic statistic, const SampleVariance& own) const {
  const double sum = sums_[static_cast<size_t>(statistic)] - own.variance * own.degrees;
  const double degrees = kPriorDegrees + degrees_[static_cast<size_t>(statistic)] - own.degrees;
  return std::clamp(std::exp(sum / degrees), 1 / kNoisiest, kNoisiest);
}

RowTests TestRows(const std::vector<StatisticSample>& samples, const measure::GroupName& group,
                  size_t bases, const Pairs& pairs, const VariancePriors& priors,
                  const NoiseScales& scales) {
  std::vector<StatisticTest> tests;
  double scale_of_p50 = 1;
  for (const StatisticSample& sample : samples) {
    StatisticTest test = Prepare(sample, group, bases, pairs, priors);
    // Excess above the 25th percentile has the noise of that above the median.
    const double scale = sample.statistic == Statistic::kSleepExcessP25
                             ? scale_of_p50
                             : scales.Of(sample.statistic, LogNoise(test));
    if (sample.statistic == Statistic::kSleepExcessP50) scale_of_p50 = scale;
    test.prior.variance *= scale;
    tests.push_back(std::move(test));
  }
  const double noise[] = {NoiseOf(tests, false), NoiseOf(tests, true)};
  RowTests result;
  std::map<RowKey, std::vector<const StatisticTest*>> by_row;
  std::vector<double> forks_p;
  for (StatisticTest& test : tests) {
    if (test.base.shown.empty() || test.next.shown.empty()) continue;
    RunTest(test, noise[IsWork(InfoOf(test.sample->statistic).metric)]);
    result.log_ratio[static_cast<size_t>(test.sample->statistic)] = test.shown.difference;
    by_row[KeyOf(*test.sample)].push_back(&test);
    const bool forks = InfoOf(test.sample->statistic).metric == Metric::kForks;
    if (forks && test.enough) forks_p.push_back(test.p);
  }
  std::map<Metric, double> by_metric;
  for (const auto& [key, row_tests] : by_row) {
    const Metric metric = std::get<Metric>(key);
    std::vector<double> p;
    std::vector<double> answers_p;
    const StatisticTest* best = nullptr;
    const StatisticTest* answers = nullptr;
    bool decided = true;
    for (const StatisticTest* test : row_tests) {
      if (!test->enough) continue;
      p.push_back(test->p);
      if (IsAnswers(test->sample->statistic)) {
        answers_p.push_back(test->p);
        const bool better = answers == nullptr || test->p < answers->p;
        if (test->passes_gate && better) answers = test;
      }
      decided = decided && IsDecided(*test);
      // A statistic that passes the gate goes before others, the first of equals before the rest.
      if (best == nullptr ||
          std::pair(!test->passes_gate, test->p) < std::pair(!best->passes_gate, best->p)) {
        best = test;
      }
    }
    if (answers != nullptr) {
      result.answers = RowOf(*answers, bases);
      result.answers->p = std::max(answers->p, Simes(answers_p));
    }
    // Of sleeps by what they were for, each of which changed for sure: what takes longest. They say
    // more than all sleeps, of most of which they are.
    const StatisticTest* purpose = nullptr;
    if (best != nullptr && metric == Metric::kSleep && best->change > 0) {
      const double least = IsByPurpose(best->sample->statistic) ? 1 : kExplained;
      for (const StatisticTest* test : row_tests) {
        if (IsByPurpose(test->sample->statistic) && IsSure(*test, row_tests.size()) &&
            test->change > best->change * least &&
            (purpose == nullptr || test->change > purpose->change)) {
          purpose = test;
        }
      }
    }
    const auto others = std::min_element(row_tests.begin(), row_tests.end(),
                                         [](const StatisticTest* a, const StatisticTest* b) {
                                           return a->by_others_p < b->by_others_p;
                                         });
    if ((*others)->by_others_p < 1) {
      ComparisonRow row = RowOf(**others, bases);
      row.p = (*others)->by_others_p;
      row.verdict = Verdict::kOthers;
      result.by_others.push_back(std::move(row));
    }
    // Both rows of forks are one metric.
    if (metric == Metric::kForks) p = forks_p;
    const StatisticTest& shown = purpose != nullptr ? *purpose
                                 : best != nullptr  ? *best
                                                    : *row_tests.front();
    ComparisonRow row = RowOf(shown, bases);
    row.change = ExtentOf(shown, row_tests);
    const auto names = static_cast<double>(shown.sample->names);
    row.p = best == nullptr     ? 1
            : best->passes_gate ? std::min(1.0, std::max(best->p, Simes(p)) * names)
                                : 1;
    row.verdict = best == nullptr || decided ? Verdict::kUnchanged : Verdict::kCannotTell;
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
