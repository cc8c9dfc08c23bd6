// SPDX-License-Identifier: BSD-2-Clause
// The perf_event_attr of branch stacks, and its features that older kernels or some CPUs refuse.
#pragma once

#include <string>
#include <vector>

#include "perf/live/lbr_options.h"
#include "perf/live/perf_syscalls.h"
#include "perf/live/pmu.h"
#include "perf/record/perf_abi.h"
#include "util/result.h"

namespace perf {

// The optional features, with the kernel that introduced each. attr.build_id is not one of them:
// see capture/mapped_build_ids.h.
enum class OptionalFeature : uint8_t {
  kBranchType,     // PERF_SAMPLE_BRANCH_TYPE_SAVE, Linux 4.14
  kHardwareIndex,  // PERF_SAMPLE_BRANCH_HW_INDEX, 5.7
  kLostCount,      // PERF_FORMAT_LOST, 6.0
  kPrivilege,      // PERF_SAMPLE_BRANCH_PRIV_SAVE, 6.1
  kPreciseIp,      // attr.precise_ip: unsupported on some CPUs, and on AMD a different unit
};
inline constexpr OptionalFeature kAllOptionalFeatures[] = {
    OptionalFeature::kBranchType, OptionalFeature::kHardwareIndex, OptionalFeature::kLostCount,
    OptionalFeature::kPrivilege, OptionalFeature::kPreciseIp};
const char* NameOf(OptionalFeature feature);

// The attr without optional features. Times are CLOCK_MONOTONIC, which besides CLOCK_MONOTONIC_RAW
// is the only clock readable in an NMI. The event counts CPU cycles (retired taken branches where
// branch sampling requires them) and is created disabled. Samples carry IP, TID, TIME, CPU, PERIOD
// and BRANCH_STACK; mappings and losses have the same trailer. The reader wakes when a quarter of
// the ring is full.
perf_event_attr MakeLbrAttr(const Pmu& pmu, const LbrOptions& options);

// A replacement for the hardware event on machines without one, for tests: the CPU clock with the
// same fields except the branch stack.
perf_event_attr MakeStandInAttr(const LbrOptions& options);

void AddFeature(OptionalFeature feature, perf_event_attr* attr);
bool HasFeature(OptionalFeature feature, const perf_event_attr& attr);

// The attr with the optional features that the kernel accepts on `cpu`.
struct AcceptedAttr {
  perf_event_attr attr{};
  std::vector<OptionalFeature> refused;
};

struct AttrSearchResult {
  int error = 0;  // errno; 0: `accepted` is valid
  AcceptedAttr accepted;
};
// Tries `base` with all features. If the kernel refuses that, tries `base` alone and then adds the
// features one by one. Returns the errno of `base` alone if that is refused.
AttrSearchResult FindAcceptedAttr(PerfSyscalls& kernel, const perf_event_attr& base, int cpu);

}  // namespace perf
