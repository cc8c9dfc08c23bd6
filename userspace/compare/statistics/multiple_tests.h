// SPDX-License-Identifier: BSD-2-Clause
// Corrections of p-values for multiple tests.
#pragma once

#include <span>
#include <vector>

namespace comparison {

// Simes' p-value of the hypothesis that none of them changed, for independent or positively
// dependent tests: the least of p(i) * n / i over the ascending p(i). It is never above
// Bonferroni's n * p(1). 1 without tests.
double Simes(std::span<const double> p);

// Benjamini and Hochberg: for each p-value the least false discovery rate at which it is a
// discovery, in the order of `p`.
std::vector<double> FalseDiscoveryRates(std::span<const double> p);

}  // namespace comparison
