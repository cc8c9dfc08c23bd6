// SPDX-License-Identifier: BSD-2-Clause
// Records tracepoints through one perf ring per CPU, as the kernel's own records.
//
// TracepointSession session(bytes);
// session.Add(id, filter) ...        // opened, not yet recording
// session.Enable(); ... session.Drain(handler); ... session.Disable();
//
// Times are ns of CLOCK_MONOTONIC. Samples are Record bodies with `raw`, which begins with the
// tracepoint's id.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "perf/live/perf_session.h"
#include "perf/live/perf_syscalls.h"
#include "util/result.h"
#include "util/unique_fd.h"

namespace perf {

class TracepointSession {
 public:
  // `ring_bytes` per CPU, rounded up to a power of two of pages. `root` is prepended to /sys.
  explicit TracepointSession(size_t ring_bytes, PerfSyscalls& kernel = RunningKernel(),
                             std::string root = "")
      : kernel_(kernel), root_(std::move(root)), session_(kernel, ring_bytes) {}

  // Creates the rings on every online CPU.
  util::Status Open();
  // Opens the tracepoint with this id, disabled. `filter` is a kernel tracepoint filter, empty:
  // all. `name` is for messages. On an error no descriptor of it stays open.
  util::Status Add(uint32_t id, const std::string& name, const std::string& filter);
  size_t size() const { return tracepoints_.size(); }

  util::Status Enable();
  void Disable();
  std::vector<int> fds() const { return session_.fds(); }

  void Drain(const PerfSession::Handler& handler) { session_.Drain(handler); }
  // Opens the events on CPUs that came online and closes them on those that went offline.
  void FollowCpus(const PerfSession::Handler& handler);
  // Losses that the kernel has not reported yet, by CPU (Linux 6.0); after the last Drain.
  std::map<unsigned, uint64_t> CountUnreported();

 private:
  struct Tracepoint {
    uint32_t id = 0;
    std::string name;
    std::string filter;
    std::map<unsigned, util::UniqueFd> events;  // by CPU
  };
  // Returns 0 or errno; sets `*filter_refused` if the kernel refused the filter.
  int OpenOn(Tracepoint& tracepoint, unsigned cpu, int ring, bool* filter_refused);
  int RingOf(unsigned cpu) const;
  util::Error Explain(const Tracepoint& tracepoint, int error, bool filter_refused) const;

  PerfSyscalls& kernel_;
  std::string root_;
  PerfSession session_;
  bool counts_lost_ = false;
  bool enabled_ = false;
  std::vector<Tracepoint> tracepoints_;
};

}  // namespace perf
