// SPDX-License-Identifier: BSD-2-Clause
#include "perf/live/lbr_errors.h"

#include <fmt/core.h>

#include <cerrno>
#include <cstring>

namespace perf {

namespace {

// A hint that lists the machines with branch records.
constexpr const char* kWhereLbrIs =
    "run on bare metal, or give the virtual machine a PMU with LBR (QEMU/KVM: -cpu host,pmu=on on "
    "an Intel host with Linux 5.12 or newer; cloud: a metal instance)";

util::Error NoPmu(const PmuSurvey& survey) {
  if (survey.virtual_machine) {
    return {"no LBR: this virtual machine has no hardware performance counters", kWhereLbrIs};
  }
  return {"no LBR: the kernel found no hardware performance counters on this machine", kWhereLbrIs};
}

util::Error NoBranchRecords(const PmuSurvey& survey, const Pmu& pmu, const LbrOptions& options) {
  if (pmu.branch_depth.value_or(0) > 0) {
    return {
        fmt::format("no LBR: the CPU has branch records ({} entries), but not with the filter {}",
                    *pmu.branch_depth, LbrFilterText(options.filter)),
        "use another --lbr-filter, for example any,user,kernel"};
  }
  return {fmt::format("no LBR: the performance counters ({}) have no branch records", pmu.name),
          survey.virtual_machine
              ? fmt::format("the hypervisor does not pass LBR on: {}", kWhereLbrIs)
              : std::string("it needs an Intel CPU with LBR, or AMD Zen 3 (BRS) or Zen 4 "
                            "(LbrExtV2) or newer; see 'caps/branches' of the CPU's PMU in sysfs")};
}

util::Error NotPermitted(const PmuSurvey& survey) {
  const std::string level =
      survey.paranoid ? fmt::format(" (kernel.perf_event_paranoid is {})", *survey.paranoid) : "";
  return {fmt::format("no LBR: not permitted to sample the whole system{}", level),
          "run as root or with CAP_PERFMON; in a container the seccomp profile must allow "
          "perf_event_open"};
}

util::Error Refused(const Pmu& pmu, const LbrOptions& options) {
  if (pmu.needs_brs_event) {
    return {fmt::format("no LBR: the kernel refuses branch sampling (BRS) with the filter {} and "
                        "this period",
                        LbrFilterText(options.filter)),
            "AMD Zen 3 records any branch, user or kernel, with --lbr-period above 16 only"};
  }
  return {fmt::format("no LBR: the kernel rejects the filter {} or the period",
                      LbrFilterText(options.filter)),
          "use another --lbr-filter, for example any,user,kernel"};
}

}  // namespace

util::Error ExplainOpenError(int error, const PmuSurvey& survey, const Pmu& pmu,
                             const LbrOptions& options) {
  switch (error) {
    case ENOENT:
    case ENXIO:
      return NoPmu(survey);
    case EOPNOTSUPP:
      return NoBranchRecords(survey, pmu, options);
    case EACCES:
    case EPERM:
      return NotPermitted(survey);
    case EBUSY:
      return {"no LBR: the counters or branch records are in use by another program",
              "stop other profilers (perf, VTune, a hypervisor), or the NMI watchdog: sysctl "
              "kernel.nmi_watchdog=0"};
    case EINVAL:
    case E2BIG:
      return Refused(pmu, options);
    case EMFILE:
    case ENFILE:
      return {fmt::format("no LBR: too many open files ({})", strerror(error)),
              "raise the limit: ulimit -n"};
    case ENOSYS:
      return {"no LBR: this kernel has no perf events", "use a kernel with CONFIG_PERF_EVENTS"};
    default:
      return {fmt::format("no LBR: perf_event_open: {}", strerror(error)), ""};
  }
}

util::Error ExplainMapError(int error, size_t bytes) {
  if (error == EPERM || error == ENOMEM || error == EAGAIN) {
    return {fmt::format("no LBR: cannot map a ring of {} KiB: {}", bytes / 1024, strerror(error)),
            "raise kernel.perf_event_mlock_kb or ulimit -l, or run as root"};
  }
  return {fmt::format("no LBR: cannot map a ring of {} KiB: {}", bytes / 1024, strerror(error)),
          ""};
}

}  // namespace perf
