// SPDX-License-Identifier: BSD-2-Clause
// What call stacks are called in our files: a stack has the number that its addresses make, so that
// files can be joined and cut without counting anew. Its addresses stand in a profiler backtrace
// record, innermost first, the kernel's before those of the process; instants name it.
#pragma once

#include <cstdint>
#include <span>

namespace schema {

inline uint64_t StackIdOf(std::span<const uint64_t> addresses) {
  // FNV-1a by words, each of them stirred, because the low bits of addresses say little.
  uint64_t id = 0xcbf29ce484222325;
  for (uint64_t address : addresses) {
    address ^= address >> 32;
    address *= 0x9e3779b97f4a7c15;
    id = (id ^ address ^ (address >> 29)) * 0x100000001b3;
    id ^= id >> 31;
  }
  return id;
}

// Addresses of a kernel, not of a process.
constexpr bool IsKernelAddress(uint64_t address) { return (address >> 63) != 0; }

}  // namespace schema
