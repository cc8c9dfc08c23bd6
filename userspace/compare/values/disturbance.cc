// SPDX-License-Identifier: BSD-2-Clause
#include "compare/values/disturbance.h"

#include <algorithm>

#include "compare/values/metric.h"

namespace comparison {
namespace {

double MedianOf(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<ptrdiff_t>((values.size() - 1) / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

double CpuShareOf(const measure::Group* part, const measure::Capture& capture) {
  const double all =
      static_cast<double>(capture.length()) * static_cast<double>(capture.by_cpu.size());
  if (part == nullptr || all <= 0) return 0;
  return static_cast<double>(part->of(facts::Share::kRunning)) / all;
}

}  // namespace

std::vector<Disturbance> DisturbedCaptures(const Groups& groups,
                                           const std::vector<bool>& in_scope) {
  const Captures captures = groups.captures();
  const auto is_other = [&](size_t g) { return !in_scope[g] && !groups.all()[g].of_recorder; };
  const auto share_of = [&](size_t g, size_t capture) {
    return CpuShareOf(groups.all()[g].In(captures, capture), *captures[capture]);
  };
  std::vector<double> shares(captures.size());
  for (size_t g = 0; g < groups.all().size(); ++g) {
    if (!is_other(g)) continue;
    for (size_t i = 0; i < captures.size(); ++i) shares[i] += share_of(g, i);
  }
  std::vector<Disturbance> found;
  const auto add_side = [&](size_t first, size_t last) {
    if (first == last) return;
    const double usual = MedianOf({shares.begin() + static_cast<ptrdiff_t>(first),
                                   shares.begin() + static_cast<ptrdiff_t>(last)});
    for (size_t i = first; i < last; ++i) {
      if (shares[i] < usual + kExplained) continue;
      Disturbance disturbance{.capture = i, .share = shares[i], .usual = usual, .group = {}};
      double most = 0;
      for (size_t g = 0; g < groups.all().size(); ++g) {
        if (!is_other(g)) continue;
        std::vector<double> of_side;
        for (size_t other = first; other < last; ++other) of_side.push_back(share_of(g, other));
        const double more = share_of(g, i) - MedianOf(of_side);
        if (more <= most) continue;
        most = more;
        disturbance.group = g;
      }
      found.push_back(disturbance);
    }
  };
  add_side(0, groups.bases());
  add_side(groups.bases(), captures.size());
  return found;
}

}  // namespace comparison
