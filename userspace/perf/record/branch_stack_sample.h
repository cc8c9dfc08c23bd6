// SPDX-License-Identifier: BSD-2-Clause
// A branch stack with its CPU, thread and time, as used by perf.data files, live rings and FXT
// files.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "perf/record/branch_entry.h"
#include "perf/record/sample_decoder.h"

namespace perf {

struct BranchStackSample {
  uint64_t time = 0;            // ns
  std::optional<uint32_t> cpu;  // empty: not recorded
  uint32_t pid = 0;             // thread group id
  uint32_t tid = 0;
  std::optional<uint64_t> ip;      // instruction pointer of the sample
  std::optional<uint64_t> period;  // events since the previous sample
  std::optional<uint64_t> hw_idx;  // see BranchStack
  // Name of the sampled event; empty for the default one.
  std::string event;
  std::vector<BranchEntry> entries;  // newest first, including unfilled slots
  std::vector<uint64_t> counters;    // empty, or one word per entry

  friend bool operator==(const BranchStackSample&, const BranchStackSample&) = default;
};

// Fills all but `event` from a sample with a branch stack; reuses the vectors' memory.
void TakeBranchStack(const Sample& sample, BranchStackSample* out);

}  // namespace perf
