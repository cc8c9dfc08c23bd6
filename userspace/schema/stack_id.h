// SPDX-License-Identifier: BSD-2-Clause
// The ids of call stacks in our files. An id is a hash of the addresses, so files can be merged and
// cut without renumbering. A profiler backtrace record holds the addresses, innermost first, kernel
// before user; instants refer to it by id.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace schema {

// The symbols of a recording with --symbols: an instant of category `stack` on the recorder's
// track, before the first stack that contains the function. `function` is its name. With `module`
// and `build_id`, as in the profiler module record, `start` (pointer) is its offset in that file;
// for the kernel, the offset from its reference symbol. Without them `start` is an address, in the
// process `process` (koid) unless it is a kernel address. `size` (uint64) is in bytes; 0: not
// known. A function of an interpreted program (schema/script_frame.h) has its file in `module`, the
// function's part of its frames in `start`, and `line` (uint64), its first one; any recording may
// have it.
namespace symbol {
inline constexpr std::string_view kEvent = "symbol";
inline constexpr std::string_view kFunction = "function";
inline constexpr std::string_view kModule = "module";
inline constexpr std::string_view kBuildId = "build_id";
inline constexpr std::string_view kStart = "start";
inline constexpr std::string_view kSize = "size";
inline constexpr std::string_view kProcess = "process";
inline constexpr std::string_view kLine = "line";
// Arguments of a stack's instant: the names of the first frames of each half, innermost first.
inline constexpr std::string_view kKernelFrames = "kernel";
inline constexpr std::string_view kUserFrames = "user";
}  // namespace symbol

inline uint64_t StackIdOf(std::span<const uint64_t> addresses) {
  // FNV-1a over words, each mixed first because the low bits of addresses carry little entropy.
  uint64_t id = 0xcbf29ce484222325;
  for (uint64_t address : addresses) {
    address ^= address >> 32;
    address *= 0x9e3779b97f4a7c15;
    id = (id ^ address ^ (address >> 29)) * 0x100000001b3;
    id ^= id >> 31;
  }
  return id;
}

// True for kernel addresses.
constexpr bool IsKernelAddress(uint64_t address) { return (address >> 63) != 0; }

}  // namespace schema
