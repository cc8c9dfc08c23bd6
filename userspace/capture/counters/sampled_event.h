// SPDX-License-Identifier: BSD-2-Clause
// A perf software event that runs a BPF program at each occurrence, on every CPU.
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
  // On the online CPUs. `config` is of enum perf_sw_ids. Empty if the kernel refuses it on any CPU.
  static SampledEvent Open(uint64_t config);
  static SampledEvent Open(uint64_t config, perf::PerfSyscalls& kernel,
                           const std::vector<uint32_t>& cpus);

  bool empty() const { return events_.empty(); }
  // Runs the program from now on, until destruction. Returns 0 or errno; on error the object is
  // empty.
  int Attach(int program_fd);

 private:
  perf::PerfSyscalls* kernel_ = nullptr;
  std::vector<util::UniqueFd> events_;
};

}  // namespace capture
