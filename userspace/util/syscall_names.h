// SPDX-License-Identifier: BSD-2-Clause
// Names and numbers of system calls, from libseccomp's tables.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace util {

// The table of a number: the machine's native one, or the 32-bit one.
enum class SyscallTable : uint8_t { kNative, kCompat };

// The name of a call, or "syscall_<number>" if the table lacks it.
std::string SyscallName(int number, SyscallTable table = SyscallTable::kNative);
// The number of a call in the native table.
std::optional<uint32_t> SyscallNumber(const std::string& name);

}  // namespace util
