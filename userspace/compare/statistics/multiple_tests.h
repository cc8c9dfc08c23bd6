// SPDX-License-Identifier: BSD-2-Clause
// What many tests at once leave of their p-values.
#pragma once

#include <span>
#include <vector>

namespace comparison {

// The p-value of "none of them has changed", for p-values that are independent or rise and fall
// together (Simes): the least of p(i) * n / i over the ascending p(i), never more than Bonferroni's
// n * p(1). 1 without any.
double Simes(std::span<const double> p);

// For each p-value the least false discovery rate at which it counts as a discovery (Benjamini and
// Hochberg), in the order of `p`.
std::vector<double> FalseDiscoveryRates(std::span<const double> p);

}  // namespace comparison
