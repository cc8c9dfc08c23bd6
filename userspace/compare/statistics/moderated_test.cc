// SPDX-License-Identifier: BSD-2-Clause
#include "compare/statistics/moderated_test.h"

#include <algorithm>
#include <boost/math/special_functions/digamma.hpp>
#include <cmath>
#include <limits>
#include <numeric>

#include "compare/statistics/student_t.h"

namespace comparison {
namespace {

// Values that are all alike, or nearly so, do not say that nothing ever varies.
constexpr double kMostLogRatio = 5;

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

Spread SpreadOf(std::span<const double> base, std::span<const double> next, const Pairs& pairs) {
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

double MeanLogRatio(const Spread& spread, double variance) {
  const double half = spread.degrees / 2;
  const double bias = boost::math::digamma(half) - std::log(half);
  return std::clamp(std::log(spread.variance / variance) - bias, -kMostLogRatio, kMostLogRatio);
}

double Comparison::Low(double confidence) const {
  return difference - StudentQuantile((1 - confidence) / 2, degrees) * error;
}

double Comparison::High(double confidence) const {
  return difference + StudentQuantile((1 - confidence) / 2, degrees) * error;
}

Comparison CompareModerated(std::span<const double> base, std::span<const double> next,
                            const Pairs& pairs, const Prior& prior, double effect) {
  const Spread spread = SpreadOf(base, next, pairs);
  Comparison result;
  result.difference = MeanOf(next) - MeanOf(base);
  result.degrees = prior.degrees + spread.degrees;
  result.variance =
      (prior.degrees * prior.variance + spread.degrees * spread.variance) / result.degrees;
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

}  // namespace comparison
