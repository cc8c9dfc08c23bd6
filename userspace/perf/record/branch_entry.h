// SPDX-License-Identifier: BSD-2-Clause
// One entry of a branch stack, as the kernel writes it: struct perf_branch_entry
// (include/uapi/linux/perf_event.h), whose bit fields are read by position here because the header
// of the build machine lacks the newest of them.
#pragma once

#include <cstdint>

namespace perf {

struct BranchEntry {
  uint64_t from = 0;  // address of the branch instruction
  uint64_t to = 0;    // address it went to
  uint64_t flags = 0;

  static constexpr uint64_t kMispredicted = 1u << 0;
  static constexpr uint64_t kPredicted = 1u << 1;
  static constexpr uint64_t kInTransaction = 1u << 2;
  static constexpr uint64_t kAborted = 1u << 3;
  static constexpr unsigned kCyclesShift = 4;
  static constexpr unsigned kTypeShift = 20;
  static constexpr unsigned kSpeculationShift = 24;
  static constexpr unsigned kNewTypeShift = 26;
  static constexpr unsigned kPrivilegeShift = 30;

  constexpr bool mispredicted() const { return flags & kMispredicted; }
  // False beside a false mispredicted(): the CPU does not say.
  constexpr bool predicted() const { return flags & kPredicted; }
  constexpr bool in_transaction() const { return flags & kInTransaction; }
  constexpr bool aborted() const { return flags & kAborted; }
  // CPU cycles since the branch before (older than) this one; 0 where the CPU does not count them.
  constexpr uint16_t cycles() const { return static_cast<uint16_t>(flags >> kCyclesShift); }
  // PERF_BR_*; PERF_BR_EXTEND_ABI says that new_type() holds the type (PERF_BR_NEW_*).
  constexpr uint8_t type() const { return flags >> kTypeShift & 0xf; }
  // PERF_BR_SPEC_*.
  constexpr uint8_t speculation() const { return flags >> kSpeculationShift & 0x3; }
  constexpr uint8_t new_type() const { return flags >> kNewTypeShift & 0xf; }
  // PERF_BR_PRIV_*.
  constexpr uint8_t privilege() const { return flags >> kPrivilegeShift & 0x7; }
  // A slot of the hardware's stack that no branch had filled yet.
  constexpr bool unfilled() const { return from == 0 && to == 0; }

  friend constexpr bool operator==(const BranchEntry&, const BranchEntry&) = default;
};
static_assert(sizeof(BranchEntry) == 24);

}  // namespace perf
