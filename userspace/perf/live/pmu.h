// SPDX-License-Identifier: BSD-2-Clause
// The CPU's performance monitoring units as described by sysfs, with their branch records.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace perf {

struct Pmu {
  std::string name;   // "cpu"; on a hybrid machine "cpu_core" and "cpu_atom"
  uint32_t type = 0;  // perf_event_attr.type
  // Its CPUs; empty: all.
  std::vector<unsigned> cpus;
  // Entries of its branch stack (caps/branches); empty: unknown.
  std::optional<unsigned> branch_depth;
  // AMD Zen 3: branch sampling (BRS) needs its own event.
  bool needs_brs_event = false;
  // The CPU has several PMUs, so the upper half of config must select one (PERF_PMU_TYPE_SHIFT).
  bool hybrid = false;
};

// The PMUs of a machine, from sysfs and procfs below `root` ("" for this one).
struct PmuSurvey {
  std::vector<Pmu> pmus;  // the core PMUs; none in most virtual machines
  std::vector<unsigned> online_cpus;
  bool virtual_machine = false;  // CPUID has the hypervisor bit
  std::optional<int> paranoid;   // kernel.perf_event_paranoid
  // The PMU's online CPUs.
  std::vector<unsigned> OnlineCpusOf(const Pmu& pmu) const;
};

PmuSurvey SurveyPmus(const std::string& root = "");

}  // namespace perf
