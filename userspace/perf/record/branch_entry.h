// SPDX-License-Identifier: BSD-2-Clause
// One entry of a branch stack: struct perf_branch_entry (include/uapi/linux/perf_event.h). Bit
// fields are read by position, because the header of the build machine lacks the newest ones.
#pragma once

#include <cstdint>
#include <string_view>

namespace perf {

struct BranchEntry {
  uint64_t from = 0;  // address of the branch instruction
  uint64_t to = 0;    // its target
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
  // False together with mispredicted(): unknown.
  constexpr bool predicted() const { return flags & kPredicted; }
  constexpr bool in_transaction() const { return flags & kInTransaction; }
  constexpr bool aborted() const { return flags & kAborted; }
  // CPU cycles since the previous (older) branch; 0 if the CPU does not count them.
  constexpr uint16_t cycles() const { return static_cast<uint16_t>(flags >> kCyclesShift); }
  // PERF_BR_*; PERF_BR_EXTEND_ABI refers to new_type() (PERF_BR_NEW_*).
  constexpr uint8_t type() const { return flags >> kTypeShift & 0xf; }
  // PERF_BR_SPEC_*.
  constexpr uint8_t speculation() const { return flags >> kSpeculationShift & 0x3; }
  constexpr uint8_t new_type() const { return flags >> kNewTypeShift & 0xf; }
  // PERF_BR_PRIV_*.
  constexpr uint8_t privilege() const { return flags >> kPrivilegeShift & 0x7; }
  // A hardware slot without a branch.
  constexpr bool unfilled() const { return from == 0 && to == 0; }

  friend constexpr bool operator==(const BranchEntry&, const BranchEntry&) = default;
};
static_assert(sizeof(BranchEntry) == 24);

// The kind of branch ("call", "cond_ret", "fault_data"); "" if unknown.
std::string_view BranchTypeName(const BranchEntry& entry);
// "wrong_path", "non_spec_correct_path", "spec_correct_path"; "" if unknown.
std::string_view SpeculationName(const BranchEntry& entry);
// Privilege of the branch's target: "user", "kernel", "hypervisor"; "" if unknown.
std::string_view PrivilegeName(const BranchEntry& entry);

}  // namespace perf
