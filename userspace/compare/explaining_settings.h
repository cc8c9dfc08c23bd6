// SPDX-License-Identifier: BSD-2-Clause
// Which of the settings that differ explains a finding.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "compare/diff_report.h"

namespace comparison {

// Positions in `report.settings`. First those that act on what the row measures: the affinity of a
// thread that waits for a CPU, the limit of a cgroup that is throttled, the scheduler of a disk.
// They are of the group's process, of its cgroups and the machine, and for waits for a CPU of the
// process that had it. Where there is none, what the group's process runs: its command line,
// environment, or the build of its program and libraries.
std::vector<size_t> ExplainingSettings(const DiffReport& report, const ComparisonRow& row);

// Whether a setting of `process`, of cgroups or the machine acts on what the metric measures.
bool ActsOnMetric(const SettingDifference& setting, Metric metric, const std::string& process);

// Whether a setting says what a process runs.
bool IsOfProgram(const SettingDifference& setting);

}  // namespace comparison
