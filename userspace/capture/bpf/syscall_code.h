// SPDX-License-Identifier: BSD-2-Clause
// Locates the kernel's system call entry function, where a stack walk ends.
#pragma once

#include <cstdint>
#include <istream>

#include "capture/bpf/kernel_symbols.h"

namespace capture {

struct SyscallCode {
  uint64_t begin = 0;  // 0: not known
  uint64_t bytes = 0;
};

// By `kernel`, or by /proc/kallsyms where it finds nothing at all; empty if addresses are hidden or
// the machine has no such function.
SyscallCode FindSyscallCode(const KernelSymbols& kernel);
// `symbols` is in the format of /proc/kallsyms, with the kernel's symbols sorted.
SyscallCode FindSyscallCode(std::istream& symbols);

}  // namespace capture
