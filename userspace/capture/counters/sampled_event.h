// SPDX-License-Identifier: BSD-2-Clause
// A software event of perf that a BPF program runs at, each time it happens, on every CPU.
#pragma once

#include <cstdint>
#include <vector>

#include "util/unique_fd.h"

namespace perf {
class PerfSyscalls;
}

namespace capture {

class SampledEvent {
 public:
  SampledEvent() = default;
  // On the online CPUs. `config`: out of enum perf_sw_ids. Empty where the kernel refuses it on one
  // of them.
  static SampledEvent Open(uint64_t config);
  static SampledEvent Open(uint64_t config, perf::PerfSyscalls& kernel,
                           const std::vector<uint32_t>& cpus);

  bool empty() const { return events_.empty(); }
  // The program runs from now on, until this is destroyed. 0 or errno: then it is empty, and runs
  // nothing.
  int Attach(int program_fd);

 private:
  perf::PerfSyscalls* kernel_ = nullptr;
  std::vector<util::UniqueFd> events_;
};

}  // namespace capture
