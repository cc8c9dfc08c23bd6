// SPDX-License-Identifier: BSD-2-Clause
// Which of the settings that differ explains a finding.
#pragma once

#include <cstddef>
#include <vector>

#include "compare/diff_report.h"

namespace comparison {

// Positions in `report.settings` of those that act on what the row measures: the affinity of a
// thread that waits for a CPU, the limit of a cgroup that is throttled, the scheduler of a disk.
// They are of the group's process, of its cgroups and the machine, and for waits for a CPU of the
// process that had it. What a process runs (its command line, environment, builds) explains no kind
// of change, and is in none.
std::vector<size_t> ExplainingSettings(const DiffReport& report, const ComparisonRow& row);

// Whether a setting of the group's process, or of its thread, of cgroups or the machine acts on
// what the metric measures.
bool ActsOnMetric(const SettingDifference& setting, Metric metric, const measure::GroupName& group);

}  // namespace comparison
