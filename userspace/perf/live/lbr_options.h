// SPDX-License-Identifier: BSD-2-Clause
// What a person can ask of a live capture of branch stacks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "util/result.h"

namespace perf {

struct LbrOptions {
  // One sample every `period` events (CPU cycles, or retired branches on AMD Zen 3), or about
  // `frequency` samples per second and CPU. At most one is set; neither: kDefaultFrequency.
  std::optional<uint64_t> period;
  std::optional<uint64_t> frequency;
  // PERF_SAMPLE_BRANCH_* bits: which branches the hardware is to keep. See ParseLbrFilter().
  uint64_t filter = 0;
  // Per CPU; rounded up to a power of two of pages.
  size_t ring_bytes = 512 * 1024;

  static constexpr uint64_t kDefaultFrequency = 1000;
  // Where branch sampling needs a fixed period (AMD Zen 3).
  static constexpr uint64_t kDefaultPeriod = 1000003;
};

// "user,kernel,call": privilege levels (user, kernel, hv) and kinds of branches (any, call, return,
// cond, ind_call, ind_jump, direct_call, in_tx, no_tx, abort_tx, call_stack), joined by commas. No
// level means user and kernel, no kind means any. Error: an unknown word; names the known ones.
util::Result<uint64_t> ParseLbrFilter(std::string_view text);

// Back to text, for messages.
std::string LbrFilterText(uint64_t filter);

}  // namespace perf
