// SPDX-License-Identifier: BSD-2-Clause
#include "analyze/stack_diff/flame_sets.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <span>
#include <string>
#include <tuple>
#include <utility>

#include "compare/change_rules.h"
#include "compare/row_tests.h"
#include "compare/statistics/moderated_test.h"
#include "compare/statistics/multiple_tests.h"
#include "compare/values/metric.h"
#include "compare/variance_priors.h"
#include "measure/group_name.h"

namespace analyze {
namespace {

using comparison::Statistic;
using comparison::StatisticInfo;

// The variance of a sum of n lengths that vary as much as their mean is 2/n of its square, that of
// a count 1/n.
constexpr double kVarianceOfLengths = 2;
constexpr double kVarianceOfCounts = 1;

// A frame of the tree, or several with the same stacks.
struct FrameValues {
  std::vector<double> values;  // by capture, in the unit of the statistic
  std::vector<double> events;
};

// The statistic whose floor, gate and noise a kind of flame graphs has, and the factor from its
// weights: microseconds, samples at about 100 Hz, wakeups.
struct Unit {
  Statistic statistic;
  double factor;
  double gate;  // in the unit
  double variance_of_events;
};
Unit UnitOfKind(FlameKind kind) {
  switch (kind) {
    case FlameKind::kOff:
      return {Statistic::kSleepExcessP50, 1e-3, 5, kVarianceOfLengths};
    case FlameKind::kOn:
      return {Statistic::kCpuRate, 10, 2, kVarianceOfCounts};
    case FlameKind::kWake:
      return {Statistic::kWakeupRate, 1, 10, kVarianceOfCounts};
  }
  return {};
}

double MeanOf(std::span<const double> values) { return comparison::MeanOf(values); }

struct Test {
  std::vector<double> base;  // logarithms
  std::vector<double> next;
  double sampling_variance = 0;
  double damping = 1;
  comparison::SampleVariance variance;
};

class Tester {
 public:
  explicit Tester(const FlameSets& sets)
      : sets_(sets), unit_(UnitOfKind(sets.kind)), info_(comparison::InfoOf(unit_.statistic)) {}

  // Rates of false discoveries by position in `frames`.
  std::vector<double> Rates(const std::vector<FrameValues>& frames) const {
    std::vector<std::pair<size_t, Test>> tests;
    double sum = 0;
    double degrees = comparison::kPriorDegrees;
    for (size_t i = 0; i < frames.size(); ++i) {
      if (!IsEnough(frames[i])) continue;
      Test test = Prepare(frames[i]);
      if (test.variance.degrees > 0) {
        const double expected = Expected(test, 1);
        sum += comparison::LogVarianceRatio(test.variance, expected) * test.variance.degrees;
        degrees += test.variance.degrees;
      }
      tests.emplace_back(i, std::move(test));
    }
    const double scale = std::clamp(std::exp(sum / degrees), 1 / comparison::kNoisiest,
                                    comparison::kNoisiest * comparison::kNoisiest);
    std::vector<double> p;
    for (const auto& [frame, test] : tests) p.push_back(PValue(test, scale));
    const std::vector<double> found = comparison::FalseDiscoveryRates(p);
    std::vector<double> rates(frames.size(), 1);
    for (size_t i = 0; i < tests.size(); ++i) rates[tests[i].first] = found[i];
    return rates;
  }

 private:
  auto Base(const std::vector<double>& of) const { return std::span(of).first(sets_.bases); }
  auto Next(const std::vector<double>& of) const { return std::span(of).subspan(sets_.bases); }

  // The change passes the gate, and there are enough events.
  bool IsEnough(const FrameValues& frame) const {
    const double base = MeanOf(Base(frame.values));
    const double next = MeanOf(Next(frame.values));
    const double events = base > next ? MeanOf(Base(frame.events)) : MeanOf(Next(frame.events));
    return std::abs(next - base) >= unit_.gate && events >= kLeastOccurrences;
  }

  Test Prepare(const FrameValues& frame) const {
    const double floor = info_.floor + (comparison::kLeastChange - 1) * MeanOf(frame.values);
    Test test;
    double damping = 0;
    for (size_t i = 0; i < frame.values.size(); ++i) {
      const double value = frame.values[i];
      (i < sets_.bases ? test.base : test.next).push_back(std::log(value + floor));
      const double damped = value / (value + floor);
      damping += damped * damped;
      if (frame.events[i] > 0) {
        test.sampling_variance += unit_.variance_of_events / frame.events[i] * damped * damped;
      }
    }
    const auto count = static_cast<double>(frame.values.size());
    test.damping = damping / count;
    test.sampling_variance /= count;
    test.variance = comparison::PooledVariance(test.base, test.next, {});
    return test;
  }

  double Expected(const Test& test, double scale) const {
    return info_.noise * info_.noise * test.damping * scale + test.sampling_variance;
  }

  double PValue(const Test& test, double scale) const {
    const double expected = Expected(test, scale);
    comparison::VariancePrior prior{expected, comparison::kPriorDegrees};
    prior.variance = std::max(prior.variance, expected / comparison::kNoisiest);
    const double effect = std::log(comparison::kLeastChange) * std::sqrt(test.damping);
    return comparison::CompareModerated(test.base, test.next, {}, prior, effect).p;
  }

