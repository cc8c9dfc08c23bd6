// SPDX-License-Identifier: BSD-2-Clause
#include "probes/registers.h"

#include <gtest/gtest.h>
#if defined(__x86_64__)
#include <asm/ptrace.h>

#include <cstddef>
#endif

namespace probes {
namespace {

#if defined(__x86_64__)
TEST(RegistersTest, OffsetsAreThoseOfTheKernel) {
  EXPECT_EQ(FindRegister(Machine::kX86, "r15")->offset, offsetof(pt_regs, r15));
  EXPECT_EQ(FindRegister(Machine::kX86, "rdi")->offset, offsetof(pt_regs, rdi));
  EXPECT_EQ(FindRegister(Machine::kX86, "di")->offset, offsetof(pt_regs, rdi));
  EXPECT_EQ(FindRegister(Machine::kX86, "r8d")->offset, offsetof(pt_regs, r8));
  EXPECT_EQ(FindRegister(Machine::kX86, "r8d")->bytes, 4u);
  EXPECT_EQ(StackPointer(Machine::kX86).offset, offsetof(pt_regs, rsp));
  EXPECT_EQ(ResultRegister(Machine::kX86, 1).offset, offsetof(pt_regs, rdx));
  EXPECT_EQ(DwarfRegister(Machine::kX86, 1)->offset, offsetof(pt_regs, rdx));
  EXPECT_EQ(ContextBytes(Machine::kX86), sizeof(pt_regs));
}
#endif

TEST(RegistersTest, Arm) {
  EXPECT_EQ(FindRegister(Machine::kArm, "x0")->offset, 0);
  EXPECT_EQ(FindRegister(Machine::kArm, "w30")->offset, 240);
  EXPECT_EQ(FindRegister(Machine::kArm, "w30")->bytes, 4u);
  EXPECT_EQ(FindRegister(Machine::kArm, "sp")->offset, 248);
  EXPECT_FALSE(FindRegister(Machine::kArm, "x31"));
  EXPECT_FALSE(FindRegister(Machine::kArm, "rdi"));
  EXPECT_EQ(ArgumentRegister(Machine::kArm, 7)->offset, 56);
  EXPECT_FALSE(ArgumentRegister(Machine::kArm, 8));
  EXPECT_FALSE(DwarfRegister(Machine::kArm, 64));
}

TEST(RegistersTest, UnknownNamesAreNone) {
  for (const char* name : {"", "r", "e", "rd", "xmm0", "ddi", "r99"})
    EXPECT_FALSE(FindRegister(Machine::kX86, name)) << name;
  EXPECT_FALSE(ArgumentRegister(Machine::kX86, 6));
  EXPECT_FALSE(DwarfRegister(Machine::kX86, 17));
}

}  // namespace
}  // namespace probes
