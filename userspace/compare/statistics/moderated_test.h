// SPDX-License-Identifier: BSD-2-Clause
// A moderated t-test: whether two small samples differ by more than a least effect.
#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace comparison {

// Of at least one value.
double MeanOf(std::span<const double> values);

// The prior distribution of a variance (empirical Bayes).
struct VariancePrior {
  double variance = 0;
  double degrees = 0;  // of freedom: its weight beside the sample
};

// The weight of what is expected beside what is measured, in degrees of freedom: of a prior
// variance, and of the noise that is usual.
inline constexpr double kPriorDegrees = 6;
// The limit of the ratio of a variance to the expected one, and one by it. A few equal captures do
// not prove that the next ones are equal, and one noisy metric does not make all others noisy.
inline constexpr double kNoisiest = 6;

// A sample variance and its degrees of freedom.
struct SampleVariance {
  double variance = 0;
  double degrees = 0;
};

// Pairs of positions in both sides that were recorded one after the other; empty: no pairs.
using Pairs = std::vector<std::pair<size_t, size_t>>;

// The pooled variance of both samples. For pairs it is half the variance of their differences,
// which is the same for uncorrelated pairs.
SampleVariance PooledVariance(std::span<const double> base, std::span<const double> next,
                              const Pairs& pairs);

// The logarithm of the ratio of a sample variance to `variance`, corrected for its bias at few
// degrees of freedom, between that of the square of kNoisiest and of one by it. Needs degrees above
// 0.
double LogVarianceRatio(const SampleVariance& sample, double variance);

struct Comparison {
  double difference = 0;  // mean of `next` less mean of `base`
  double error = 0;       // standard error of it
  double degrees = 0;
  double variance = 0;  // of one value, moderated
  double p = 1;         // of a difference of at most `effect` in either direction
  // Bounds of the confidence interval of the difference.
  double Low(double confidence) const;
  double High(double confidence) const;
};

// Smyth's moderated t with a least effect (McCarthy and Smyth's TREAT): the variance is the mean of
// the sample's and the prior's, weighted by degrees of freedom. Neither sample is empty. Pairs
// contain all values of both.
Comparison CompareModerated(std::span<const double> base, std::span<const double> next,
                            const Pairs& pairs, const VariancePrior& prior, double effect);

// Student's t distribution with `degrees` of freedom, above 0: the probability of a value above
// `t`, which may be infinite, and the value that is exceeded with probability `tail` (0 to 1,
// exclusive).
double StudentTail(double t, double degrees);
double StudentQuantile(double tail, double degrees);

}  // namespace comparison
