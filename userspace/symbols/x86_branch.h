// SPDX-License-Identifier: BSD-2-Clause
// Classifies x86-64 branch instructions, for recordings whose CPU does not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace symbols {

// A subset of perf's PERF_BR_*.
enum class BranchKind : uint8_t {
  kUnknown,
  kConditional,
  kJump,
  kIndirectJump,
  kCall,
  kIndirectCall,
  kReturn,
  kSyscall,
  kSyscallReturn,
  kInterrupt,  // a software interrupt or a trap instruction
  kInterruptReturn,
};
std::string_view NameOf(BranchKind kind);
constexpr bool IsCall(BranchKind kind) {
  return kind == BranchKind::kCall || kind == BranchKind::kIndirectCall;
}

// `code` begins with the instruction; 15 bytes always suffice. kUnknown: not a branch, or `code` is
// too short.
BranchKind ClassifyX86(std::span<const std::byte> code);
inline constexpr size_t kMaxX86InstructionBytes = 15;

}  // namespace symbols
