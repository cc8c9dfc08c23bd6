// SPDX-License-Identifier: BSD-2-Clause
#include "util/syscall_names.h"

#include <fmt/format.h>
#include <seccomp.h>

#include <cstdlib>

namespace util {
namespace {

uint32_t Architecture(SyscallTable table) {
#if defined(__x86_64__)
  return table == SyscallTable::kCompat ? SCMP_ARCH_X86 : SCMP_ARCH_X86_64;
#elif defined(__aarch64__)
  return table == SyscallTable::kCompat ? SCMP_ARCH_ARM : SCMP_ARCH_AARCH64;
#else
#error "the system call tables of this architecture are not known"
#endif
}

}  // namespace

std::string SyscallName(int number, SyscallTable table) {
  char* name = seccomp_syscall_resolve_num_arch(Architecture(table), number);
  if (!name) return fmt::format("syscall_{}", number);
  std::string text = name;
  std::free(name);
  return text;
}

std::optional<uint32_t> SyscallNumber(const std::string& name) {
  int number = seccomp_syscall_resolve_name_arch(Architecture(SyscallTable::kNative), name.c_str());
  // Negative: unknown (__NR_SCMP_ERROR), or of another architecture only.
  if (number < 0) return std::nullopt;
  return static_cast<uint32_t>(number);
}

}  // namespace util
