// SPDX-License-Identifier: BSD-2-Clause
#include "perf/record/branch_entry.h"

#include "perf/record/perf_abi.h"

namespace perf {

std::string_view BranchTypeName(const BranchEntry& entry) {
  // PERF_BR_UNKNOWN to PERF_BR_NO_TX, then PERF_BR_EXTEND_ABI.
  static constexpr std::string_view kTypes[] = {
      "",       "cond",      "uncond",   "ind",  "call", "ind_call", "ret",   "syscall",
      "sysret", "cond_call", "cond_ret", "eret", "irq",  "serror",   "no_tx", ""};
  static_assert(PERF_BR_EXTEND_ABI == 15);
  // PERF_BR_NEW_FAULT_ALGN to PERF_BR_NEW_ARCH_5; later values are not assigned.
  static constexpr std::string_view kNewTypes[] = {
      "fault_algn", "fault_data", "fault_inst", "arch_1", "arch_2", "arch_3", "arch_4", "arch_5",
      "new_8",      "new_9",      "new_10",     "new_11", "new_12", "new_13", "new_14", "new_15"};
  return entry.type() == PERF_BR_EXTEND_ABI ? kNewTypes[entry.new_type()] : kTypes[entry.type()];
}

std::string_view SpeculationName(const BranchEntry& entry) {
  static constexpr std::string_view kWords[] = {"", "wrong_path", "non_spec_correct_path",
                                                "spec_correct_path"};
  return kWords[entry.speculation()];
}

std::string_view PrivilegeName(const BranchEntry& entry) {
  static constexpr std::string_view kWords[] = {"",       "user",   "kernel", "hypervisor",
                                                "priv_4", "priv_5", "priv_6", "priv_7"};
  return kWords[entry.privilege()];
}

}  // namespace perf
