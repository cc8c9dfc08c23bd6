// SPDX-License-Identifier: BSD-2-Clause
// Whether two sets of a few values differ by more than a least effect.
#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace comparison {

// Of at least one.
double MeanOf(std::span<const double> values);

// What is known of the variance of a value from capture to capture before it is looked at.
struct Prior {
  double variance = 0;
  double degrees = 0;  // of freedom: as many as the values that it would take to know so much
};

// The variance within both sides together, and its degrees of freedom.
struct Spread {
  double variance = 0;
  double degrees = 0;
};

// Pairs of positions in both sides that were recorded one after the other; empty: no pairs.
using Pairs = std::vector<std::pair<size_t, size_t>>;

// Within the sides; of pairs half the variance of their differences, which is the same thing when
// they do not hang together.
Spread SpreadOf(std::span<const double> base, std::span<const double> next, const Pairs& pairs);

// The logarithm of how many times `variance` a spread is, without what chance takes from it on the
// average when there are few degrees of freedom; between -5 and 5. Not of a spread without any.
double MeanLogRatio(const Spread& spread, double variance);

struct Comparison {
  double difference = 0;  // mean of `next` less mean of `base`
  double error = 0;       // standard error of it
  double degrees = 0;
  double variance = 0;  // of one value, moderated
  double p = 1;         // of a difference that is `effect` at most, either way
  // Where the difference is with `confidence`.
  double Low(double confidence) const;
  double High(double confidence) const;
};

// Moderated t-test against a least effect (Smyth's t, McCarthy and Smyth's TREAT): the spread of
// the values and the prior are averaged by their degrees of freedom. Neither side is empty; pairs
// are of all values of both. With a value a side there is nothing but the prior.
Comparison CompareModerated(std::span<const double> base, std::span<const double> next,
                            const Pairs& pairs, const Prior& prior, double effect);

}  // namespace comparison
