// SPDX-License-Identifier: BSD-2-Clause
#include "compare/variance_priors.h"

#include <algorithm>
#include <boost/math/distributions/chi_squared.hpp>
#include <cmath>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "compare/values/normalization.h"
#include "compare/values/observation.h"
#include "compare/values/requests.h"

namespace comparison {
namespace {

// The mean of variances with as many degrees of freedom, from their median, which a few programs
// that vary much do not change.
double MeanOfVariances(std::vector<double> values, double degrees) {
  const auto middle = values.begin() + static_cast<ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  const boost::math::chi_squared_distribution<double> distribution(degrees);
  return *middle * degrees / boost::math::median(distribution);
}

// The variance of the logarithm. Nothing for values below the floor: next to nothing does not vary.
std::optional<SampleVariance> VarianceOfLogs(const Observations& captures, double floor) {
  std::vector<double> logs;
  double sum = 0;
  for (const auto& capture : captures) {
    if (!capture) continue;
    logs.push_back(std::log(capture->tested[0] + floor));
    sum += capture->tested[0];
  }
  if (logs.size() < kConfirmed || sum < floor * static_cast<double>(logs.size())) {
    return std::nullopt;
  }
  return PooledVariance(logs, {}, {});
}

}  // namespace

VariancePriors::VariancePriors() {
  for (size_t i = 0; i < kStatistics; ++i) {
    const double noise = InfoOf(static_cast<Statistic>(i)).noise;
    by_statistic_[i] = {noise * noise, kPriorDegrees};
  }
}

VariancePriors VariancePriors::Of(Captures noise) {
  VariancePriors priors;
  const Groups groups(noise, noise.size());
  const Normalization normalization = NormalizationOf(noise);
  std::array<std::vector<double>, kStatistics> variances;
  const auto add = [&](Statistic statistic, const Observations& captures) {
    const auto variance = VarianceOfLogs(captures, InfoOf(statistic).floor);
    if (variance) variances[static_cast<size_t>(statistic)].push_back(variance->variance);
    return variance;
  };
  for (const SharedGroup& group : groups.all()) {
    const SleepThresholds thresholds = SleepThresholdsOf(groups, group, normalization);
    for (size_t i = 0; i < kStatistics; ++i) {
      const auto statistic = static_cast<Statistic>(i);
      const auto variance =
          add(statistic, Observe(groups, group, statistic, thresholds, normalization));
      if (variance) priors.by_group_[{group.name, statistic}] = *variance;
    }
    std::set<std::string> calls;
    for (size_t i = 0; i < noise.size(); ++i) {
      const measure::Group* part = group.In(noise, i);
      if (part == nullptr) continue;
      for (const auto& [call, times] : part->syscalls) calls.insert(call);
    }
    for (const std::string& call : calls) {
      add(Statistic::kSyscallRate, ObserveSyscall(groups, group, call, normalization));
    }
  }
  std::set<std::string> handlers;
  for (const measure::Capture* capture : noise) {
    for (const auto& [name, times] : capture->handlers) handlers.insert(name);
  }
  for (const std::string& name : handlers) {
    add(name.starts_with("softirq") ? Statistic::kSoftirqRate : Statistic::kIrqRate,
        ObserveHandler(noise, name, normalization));
  }
  const SharedRequests requests(noise, noise.size());
  for (const SharedRequest& request : requests.all()) {
    for (const StatisticInfo& info : StatisticsOf(Metric::kRequest)) {
      const auto variance =
          add(info.statistic, ObserveRequests(request.times(), info.statistic, normalization));
      if (variance) priors.by_group_[{{"", request.name}, info.statistic}] = *variance;
    }
  }
  const auto elapsed = add(Statistic::kElapsedTime, ObserveElapsed(noise));
  if (elapsed) priors.by_group_[{measure::GroupName{}, Statistic::kElapsedTime}] = *elapsed;
  for (size_t i = 0; i < kStatistics; ++i) {
    if (variances[i].size() < kConfirmed) continue;
    // Captures of different days differ more than those of a quiet hour.
    double& prior = priors.by_statistic_[i].variance;
    prior =
        std::max(MeanOfVariances(std::move(variances[i]), static_cast<double>(noise.size()) - 1),
                 prior / (kNoisiest * kNoisiest));
  }
  return priors;
}

VariancePrior VariancePriors::Of(const measure::GroupName& group, Statistic statistic) const {
  VariancePrior prior = by_statistic_[static_cast<size_t>(statistic)];
  const auto own = by_group_.find({group, statistic});
  if (own == by_group_.end()) return prior;
  const SampleVariance& sample = own->second;
  const double degrees = prior.degrees + sample.degrees;
  prior.variance = (prior.variance * prior.degrees + sample.variance * sample.degrees) / degrees;
  prior.degrees = degrees;
  return prior;
}

}  // namespace comparison
