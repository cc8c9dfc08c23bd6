// SPDX-License-Identifier: BSD-2-Clause
// What call stacks are called in our files: a stack has the number that its addresses make, so that
// files can be joined and cut without counting anew. Its addresses stand in a profiler backtrace
// record, innermost first, the kernel's before those of the process; instants name it.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace schema {

// What a recording with --symbols says of functions, before the first stack that they are in: an
// instant of category `stack` on the recorder's track. `function` is its name. With `module` and
// `build_id`, as the profiler module record has them, `start` (pointer) is where it begins in that
// file, for the kernel's own text counted from its reference symbol; without them `start` is an
// address, in the process `process` (koid) unless it is one of the kernel. `size` (uint64): bytes;
// 0: not known.
namespace symbol {
inline constexpr std::string_view kEvent = "symbol";
inline constexpr std::string_view kFunction = "function";
inline constexpr std::string_view kModule = "module";
inline constexpr std::string_view kBuildId = "build_id";
inline constexpr std::string_view kStart = "start";
inline constexpr std::string_view kSize = "size";
inline constexpr std::string_view kProcess = "process";
// Of a stack's own instant there: the first frames of each half by name, innermost first.
inline constexpr std::string_view kKernelFrames = "kernel";
inline constexpr std::string_view kUserFrames = "user";
}  // namespace symbol

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
