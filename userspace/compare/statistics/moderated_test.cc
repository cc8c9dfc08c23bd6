// SPDX-License-Identifier: BSD-2-Clause
#include "compare/statistics/moderated_test.h"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <boost/math/special_functions/digamma.hpp>
#include <cmath>
#include <limits>
#include <numeric>

namespace comparison {
namespace {

double SquaresOf(std::span<const double> values) {
  const double mean = MeanOf(values);
  double sum = 0;
  for (const double value : values) sum += (value - mean) * (value - mean);
  return sum;
}

}  // namespace

double MeanOf(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

SampleVariance PooledVariance(std::span<const double> base, std::span<const double> next,
                              const Pairs& pairs) {
  double squares = 0;
  double degrees = 0;
  if (!pairs.empty()) {
    std::vector<double> differences;
    for (const auto& [b, n] : pairs) differences.push_back(next[n] - base[b]);
    squares = SquaresOf(differences) / 2;
    degrees = static_cast<double>(pairs.size()) - 1;
  } else {
    if (!base.empty()) squares += SquaresOf(base);
    if (!next.empty()) squares += SquaresOf(next);
    degrees = std::max(0.0, static_cast<double>(base.size()) - 1) +
              std::max(0.0, static_cast<double>(next.size()) - 1);
  }
  return {degrees > 0 ? squares / degrees : 0, degrees};
}

double LogVarianceRatio(const SampleVariance& sample, double variance) {
  const double half = sample.degrees / 2;
  const double bias = boost::math::digamma(half) - std::log(half);
  const double most = 2 * std::log(kNoisiest);
  return std::clamp(std::log(sample.variance / variance) - bias, -most, most);
}

double Comparison::Low(double confidence) const {
  return difference - StudentQuantile((1 - confidence) / 2, degrees) * error;
}

double Comparison::High(double confidence) const {
  return difference + StudentQuantile((1 - confidence) / 2, degrees) * error;
}

Comparison CompareModerated(std::span<const double> base, std::span<const double> next,
                            const Pairs& pairs, const VariancePrior& prior, double effect) {
  const SampleVariance sample = PooledVariance(base, next, pairs);
  Comparison result;
  result.difference = MeanOf(next) - MeanOf(base);
  result.degrees = prior.degrees + sample.degrees;
  result.variance =
      (prior.degrees * prior.variance + sample.degrees * sample.variance) / result.degrees;
  result.error = std::sqrt(result.variance * (1 / static_cast<double>(base.size()) +
                                              1 / static_cast<double>(next.size())));
  const double size = std::abs(result.difference);
  if (result.error <= 0) {
    result.p = size > effect ? 0 : 1;
    return result;
  }
  result.p = std::min(1.0, StudentTail((size - effect) / result.error, result.degrees) +
                               StudentTail((size + effect) / result.error, result.degrees));
  return result;
}

double StudentTail(double t, double degrees) {
  if (std::isinf(t)) return t > 0 ? 0.0 : 1.0;
  return boost::math::cdf(
      boost::math::complement(boost::math::students_t_distribution<double>(degrees), t));
}

double StudentQuantile(double tail, double degrees) {
  return boost::math::quantile(
      boost::math::complement(boost::math::students_t_distribution<double>(degrees), tail));
}

}  // namespace comparison
