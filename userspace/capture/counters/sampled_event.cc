// SPDX-License-Identifier: BSD-2-Clause
#include "capture/counters/sampled_event.h"

#include <cerrno>
#include <cstring>
#include <utility>

#include "perf/live/perf_syscalls.h"
#include "perf/record/perf_abi.h"
#include "util/cpu_list.h"

namespace capture {

SampledEvent SampledEvent::Open(uint64_t config) {
  return Open(config, perf::RunningKernel(), util::ReadCpuList("online"));
}

SampledEvent SampledEvent::Open(uint64_t config, perf::PerfSyscalls& kernel,
                                const std::vector<uint32_t>& cpus) {
  perf_event_attr attr;
  std::memset(&attr, 0, sizeof(attr));
  attr.size = sizeof(attr);
  attr.type = PERF_TYPE_SOFTWARE;
  attr.config = config;
  attr.sample_period = 1;
  SampledEvent self;
  self.kernel_ = &kernel;
  for (const uint32_t cpu : cpus) {
    perf::OpenedEvent event = kernel.Open(attr, static_cast<int>(cpu));
    if (event.fd) {
      self.events_.push_back(std::move(event.fd));
    } else if (event.error != ENODEV) {  // the CPU went offline
      return {};
    }
  }
  return self;
}

int SampledEvent::Attach(int program_fd) {
  for (const util::UniqueFd& event : events_) {
    if (const int error = kernel_->SetProgram(event.get(), program_fd)) {
      events_.clear();
      return error;
    }
  }
  return 0;
}

}  // namespace capture
