// SPDX-License-Identifier: BSD-2-Clause
#include "symbols/x86_branch.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <vector>

namespace symbols {
namespace {

BranchKind Classify(std::initializer_list<unsigned> bytes) {
  std::vector<std::byte> code;
  for (const unsigned byte : bytes) code.push_back(static_cast<std::byte>(byte));
  return ClassifyX86(code);
}

// Encodings as in the opcode map of Intel's Software Developer's Manual, volume 2, appendix A.
TEST(X86BranchTest, KnowsTheBranches) {
  EXPECT_EQ(Classify({0x74, 0x05}), BranchKind::kConditional);              // je
  EXPECT_EQ(Classify({0x0f, 0x8f, 0, 0, 0, 0}), BranchKind::kConditional);  // jg
  EXPECT_EQ(Classify({0xe3, 0x05}), BranchKind::kConditional);              // jrcxz
  EXPECT_EQ(Classify({0xeb, 0xfe}), BranchKind::kJump);
  EXPECT_EQ(Classify({0xe9, 0, 0, 0, 0}), BranchKind::kJump);
  EXPECT_EQ(Classify({0xe8, 0, 0, 0, 0}), BranchKind::kCall);
  EXPECT_EQ(Classify({0xc3}), BranchKind::kReturn);
  EXPECT_EQ(Classify({0xf3, 0xc3}), BranchKind::kReturn);  // repz ret
  EXPECT_EQ(Classify({0xc2, 0x08, 0x00}), BranchKind::kReturn);
  EXPECT_EQ(Classify({0xff, 0xd0}), BranchKind::kIndirectCall);              // call *%rax
  EXPECT_EQ(Classify({0xff, 0x15, 0, 0, 0, 0}), BranchKind::kIndirectCall);  // call *x(%rip)
  EXPECT_EQ(Classify({0x41, 0xff, 0xd4}), BranchKind::kIndirectCall);        // call *%r12
  EXPECT_EQ(Classify({0x3e, 0xff, 0xe0}), BranchKind::kIndirectJump);        // notrack jmp *%rax
  EXPECT_EQ(Classify({0xf2, 0xff, 0x25, 0, 0, 0, 0}), BranchKind::kIndirectJump);  // bnd jmp
  EXPECT_EQ(Classify({0x0f, 0x05}), BranchKind::kSyscall);
  EXPECT_EQ(Classify({0x48, 0x0f, 0x07}), BranchKind::kSyscallReturn);
  EXPECT_EQ(Classify({0x48, 0xcf}), BranchKind::kInterruptReturn);
  EXPECT_EQ(Classify({0xcc}), BranchKind::kInterrupt);
}

TEST(X86BranchTest, LeavesOtherInstructionsUnknown) {
  EXPECT_EQ(Classify({}), BranchKind::kUnknown);
  EXPECT_EQ(Classify({0x48, 0x89, 0xe5}), BranchKind::kUnknown);  // mov
  EXPECT_EQ(Classify({0xff, 0xc0}), BranchKind::kUnknown);        // inc
  EXPECT_EQ(Classify({0xff}), BranchKind::kUnknown);
  EXPECT_EQ(Classify({0x0f}), BranchKind::kUnknown);
  EXPECT_EQ(Classify({0x66, 0x66, 0x66}), BranchKind::kUnknown);
}

TEST(X86BranchTest, NamesEveryKind) {
  for (int i = 0; i <= static_cast<int>(BranchKind::kInterruptReturn); ++i) {
    EXPECT_FALSE(NameOf(static_cast<BranchKind>(i)).empty());
  }
  EXPECT_EQ(NameOf(BranchKind::kInterruptReturn), "iret");
  EXPECT_TRUE(IsCall(BranchKind::kIndirectCall));
  EXPECT_FALSE(IsCall(BranchKind::kReturn));
}

}  // namespace
}  // namespace symbols
