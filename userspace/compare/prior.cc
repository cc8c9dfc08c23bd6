// SPDX-License-Identifier: BSD-2-Clause
#include "compare/prior.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "compare/values/frame.h"
#include "compare/values/observation.h"

namespace comparison {
namespace {

constexpr double kPriorDegrees = 6;
// Captures of other days differ more than those of a quiet hour.
constexpr double kLeastNoise = 0.03;
// Of a statistic that fewer groups have, it is not known how much it differs in general.
constexpr size_t kLeastNoiseGroups = 3;
// The median of variances with few degrees of freedom lies below their mean.
constexpr double kMeanOfMedian = 1.2;

double MedianOf(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// Of what was seen in each capture; nothing where there is next to nothing, which does not vary.
std::optional<Spread> SpreadOfSeen(const Observations& captures, double floor) {
  std::vector<double> logs;
  double sum = 0;
  for (const auto& seen_in : captures) {
    if (!seen_in) continue;
    logs.push_back(std::log(seen_in->tested[0] + floor));
    sum += seen_in->tested[0];
  }
  if (logs.size() < kLeastNoiseCaptures || sum < floor * static_cast<double>(logs.size())) {
    return std::nullopt;
  }
  return SpreadOf(logs, {}, {});
}

}  // namespace

Priors::Priors() {
  for (size_t i = 0; i < kStatistics; ++i) {
    const double noise = InfoOf(static_cast<Statistic>(i)).noise;
    by_statistic_[i] = {noise * noise, kPriorDegrees};
  }
}

Priors Priors::Of(Captures noise) {
  Priors priors;
  const Groups groups(noise, noise.size());
  const Frame frame = FrameOf(noise);
  std::array<std::vector<double>, kStatistics> seen;
  const auto note = [&](Statistic statistic, const Observations& captures) {
    const auto spread = SpreadOfSeen(captures, InfoOf(statistic).floor);
    if (spread) seen[static_cast<size_t>(statistic)].push_back(spread->variance);
    return spread;
  };
  for (const SharedGroup& group : groups.all()) {
    const SleepThresholds thresholds = SleepThresholdsOf(groups, group, frame);
    for (size_t i = 0; i < kStatistics; ++i) {
      const auto statistic = static_cast<Statistic>(i);
      const auto spread = note(statistic, Observe(groups, group, statistic, thresholds, frame));
      if (spread) priors.by_group_[{group.name, statistic}] = *spread;
    }
    std::set<std::string> calls;
    for (size_t i = 0; i < noise.size(); ++i) {
      const measure::Group* part = group.In(noise, i);
      if (part == nullptr) continue;
      for (const auto& [call, times] : part->syscalls) calls.insert(call);
    }
    for (const std::string& call : calls) {
      note(Statistic::kSyscallRate, ObserveSyscall(groups, group, call, frame));
    }
  }
  std::set<std::string> handlers;
  for (const measure::Capture* capture : noise) {
    for (const auto& [name, times] : capture->handlers) handlers.insert(name);
  }
  for (const std::string& name : handlers) {
    note(name.starts_with("softirq") ? Statistic::kSoftirqRate : Statistic::kIrqRate,
         ObserveHandler(noise, name, frame));
  }
  // There is one command.
  const auto elapsed = note(Statistic::kElapsedTime, ObserveElapsed(noise));
  if (elapsed) priors.by_group_[{measure::GroupName{}, Statistic::kElapsedTime}] = *elapsed;
  for (size_t i = 0; i < kStatistics; ++i) {
    if (seen[i].size() < kLeastNoiseGroups) continue;
    const double variance = MedianOf(std::move(seen[i])) * kMeanOfMedian;
    priors.by_statistic_[i].variance = std::max(variance, kLeastNoise * kLeastNoise);
  }
  return priors;
}

Prior Priors::Of(const measure::GroupName& group, Statistic statistic) const {
  Prior prior = by_statistic_[static_cast<size_t>(statistic)];
  const auto own = by_group_.find({group, statistic});
  if (own == by_group_.end()) return prior;
  const Spread& spread = own->second;
  const double degrees = prior.degrees + spread.degrees;
  prior.variance = (prior.variance * prior.degrees + spread.variance * spread.degrees) / degrees;
  prior.degrees = degrees;
  return prior;
}

}  // namespace comparison
