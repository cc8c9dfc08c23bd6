// SPDX-License-Identifier: BSD-2-Clause
// The tests of one group: a row for each metric of it.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "compare/changes.h"
#include "compare/diff_report.h"
#include "compare/prior.h"
#include "compare/statistics/moderated_test.h"
#include "compare/values/observation.h"

namespace comparison {

// Captures a side from which on a finding is confirmed.
inline constexpr size_t kConfirmed = 3;

// A statistic of a metric, and what was seen of it.
struct Seen {
  Statistic statistic;
  std::string name;  // of the system call or handler
  Observations captures;
  // How often this metric is looked at under other names.
  size_t names = 1;
};

// How much noisier than expected the captures are, by statistic, from all groups together.
class NoiseScales {
 public:
  // Counts in the statistics of a group. `bases` and `pairs` as for TestRows.
  void Add(const std::vector<Seen>& seen, const measure::GroupName& group, size_t bases,
           const Pairs& pairs, const Priors& priors);
  // That of all groups but one, which counted with the ratio and degrees of freedom of `own`, so
  // that nobody is judged twice by the same luck. 1 where nothing is known.
  double Of(Statistic statistic, const Spread& own) const;

 private:
  std::array<double, kStatistics> sums_{};
  std::array<double, kStatistics> degrees_{};
};

struct RowTests {
  std::vector<Row> rows;  // without verdicts
  // Logarithm of new to base of each statistic that was tested, and of those that were not 0.
  std::array<double, kStatistics> change{};
  // Of the group as a whole: that none of its metrics changed.
  double p = 1;
};

// `bases` of the captures are the base. `pairs` as for CompareModerated, positions in the sides.
RowTests TestRows(const std::vector<Seen>& seen, const measure::GroupName& group, size_t bases,
                  const Pairs& pairs, const Priors& priors, const NoiseScales& scales = {});

}  // namespace comparison
