// SPDX-License-Identifier: BSD-2-Clause
// Options of a live capture of branch stacks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "util/result.h"

namespace perf {

struct LbrOptions {
  // One sample every `period` events (CPU cycles; retired branches on AMD Zen 3), or about
  // `frequency` samples per second and CPU. At most one is set. Default: kDefaultFrequency.
  std::optional<uint64_t> period;
  std::optional<uint64_t> frequency;
  // PERF_SAMPLE_BRANCH_* bits of the recorded branches. See ParseLbrFilter().
  uint64_t filter = 0;
  // Per CPU; rounded up to a power of two of pages.
  size_t ring_bytes = 512 * 1024;

  static constexpr uint64_t kDefaultFrequency = 1000;
  // For hardware that needs a fixed period (AMD Zen 3).
  static constexpr uint64_t kDefaultPeriod = 1000003;
};

// Parses "user,kernel,call": privilege levels (user, kernel, hv) and kinds of branches (any, call,
// return, cond, ind_call, ind_jump, direct_call, in_tx, no_tx, abort_tx, call_stack). Without a
// level: user and kernel; without a kind: any. An unknown name is an error that lists the known
// ones.
util::Result<uint64_t> ParseLbrFilter(std::string_view text);

// The inverse, for messages.
std::string LbrFilterText(uint64_t filter);

}  // namespace perf
