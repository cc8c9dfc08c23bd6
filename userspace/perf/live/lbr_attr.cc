// SPDX-License-Identifier: BSD-2-Clause
#include "perf/live/lbr_attr.h"

#include "perf/live/perf_session.h"

namespace perf {

namespace {

// The upper half of config names the PMU of a hardware event (PERF_PMU_TYPE_SHIFT, Linux 5.13).
constexpr unsigned kPmuTypeShift = 32;
// AMD's "retired taken branch instructions", the only event that BRS can sample with.
constexpr uint64_t kAmdRetiredTakenBranches = 0xc4;

constexpr uint64_t kSampleFields =
    PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD;

perf_event_attr MakeCommonAttr(const LbrOptions& options) {
  perf_event_attr attr = MakeRingAttr(options.ring_bytes);
  AddMappings(&attr);
  attr.sample_type = kSampleFields;
  attr.exclude_guest = 1;
  // EXIT records end the validity of mappings.
  attr.task = 1;
  return attr;
}

void SetRate(const LbrOptions& options, bool needs_period, perf_event_attr* attr) {
  if (options.period) {
    attr->sample_period = *options.period;
  } else if (needs_period) {
    attr->sample_period = LbrOptions::kDefaultPeriod;
  } else {
    attr->freq = 1;
    attr->sample_freq = options.frequency.value_or(LbrOptions::kDefaultFrequency);
  }
}

}  // namespace

const char* NameOf(OptionalFeature feature) {
  switch (feature) {
    case OptionalFeature::kBranchType:
      return "branch types";
    case OptionalFeature::kHardwareIndex:
      return "hardware index";
    case OptionalFeature::kLostCount:
      return "count of lost samples";
    case OptionalFeature::kPrivilege:
      return "privilege of branches";
    case OptionalFeature::kPreciseIp:
      return "precise sample addresses";
  }
  return "";
}

perf_event_attr MakeLbrAttr(const Pmu& pmu, const LbrOptions& options) {
  perf_event_attr attr = MakeCommonAttr(options);
  if (pmu.needs_brs_event) {
    attr.type = pmu.type;
    attr.config = kAmdRetiredTakenBranches;
  } else {
    attr.type = PERF_TYPE_HARDWARE;
    attr.config = PERF_COUNT_HW_CPU_CYCLES;
    if (pmu.hybrid) attr.config |= uint64_t{pmu.type} << kPmuTypeShift;
  }
  SetRate(options, pmu.needs_brs_event, &attr);
  attr.sample_type |= PERF_SAMPLE_BRANCH_STACK;
  attr.branch_sample_type = options.filter;
  // Samples only the privilege levels of the filter, because other samples would have no branches.
  attr.exclude_user = (options.filter & PERF_SAMPLE_BRANCH_USER) == 0;
  attr.exclude_kernel = (options.filter & PERF_SAMPLE_BRANCH_KERNEL) == 0;
  attr.exclude_hv = (options.filter & PERF_SAMPLE_BRANCH_HV) == 0;
  return attr;
}

perf_event_attr MakeStandInAttr(const LbrOptions& options) {
  perf_event_attr attr = MakeCommonAttr(options);
  attr.type = PERF_TYPE_SOFTWARE;
  attr.config = PERF_COUNT_SW_CPU_CLOCK;
  SetRate(options, false, &attr);
  return attr;
}

void AddFeature(OptionalFeature feature, perf_event_attr* attr) {
  const bool branches = (attr->sample_type & PERF_SAMPLE_BRANCH_STACK) != 0;
  switch (feature) {
    case OptionalFeature::kBranchType:
      if (branches) attr->branch_sample_type |= PERF_SAMPLE_BRANCH_TYPE_SAVE;
      break;
    case OptionalFeature::kHardwareIndex:
      if (branches) attr->branch_sample_type |= PERF_SAMPLE_BRANCH_HW_INDEX;
      break;
    case OptionalFeature::kLostCount:
      attr->read_format |= PERF_FORMAT_LOST;
      break;
    case OptionalFeature::kPrivilege:
      if (branches) attr->branch_sample_type |= PERF_SAMPLE_BRANCH_PRIV_SAVE;
      break;
    case OptionalFeature::kPreciseIp:
      if (branches) attr->precise_ip = 2;
      break;
  }
}

bool HasFeature(OptionalFeature feature, const perf_event_attr& attr) {
  switch (feature) {
    case OptionalFeature::kBranchType:
      return attr.branch_sample_type & PERF_SAMPLE_BRANCH_TYPE_SAVE;
    case OptionalFeature::kHardwareIndex:
      return attr.branch_sample_type & PERF_SAMPLE_BRANCH_HW_INDEX;
    case OptionalFeature::kLostCount:
      return attr.read_format & PERF_FORMAT_LOST;
    case OptionalFeature::kPrivilege:
      return attr.branch_sample_type & PERF_SAMPLE_BRANCH_PRIV_SAVE;
    case OptionalFeature::kPreciseIp:
      return attr.precise_ip != 0;
  }
  return false;
}

AttrSearchResult FindAcceptedAttr(PerfSyscalls& kernel, const perf_event_attr& base, int cpu) {
  AttrSearchResult result;
  perf_event_attr everything = base;
  for (const OptionalFeature feature : kAllOptionalFeatures) AddFeature(feature, &everything);
  if (kernel.Open(everything, cpu).fd) {
    result.accepted.attr = everything;
    return result;
  }
  OpenedEvent alone = kernel.Open(base, cpu);
  if (!alone.fd) {
    result.error = alone.error;
    return result;
  }
  // Closed first, so that it does not count against the next attempt.
  alone.fd.reset();
  result.accepted.attr = base;
  for (const OptionalFeature feature : kAllOptionalFeatures) {
    perf_event_attr attempt = result.accepted.attr;
    AddFeature(feature, &attempt);
    // The stand-in event has no branch features.
    if (!HasFeature(feature, attempt)) continue;
    if (kernel.Open(attempt, cpu).fd) {
      result.accepted.attr = attempt;
    } else {
      result.accepted.refused.push_back(feature);
    }
  }
  return result;
}

}  // namespace perf
