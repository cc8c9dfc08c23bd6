// SPDX-License-Identifier: BSD-2-Clause
// Names and numbers of system calls, from libseccomp's tables.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace util {

// Which table a number belongs to: the machine's own, or the 32-bit one beside it.
enum class SyscallTable : uint8_t { kNative, kCompat };

// Name of a call, or "syscall_<number>" for one that the table does not have.
std::string SyscallName(int number, SyscallTable table = SyscallTable::kNative);
// Number of a call in the native table.
std::optional<uint32_t> SyscallNumber(const std::string& name);

}  // namespace util
