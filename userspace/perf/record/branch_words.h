// SPDX-License-Identifier: BSD-2-Clause
// The enumerations of a branch entry in words, after their names in the kernel's header.
#pragma once

#include <string_view>

#include "perf/record/branch_entry.h"

namespace perf {

// What kind of branch the CPU or the kernel says it is ("call", "cond_ret", "fault_data"); "" if
// neither does.
std::string_view TypeWord(const BranchEntry& entry);
// "wrong_path", "non_spec_correct_path", "spec_correct_path"; "" if not told.
std::string_view SpeculationWord(const BranchEntry& entry);
// Privilege at the branch's target: "user", "kernel", "hypervisor"; "" if not told.
std::string_view PrivilegeWord(const BranchEntry& entry);

}  // namespace perf
