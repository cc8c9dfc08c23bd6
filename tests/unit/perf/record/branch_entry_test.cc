// SPDX-License-Identifier: BSD-2-Clause
// Synthetic: no recording at hand has any of these.
#include "perf/record/branch_entry.h"

#include <gtest/gtest.h>

#include "unit/perf/synthetic.h"

namespace perf {
namespace {

using testing::MakeFlags;

TEST(BranchEntryTest, NamesTypes) {
  EXPECT_EQ(BranchTypeName({0, 0, 0}), "");
  EXPECT_EQ(BranchTypeName({0, 0, MakeFlags({.type = PERF_BR_COND})}), "cond");
  EXPECT_EQ(BranchTypeName({0, 0, MakeFlags({.type = PERF_BR_IND_CALL})}), "ind_call");
  EXPECT_EQ(BranchTypeName({0, 0, MakeFlags({.type = PERF_BR_SYSRET})}), "sysret");
  EXPECT_EQ(BranchTypeName({0, 0, MakeFlags({.type = PERF_BR_ERET})}), "eret");
  EXPECT_EQ(BranchTypeName({0, 0, MakeFlags({.type = PERF_BR_NO_TX})}), "no_tx");
  // The newer types have a separate field.
  EXPECT_EQ(BranchTypeName({0, 0, MakeFlags({.type = PERF_BR_EXTEND_ABI})}), "fault_algn");
  EXPECT_EQ(BranchTypeName({0, 0, MakeFlags({.type = PERF_BR_EXTEND_ABI, .new_type = 2})}),
            "fault_inst");
  EXPECT_EQ(BranchTypeName({0, 0, MakeFlags({.type = PERF_BR_EXTEND_ABI, .new_type = 15})}),
            "new_15");
  EXPECT_EQ(BranchTypeName({0, 0, MakeFlags({.type = PERF_BR_CALL, .new_type = 2})}), "call");
}

TEST(BranchEntryTest, NamesSpeculationAndPrivilege) {
  EXPECT_EQ(SpeculationName({0, 0, 0}), "");
  EXPECT_EQ(SpeculationName({0, 0, MakeFlags({.speculation = PERF_BR_SPEC_WRONG_PATH})}),
            "wrong_path");
  EXPECT_EQ(SpeculationName({0, 0, MakeFlags({.speculation = PERF_BR_SPEC_CORRECT_PATH})}),
            "spec_correct_path");
  EXPECT_EQ(PrivilegeName({0, 0, 0}), "");
  EXPECT_EQ(PrivilegeName({0, 0, MakeFlags({.privilege = PERF_BR_PRIV_USER})}), "user");
  EXPECT_EQ(PrivilegeName({0, 0, MakeFlags({.privilege = PERF_BR_PRIV_HV})}), "hypervisor");
  EXPECT_EQ(PrivilegeName({0, 0, MakeFlags({.privilege = 7})}), "priv_7");
}

}  // namespace
}  // namespace perf
