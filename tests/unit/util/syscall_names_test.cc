// SPDX-License-Identifier: BSD-2-Clause
#include "util/syscall_names.h"

#include <gtest/gtest.h>
#include <sys/syscall.h>

#include <climits>

namespace util {
namespace {

TEST(SyscallNamesTest, AgreesWithTheHeadersOfTheMachine) {
  EXPECT_EQ(SyscallName(SYS_read), "read");
  EXPECT_EQ(SyscallName(SYS_futex), "futex");
  EXPECT_EQ(SyscallName(SYS_openat), "openat");
  EXPECT_EQ(SyscallName(SYS_exit_group), "exit_group");
  EXPECT_EQ(SyscallNumber("read"), static_cast<uint32_t>(SYS_read));
  EXPECT_EQ(SyscallNumber("futex"), static_cast<uint32_t>(SYS_futex));
}

TEST(SyscallNamesTest, NameAndNumberAreInverse) {
  int known = 0;
  for (int number = 0; number < 600; ++number) {
    const std::string name = SyscallName(number);
    if (name.starts_with("syscall_")) continue;
    ++known;
    EXPECT_EQ(SyscallNumber(name), static_cast<uint32_t>(number)) << name;
  }
  EXPECT_GT(known, 250);
}

TEST(SyscallNamesTest, UnnamedNumbersKeepTheirNumber) {
  EXPECT_EQ(SyscallName(999'999), "syscall_999999");
  // Programs can pass any number; libseccomp names some negative ones.
  EXPECT_EQ(SyscallName(-1), "syscall_-1");
  EXPECT_EQ(SyscallName(-101), "syscall_-101");
  EXPECT_EQ(SyscallName(-10001), "syscall_-10001");
  EXPECT_EQ(SyscallName(INT_MIN), "syscall_-2147483648");
  EXPECT_EQ(SyscallName(INT_MAX), "syscall_2147483647");
}

TEST(SyscallNamesTest, UnknownNamesHaveNoNumber) {
  EXPECT_EQ(SyscallNumber(""), std::nullopt);
  EXPECT_EQ(SyscallNumber("no_such_call"), std::nullopt);
  EXPECT_EQ(SyscallNumber("READ"), std::nullopt);
  EXPECT_EQ(SyscallNumber("*"), std::nullopt);
}

#if defined(__x86_64__)
TEST(SyscallNamesTest, CallsOfOtherArchitecturesHaveNoNumber) {
  // In the 32-bit table only.
  EXPECT_EQ(SyscallNumber("socketcall"), std::nullopt);
  EXPECT_EQ(SyscallNumber("waitpid"), std::nullopt);
}

TEST(SyscallNamesTest, The32BitTableHasItsOwnNumbers) {
  // arch/x86/entry/syscalls/syscall_32.tbl
  EXPECT_EQ(SyscallName(3, SyscallTable::kCompat), "read");
  EXPECT_EQ(SyscallName(102, SyscallTable::kCompat), "socketcall");
  EXPECT_EQ(SyscallName(240, SyscallTable::kCompat), "futex");
  EXPECT_EQ(SyscallName(3), "close");
}
#endif

}  // namespace
}  // namespace util
