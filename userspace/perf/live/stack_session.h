// SPDX-License-Identifier: BSD-2-Clause
// Samples the call stacks of running threads through perf's rings. Also records new mappings, with
// or without samples.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "perf/live/perf_session.h"
#include "perf/live/perf_syscalls.h"
#include "util/result.h"

namespace perf {

struct StackSampling {
  uint64_t frequency = 0;          // samples per second and CPU; 0: mappings only
  size_t ring_bytes = 512 * 1024;  // per CPU, rounded up to a power of two of pages
  bool tasks = false;              // also records forks and exits, and wakes the reader at once
  int program = -1;                // a BPF program that receives the samples; -1: the rings do
};

// The attr of the samples: CPU cycles if `cycles`, else the CPU clock, without the idle task. Times
// are CLOCK_MONOTONIC. Has call chains only without a program, because a program unwinds itself.
perf_event_attr MakeStackAttr(const StackSampling& sampling, bool cycles);

class StackSession {
 public:
  // Opens the event on every online CPU, disabled. On an error nothing stays open. If the kernel
  // refuses the program, the rings receive the samples. `root` is prepended to /sys and /proc.
  static util::Result<std::unique_ptr<StackSession>> Open(const StackSampling& sampling,
                                                          PerfSyscalls& kernel = RunningKernel(),
                                                          const std::string& root = "");

  util::Status Enable() { return session_.Enable(); }
  util::Status Disable() { return session_.Disable(); }
  std::vector<int> fds() const { return session_.fds(); }
  // "cycles", "cpu-clock", or "" for mappings only.
  const std::string& event() const { return event_; }

  // False if the rings receive the samples.
  bool runs_program() const { return program_ >= 0; }

  // See PerfSession::Drain(). Samples are Record bodies with a callchain.
  void Drain(const PerfSession::Handler& handler) { session_.Drain(handler); }
  // Opens the event on CPUs that came online and closes it on those that went offline.
  void FollowCpus(const PerfSession::Handler& handler);
  std::map<unsigned, uint64_t> CountUnreported() { return session_.CountUnreported(); }

 private:
  StackSession(PerfSyscalls& kernel, size_t ring_bytes, std::string root)
      : kernel_(kernel), root_(std::move(root)), session_(kernel, ring_bytes) {}
  util::Status OpenAll(StackSampling sampling);

  PerfSyscalls& kernel_;
  std::string root_;
  PerfSession session_;
  perf_event_attr attr_{};
  int program_ = -1;
  std::string event_;
};

}  // namespace perf
