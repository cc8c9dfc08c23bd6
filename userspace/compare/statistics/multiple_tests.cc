// SPDX-License-Identifier: BSD-2-Clause
#include "compare/statistics/multiple_tests.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace comparison {

double Simes(std::span<const double> p) {
  const std::vector<double> rates = FalseDiscoveryRates(p);
  return rates.empty() ? 1 : *std::min_element(rates.begin(), rates.end());
}

std::vector<double> FalseDiscoveryRates(std::span<const double> p) {
  std::vector<size_t> order(p.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return p[a] < p[b]; });
  std::vector<double> rates(p.size());
  double least = 1;
  for (size_t i = order.size(); i-- > 0;) {
    const double scaled = p[order[i]] * static_cast<double>(p.size()) / static_cast<double>(i + 1);
    least = std::min(least, scaled);
    rates[order[i]] = least;
  }
  return rates;
}

}  // namespace comparison
