// SPDX-License-Identifier: BSD-2-Clause
// How much captures of the same thing differ.
#pragma once

#include <array>
#include <map>
#include <string>
#include <utility>

#include "compare/statistics/moderated_test.h"
#include "compare/values/groups.h"
#include "compare/values/metric.h"

namespace comparison {

// Fewer captures of the same thing do not say how much they differ.
inline constexpr size_t kLeastNoiseCaptures = 3;

class Priors {
 public:
  // What is known without having seen anything.
  Priors();
  // What captures of one and the same thing show, kLeastNoiseCaptures or more of them.
  static Priors Of(Captures noise);

  // Of the logarithm of a statistic of a group.
  Prior Of(const measure::GroupName& group, Statistic statistic) const;

 private:
  std::array<Prior, kStatistics> by_statistic_;
  std::map<std::pair<measure::GroupName, Statistic>, Spread> by_group_;
};

}  // namespace comparison
