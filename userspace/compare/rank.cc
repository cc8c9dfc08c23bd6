// SPDX-License-Identifier: BSD-2-Clause
#include "compare/rank.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

namespace comparison {
namespace {

bool IsBad(const Row& row) {
  return row.verdict == Verdict::kWorse || row.verdict == Verdict::kNew;
}

// The cause of the cause, and how many steps it is away. Circles end where they began.
std::pair<size_t, size_t> RootOf(const std::vector<Row>& rows, size_t number) {
  size_t steps = 0;
  size_t at = number;
  while (rows[at].caused_by && steps < rows.size()) {
    at = *rows[at].caused_by;
    ++steps;
    if (at == number) return {number, 0};
  }
  if (steps == rows.size()) return {number, 0};
  return {at, steps};
}

}  // namespace

std::vector<size_t> RankOf(const std::vector<Row>& rows) {
  std::vector<size_t> order;
  std::map<size_t, std::pair<size_t, size_t>> roots;
  // A cause ranks by the largest change that goes back to it, and as bad as what it caused.
  std::map<size_t, double> weights;
  std::map<size_t, bool> bad;
  for (size_t number = 0; number < rows.size(); ++number) {
    if (!IsFinding(rows[number].verdict) || rows[number].folded_under) continue;
    order.push_back(number);
    roots[number] = RootOf(rows, number);
    bad[roots[number].first] |= IsBad(rows[number]);
    double& weight = weights[roots[number].first];
    weight = std::max(weight, rows[number].weight);
  }
  const auto key = [&](size_t number) {
    const Row& row = rows[number];
    const auto& [root, steps] = roots.at(number);
    return std::tuple(!bad.at(root), !row.group.has_value(), -weights.at(root), root, steps,
                      -row.weight, -std::abs(row.change), row.p, number);
  };
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return key(a) < key(b); });
  return order;
}

}  // namespace comparison