  const FlameSets& sets_;
  Unit unit_;
  const StatisticInfo& info_;
};

// The frames of a tree in the order of a walk, each with the number of its values: those of one
// child alone have the values of their parent.
class Tree {
 public:
  Tree(const std::map<FoldedStack, FrameValues>& stacks, size_t captures) : captures_(captures) {
    Add(stacks.begin(), stacks.end(), 0, AddValues(stacks.begin(), stacks.end()));
  }
  const std::vector<size_t>& frames() const { return frames_; }
  const std::vector<FrameValues>& values() const { return values_; }

 private:
  using Iterator = std::map<FoldedStack, FrameValues>::const_iterator;

  // The frame that is shared by the first `depth` frames of the stacks, and those above it. `own`
  // is the number of its values. NOLINTNEXTLINE(misc-no-recursion): as deep as a stack
  void Add(Iterator begin, Iterator end, size_t depth, size_t own) {
    frames_.push_back(own);
    while (begin != end && begin->first.size() == depth) ++begin;
    for (auto at = begin; at != end;) {
      auto next = at;
      while (next != end && next->first[depth] == at->first[depth]) ++next;
      const bool is_same = at == begin && next == end && IsWhole(begin, end, own);
      Add(at, next, depth + 1, is_same ? own : AddValues(at, next));
      at = next;
    }
  }
  size_t AddValues(Iterator begin, Iterator end) {
    FrameValues sum{std::vector<double>(captures_), std::vector<double>(captures_)};
    for (auto at = begin; at != end; ++at) {
      for (size_t i = 0; i < captures_; ++i) {
        sum.values[i] += at->second.values[i];
        sum.events[i] += at->second.events[i];
      }
    }
    values_.push_back(std::move(sum));
    return values_.size() - 1;
  }
  // Whether these stacks have all of the values: no other stack ends at their common frame.
  bool IsWhole(Iterator begin, Iterator end, size_t values) const {
    for (size_t i = 0; i < captures_; ++i) {
      double events = 0;
      for (auto at = begin; at != end; ++at) events += at->second.events[i];
      if (events != values_[values].events[i]) return false;
    }
    return true;
  }

  size_t captures_;
  std::vector<size_t> frames_;
  std::vector<FrameValues> values_;
};

}  // namespace

FlameComparison CompareFlames(const FlameSets& sets) {
  FlameComparison result;
  const size_t count = sets.captures.size();
  const Unit unit = UnitOfKind(sets.kind);
  const double mean_seconds =
      std::accumulate(sets.seconds.begin(), sets.seconds.end(), 0.0) / static_cast<double>(count);
  std::map<FoldedStack, FrameValues> all;
  for (size_t i = 0; i < count; ++i) {
    const auto entry = [&](const FoldedStack& stack) -> FrameValues& {
      FrameValues& values = all[stack];
      values.values.resize(count);
      values.events.resize(count);
      return values;
    };
    const FlameCapture& capture = sets.captures[i];
    for (const auto& [stack, weight] : capture.stacks) {
      entry(stack).values[i] = static_cast<double>(weight) * unit.factor / sets.seconds[i];
    }
    for (const auto& [stack, events] : capture.events) {
      entry(stack).events[i] = static_cast<double>(events);
    }
  }
  const auto weight = [&](std::span<const double> values) {
    return static_cast<uint64_t>(std::llround(MeanOf(values) * mean_seconds / unit.factor));
  };
  for (auto at = all.begin(); at != all.end();) {
    const std::span values(at->second.values);
    const uint64_t base = weight(values.first(sets.bases));
    const uint64_t next = weight(values.subspan(sets.bases));
    if (base != 0) result.base[at->first] = base;
    if (next != 0) result.next[at->first] = next;
    at = base == 0 && next == 0 ? all.erase(at) : std::next(at);
  }
  const Tree tree(all, count);
  result.enough = std::min(sets.bases, count - sets.bases) >= comparison::kConfirmed;
  std::vector<double> rates(tree.values().size(), 1);
  if (result.enough) rates = Tester(sets).Rates(tree.values());
  for (const size_t values : tree.frames()) result.q.push_back(rates[values]);
  return result;
}

void MatchRenamed(FlameSets& sets, comparison::Captures captures) {
  comparison::Groups groups(captures, sets.bases);
  groups.MatchRenamed();
  using Names = std::pair<std::string, std::string>;
  std::map<Names, Names> renamed;
  for (const comparison::SharedGroup& group : groups.all()) {
    if (!group.former_name) continue;
    renamed[{group.former_name->process, group.former_name->thread}] = {group.name.process,
                                                                        group.name.thread};
  }
  if (renamed.empty()) return;
  const auto rename = [&](FoldedStacks& stacks) {
    FoldedStacks changed;
    while (!stacks.empty()) {
      auto node = stacks.extract(stacks.begin());
      FoldedStack& stack = node.key();
      if (stack.size() >= 2) {
        const auto found =
            renamed.find({measure::FoldDigits(stack[0]), measure::FoldDigits(stack[1])});
        if (found != renamed.end()) std::tie(stack[0], stack[1]) = found->second;
      }
      const uint64_t weight = node.mapped();
      const auto done = changed.insert(std::move(node));
      if (!done.inserted) done.position->second += weight;
    }
    stacks = std::move(changed);
  };
  for (size_t i = 0; i < sets.bases; ++i) {
    rename(sets.captures[i].stacks);
    rename(sets.captures[i].events);
  }
}

}  // namespace analyze
