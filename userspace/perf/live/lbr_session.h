// SPDX-License-Identifier: BSD-2-Clause
// Live capture of branch stacks: the interface for a recorder.
//
//   auto session = perf::LbrSession::Open({.filter = ...});   // nothing is recorded yet
//   if (!session) ... session.error() says why, and what to do ...
//   (*session)->Enable();
//   poll (*session)->fds() for POLLIN, and whenever one is ready or a timer ticks:
//     (*session)->Drain(handler);                 // BranchStackSample, and the records beside it
//   on CPU hotplug (or now and then): (*session)->FollowCpus(handler);
//   (*session)->Disable(); (*session)->Drain(handler); (*session)->CountUnreported();
//   (*session)->lost() has the losses per CPU.
//
// A descriptor that reports POLLHUP belongs to a CPU that went offline: FollowCpus() lets go of it.
// Times are ns of CLOCK_MONOTONIC. Samples come in the order of time per CPU, not between CPUs.
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

// What a recorder does with what comes out of the rings.
class LbrHandler {
 public:
  virtual ~LbrHandler() = default;
  virtual void OnSample(const BranchStackSample& sample) = 0;
  // Mappings, names, ends of tasks, losses (LOST, LOST_SAMPLES), throttling.
  virtual void OnRecord(unsigned cpu, const Record& record) = 0;
};

class LbrSession {
 public:
  // What the session found out about the machine; for messages and for the file.
  struct Description {
    std::vector<std::string> pmus;         // names of those that are used
    unsigned depth = 0;                    // entries of the deepest branch stack; 0: not told
    std::vector<OptionalFeature> refused;  // on at least one PMU
    std::vector<unsigned> cpus;
  };

  // Opens the event on every online CPU, disabled. Error: one clear reason and what to do about it;
  // then nothing stays open. `root` stands before /sys and /proc.
  static util::Result<std::unique_ptr<LbrSession>> Open(const LbrOptions& options,
                                                        PerfSyscalls& kernel = RunningKernel(),
                                                        const std::string& root = "");
  // The same with the CPU clock in the place of the hardware event: samples without branches. For
  // tests of what stands around it.
  static util::Result<std::unique_ptr<LbrSession>> OpenStandIn(
      const LbrOptions& options, PerfSyscalls& kernel = RunningKernel(),
      const std::string& root = "");

  util::Status Enable() { return session_.Enable(); }
  util::Status Disable() { return session_.Disable(); }
  std::vector<int> fds() const { return session_.fds(); }

  // See PerfSession::Drain().
  bool Drain(LbrHandler& handler, size_t max_bytes = SIZE_MAX);
  // Opens the event on CPUs that came online and lets go of those that went. True if fds() changed.
  // A CPU that cannot be opened is left out and named in `*problem`.
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
