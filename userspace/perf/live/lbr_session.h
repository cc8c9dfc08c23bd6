// SPDX-License-Identifier: BSD-2-Clause
// Records branch stacks live.
//
// auto session = perf::LbrSession::Open({.filter = ...});   // opened, not yet recording
// (*session)->Enable();
// Poll (*session)->fds() for POLLIN, and on readiness or a timer: (*session)->Drain(handler);
// On CPU hotplug, or periodically: (*session)->FollowCpus(handler);
// (*session)->Disable(); (*session)->Drain(handler); (*session)->CountUnreported();
// (*session)->lost() has the losses per CPU.
//
// A descriptor that reports POLLHUP belongs to a CPU that went offline; FollowCpus() closes it.
// Times are ns of CLOCK_MONOTONIC. Samples are in time order per CPU, not across CPUs.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "perf/live/lbr_attr.h"
#include "perf/live/lbr_options.h"
#include "perf/live/perf_session.h"
#include "perf/live/pmu.h"
#include "perf/record/branch_stack_sample.h"
#include "util/result.h"

namespace perf {

// The receiver of a session's records.
class LbrHandler {
 public:
  virtual ~LbrHandler() = default;
  virtual void OnSample(const BranchStackSample& sample) = 0;
  // Mappings, names, exits, losses (LOST, LOST_SAMPLES), throttling.
  virtual void OnRecord(unsigned cpu, const Record& record) = 0;
};

class LbrSession {
 public:
  // Properties of the machine, for messages and for the file.
  struct Description {
    std::vector<std::string> pmus;         // names of the PMUs in use
    unsigned depth = 0;                    // entries of the deepest branch stack; 0: unknown
    std::vector<OptionalFeature> refused;  // on at least one PMU
    std::vector<unsigned> cpus;
  };

  // Opens the event on every online CPU, disabled. The error has a reason and a remedy; then
  // nothing stays open. `root` is prepended to /sys and /proc.
  static util::Result<std::unique_ptr<LbrSession>> Open(const LbrOptions& options,
                                                        PerfSyscalls& kernel = RunningKernel(),
                                                        const std::string& root = "");
  // The same with the CPU clock instead of the hardware event: samples without branches, for tests.
  static util::Result<std::unique_ptr<LbrSession>> OpenStandIn(
      const LbrOptions& options, PerfSyscalls& kernel = RunningKernel(),
      const std::string& root = "");

  util::Status Enable() { return session_.Enable(); }
  util::Status Disable() { return session_.Disable(); }
  std::vector<int> fds() const { return session_.fds(); }

  // See PerfSession::Drain().
  bool Drain(LbrHandler& handler, size_t max_bytes = SIZE_MAX);
  // Opens the event on CPUs that came online and closes it on those that went offline. Returns true
  // if fds() changed. Names a CPU that cannot be opened in `*problem`.
  bool FollowCpus(LbrHandler& handler, std::string* problem);

  std::map<unsigned, uint64_t> CountUnreported() { return session_.CountUnreported(); }
  const std::map<unsigned, PerfSession::Lost>& lost() const { return session_.lost(); }
  const Description& description() const { return description_; }

 private:
  LbrSession(PerfSyscalls& kernel, const LbrOptions& options, std::string root);
  util::Status OpenAll(const PmuSurvey& survey);
  PerfSession::Handler Forward(LbrHandler& handler);

  // The event of one PMU.
  struct Source {
    Pmu pmu;
    perf_event_attr attr{};
  };

  PerfSyscalls& kernel_;
  LbrOptions options_;
  std::string root_;
  bool stand_in_ = false;
  std::vector<Source> sources_;
  PerfSession session_;
  Description description_;
  BranchStackSample sample_;
};

}  // namespace perf
