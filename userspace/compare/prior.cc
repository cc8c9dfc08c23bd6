// SPDX-License-Identifier: BSD-2-Clause
#include "compare/prior.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "compare/values/frame.h"
#include "compare/values/observation.h"

namespace comparison {
namespace {

constexpr double kDegrees = 6;
// Captures of other days differ more than those of a quiet hour.
constexpr double kLeastNoise = 0.03;

double MedianOf(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

Priors::Priors() {
  for (size_t i = 0; i < kStatistics; ++i) {
    const double noise = InfoOf(static_cast<Statistic>(i)).noise;
    by_statistic_[i] = {noise * noise, kDegrees};
  }
}

Priors Priors::Of(Captures noise) {
  Priors priors;
  const Groups groups(noise, noise.size());
  const Frame frame = FrameOf(noise);
  std::array<std::vector<double>, kStatistics> seen;
  for (const SharedGroup& group : groups.all()) {
    const SleepThresholds thresholds = SleepThresholdsOf(groups, group, frame);
    for (size_t i = 0; i < kStatistics; ++i) {
      const auto statistic = static_cast<Statistic>(i);
      const StatisticInfo& info = InfoOf(statistic);
      std::vector<double> logs;
      double sum = 0;
      for (const auto& seen_in : Observe(groups, group, statistic, thresholds, frame)) {
        if (!seen_in) continue;
        logs.push_back(std::log(seen_in->tested[0] + info.floor));
        sum += seen_in->tested[0];
      }
      // Next to nothing does not vary.
      if (logs.size() < 3 || sum < info.floor * static_cast<double>(logs.size())) continue;
      const Spread spread = SpreadOf(logs, {}, {});
      seen[i].push_back(spread.variance);
      priors.by_group_[{group.name, statistic}] = spread;
    }
  }
  for (size_t i = 0; i < kStatistics; ++i) {
    if (seen[i].size() < 3) continue;
    // The median of variances with few degrees of freedom lies below their mean.
    const double variance = MedianOf(std::move(seen[i])) * 1.2;
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
