// SPDX-License-Identifier: BSD-2-Clause
// Prior variances of statistics between captures of the same program.
#pragma once

#include <array>
#include <map>
#include <string>
#include <utility>

#include "compare/statistics/moderated_test.h"
#include "compare/values/comparability.h"
#include "compare/values/groups.h"
#include "compare/values/metric.h"

namespace comparison {

class VariancePriors {
 public:
  // Those of the table of statistics.
  VariancePriors();
  // Estimated from captures of the same program, kConfirmed or more.
  static VariancePriors Of(Captures noise);

  // For the logarithm of a statistic of a group.
  VariancePrior Of(const measure::GroupName& group, Statistic statistic) const;

 private:
  std::array<VariancePrior, kStatistics> by_statistic_;
  std::map<std::pair<measure::GroupName, Statistic>, SampleVariance> by_group_;
};

}  // namespace comparison
