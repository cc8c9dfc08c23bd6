// SPDX-License-Identifier: BSD-2-Clause
// A branch stack with where and when it was taken: what a file, a live ring and an FXT file have in
// common.
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
  std::optional<uint64_t> ip;      // where the CPU was when the sample was taken
  std::optional<uint64_t> period;  // events since the sample before
  std::optional<uint64_t> hw_idx;  // see BranchStack
  // Name of the event that was sampled; empty when it goes without saying.
  std::string event;
  std::vector<BranchEntry> entries;  // newest first, with the unfilled slots
  std::vector<uint64_t> counters;    // empty, or one word per entry

  friend bool operator==(const BranchStackSample&, const BranchStackSample&) = default;
};

// Fills all but `event` from a decoded sample that has a branch stack; keeps the vectors' memory.
void TakeBranchStack(const Sample& sample, BranchStackSample* out);

}  // namespace perf
