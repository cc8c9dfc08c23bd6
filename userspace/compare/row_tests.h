// SPDX-License-Identifier: BSD-2-Clause
// Tests the statistics of one group, and makes a row of each metric.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "compare/change_rules.h"
#include "compare/diff_report.h"
#include "compare/statistics/moderated_test.h"
#include "compare/values/observation.h"
#include "compare/variance_priors.h"

namespace comparison {

// The observations of a statistic of a group.
struct StatisticSample {
  Statistic statistic;
  std::string name;  // of the system call or handler
  Observations captures;
  size_t names = 1;  // names under which the metric is tested
};

// Scales the expected variances of statistics by what all groups show.
class NoiseScales {
 public:
  // Adds the samples of a group. `bases` and `pairs` as for TestRows.
  void Add(const std::vector<StatisticSample>& samples, const measure::GroupName& group,
           size_t bases, const Pairs& pairs, const VariancePriors& priors);
  // The scale from all groups but the one that was added with the logarithm of the ratio and the
  // degrees of freedom in `own`: its own noise must not count twice. 1 without other groups.
  double Of(Statistic statistic, const SampleVariance& own) const;

 private:
  std::array<double, kStatistics> sums_{};
  std::array<double, kStatistics> degrees_{};
};

struct RowTests {
  std::vector<ComparisonRow> rows;  // without verdicts
  // Logarithm of new to base of each statistic; 0 for those without values.
  std::array<double, kStatistics> log_ratio{};
  // Of the hypothesis that no metric of the group changed.
  double p = 1;
  // How long answers take, where that passes its gate. Its p is of their mean and median alone, by
  // Simes.
  std::optional<ComparisonRow> answers;
  // Waits for a CPU that became longer, with their p, where other work of the machine explains it.
  std::vector<ComparisonRow> by_others;
};

// The first `bases` captures are the base. `pairs` are positions in both sides (moderated_test.h).
RowTests TestRows(const std::vector<StatisticSample>& samples, const measure::GroupName& group,
                  size_t bases, const Pairs& pairs, const VariancePriors& priors,
                  const NoiseScales& scales = {});

}  // namespace comparison
