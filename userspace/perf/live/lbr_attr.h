// SPDX-License-Identifier: BSD-2-Clause
// The perf_event_attr that asks a CPU for branch stacks, and the parts of it that an older kernel
// or another CPU may refuse.
#pragma once

#include <string>
#include <vector>

#include "perf/live/lbr_options.h"
#include "perf/live/perf_syscalls.h"
#include "perf/live/pmu.h"
#include "perf/record/perf_abi.h"
#include "util/result.h"

namespace perf {

// What can be done without, and the kernel that brought it.
enum class OptionalFeature : uint8_t {
  kBranchType,       // PERF_SAMPLE_BRANCH_TYPE_SAVE, Linux 4.14
  kHardwareIndex,    // PERF_SAMPLE_BRANCH_HW_INDEX, 5.7
  kMappingBuildIds,  // attr.build_id, 5.12
  kLostCount,        // PERF_FORMAT_LOST, 6.0
  kPrivilege,        // PERF_SAMPLE_BRANCH_PRIV_SAVE, 6.1
  kPreciseIp,        // attr.precise_ip: not on every CPU, and on AMD another unit than the branches
};
inline constexpr OptionalFeature kAllOptionalFeatures[] = {
    OptionalFeature::kBranchType,      OptionalFeature::kHardwareIndex,
    OptionalFeature::kMappingBuildIds, OptionalFeature::kLostCount,
    OptionalFeature::kPrivilege,       OptionalFeature::kPreciseIp};
const char* NameOf(OptionalFeature feature);

// Everything but optional features. Times are CLOCK_MONOTONIC, the only clock besides
// CLOCK_MONOTONIC_RAW that the kernel can read in the NMI of a hardware event. The event counts
// CPU cycles (retired taken branches where the CPU's branch sampling works with these alone) and is
// created disabled. Samples carry IP, TID, TIME, CPU, PERIOD and BRANCH_STACK; mappings and losses
// are reported with the same trailer. Wakes its reader when a quarter of the ring is full.
perf_event_attr MakeLbrAttr(const Pmu& pmu, const LbrOptions& options);

// Stands in for the hardware event where there is none, to drive everything else: the CPU clock,
// with the same fields but for the branch stack.
perf_event_attr MakeStandInAttr(const LbrOptions& options);

void AddFeature(OptionalFeature feature, perf_event_attr* attr);
bool HasFeature(OptionalFeature feature, const perf_event_attr& attr);

// The attr with as many optional features as the kernel takes on `cpu`.
struct AcceptedAttr {
  perf_event_attr attr{};
  std::vector<OptionalFeature> refused;
};

// Asks the kernel. Everything at once first; if that is refused, the attr alone, and then one
// feature after the other. Returns the errno that the attr alone gave when it cannot be had at all.
struct LadderResult {
  int error = 0;  // errno; 0: `accepted` holds
  AcceptedAttr accepted;
};
LadderResult FindAcceptedAttr(PerfSyscalls& kernel, const perf_event_attr& base, int cpu);

}  // namespace perf
