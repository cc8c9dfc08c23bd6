// SPDX-License-Identifier: BSD-2-Clause
// Where the kernel's function is that every system call comes through, so that a stack's walk can
// tell where a system call's own part of it ends.
#pragma once

#include <cstdint>
#include <istream>

namespace capture {

struct SyscallCode {
  uint64_t begin = 0;  // 0: not known
  uint64_t bytes = 0;
};

// Out of /proc/kallsyms; nothing where that hides addresses or the machine has no such function.
SyscallCode FindSyscallCode();
// `symbols`: a text like that one, in which the kernel's own are in order.
SyscallCode FindSyscallCode(std::istream& symbols);

}  // namespace capture
