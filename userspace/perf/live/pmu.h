// SPDX-License-Identifier: BSD-2-Clause
// The CPU's performance monitoring units, as sysfs describes them, and what it says of their branch
// records.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace perf {

struct Pmu {
  std::string name;   // "cpu"; on a hybrid machine "cpu_core" and "cpu_atom"
  uint32_t type = 0;  // for perf_event_attr.type
  // CPUs it stands for; empty: all.
  std::vector<unsigned> cpus;
  // Entries of its branch stack (caps/branches); empty: sysfs does not say.
  std::optional<unsigned> branch_depth;
  // AMD Zen 3: branch sampling (BRS) that works with its own event only.
  bool needs_brs_event = false;
  // The upper half of config has to name the PMU (PERF_PMU_TYPE_SHIFT): it is one of several.
  bool hybrid = false;
};

// What the sysfs and procfs of a machine say, below `root` ("" for this one).
struct PmuSurvey {
  std::vector<Pmu> pmus;  // those of the CPU; none in most virtual machines
  std::vector<unsigned> online_cpus;
  bool virtual_machine = false;  // the CPU says that it is a hypervisor's
  std::optional<int> paranoid;   // kernel.perf_event_paranoid
  // CPUs the PMU stands for that are online.
  std::vector<unsigned> OnlineCpusOf(const Pmu& pmu) const;
};

PmuSurvey SurveyPmus(const std::string& root = "");

}  // namespace perf
