// SPDX-License-Identifier: BSD-2-Clause
#include "capture/bpf/syscall_code.h"

#include <gtest/gtest.h>

#include <sstream>

namespace capture {
namespace {

SyscallCode Find(const char* text) {
  std::istringstream symbols(text);
  return FindSyscallCode(symbols);
}

TEST(SyscallCodeTest, EndsWhereTheNextFunctionBegins) {
  const SyscallCode code = Find(
      "ffffffff81001000 T x64_sys_call\n"
      "ffffffff81002000 T __pfx_do_syscall_64\n"
      "ffffffff81002010 T do_syscall_64\n"
      "ffffffff81002010 T an_alias\n"
      "ffffffff81002100 T do_int80_emulation\n");
  EXPECT_EQ(code.begin, 0xffffffff81002010u);
  EXPECT_EQ(code.bytes, 0xf0u);
}

TEST(SyscallCodeTest, FindsNothingInHiddenOrUndefinedSymbols) {
  for (const char* text : {"", "0000000000000000 T do_syscall_64\n0000000000000000 T other\n",
                           "ffff800080001000 T invoke_syscall\nffff800080001100 T other\n",
                           "ffffffff81002010 T do_syscall_64\n",
                           "ffffffff81002010 T do_syscall_64\nffffffff81001010 T earlier\n"}) {
    EXPECT_EQ(Find(text).bytes, 0u) << text;
    EXPECT_EQ(Find(text).begin, 0u) << text;
  }
}

}  // namespace
}  // namespace capture
