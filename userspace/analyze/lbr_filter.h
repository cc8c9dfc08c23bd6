// SPDX-License-Identifier: BSD-2-Clause
// Which samples somebody wants to see.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "perf_data/branch_stack_sample.h"

namespace analyze {

struct LbrFilter {
  std::vector<uint32_t> pids;  // empty: all
  std::vector<uint32_t> tids;
  std::vector<uint32_t> cpus;
  uint64_t begin = 0;         // ns
  uint64_t end = UINT64_MAX;  // ns, not included

  bool Wants(const perf_data::BranchStackSample& sample) const {
    return sample.time >= begin && sample.time < end && Has(pids, sample.pid) &&
           Has(tids, sample.tid) && (cpus.empty() || (sample.cpu && Has(cpus, *sample.cpu)));
  }

 private:
  static bool Has(const std::vector<uint32_t>& wanted, uint32_t number) {
    return wanted.empty() || std::find(wanted.begin(), wanted.end(), number) != wanted.end();
  }
};

}  // namespace analyze
