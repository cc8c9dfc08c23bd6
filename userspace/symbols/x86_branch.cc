// SPDX-License-Identifier: BSD-2-Clause
#include "symbols/x86_branch.h"

namespace symbols {

namespace {

bool IsPrefix(unsigned byte) {
  switch (byte) {
    case 0x26:  // segments; 0x2e and 0x3e are branch hints or notrack, too
    case 0x2e:
    case 0x36:
    case 0x3e:
    case 0x64:
    case 0x65:
    case 0x66:  // operand and address size
    case 0x67:
    case 0xf0:  // lock
    case 0xf2:  // bnd
    case 0xf3:
      return true;
    default:
      return byte >= 0x40 && byte <= 0x4f;  // REX
  }
}

BranchKind ClassifyTwoByteOpcode(unsigned opcode) {
  if (opcode >= 0x80 && opcode <= 0x8f) return BranchKind::kConditional;
  switch (opcode) {
    case 0x05:  // syscall
    case 0x34:  // sysenter
      return BranchKind::kSyscall;
    case 0x07:  // sysret
    case 0x35:  // sysexit
      return BranchKind::kSyscallReturn;
    case 0x0b:  // ud2
      return BranchKind::kInterrupt;
    default:
      return BranchKind::kUnknown;
  }
}

}  // namespace

std::string_view NameOf(BranchKind kind) {
  static constexpr std::string_view kNames[] = {
      "unknown", "conditional", "jump",   "indirect jump", "call", "indirect call",
      "return",  "syscall",     "sysret", "interrupt",     "iret"};
  return kNames[static_cast<size_t>(kind)];
}

BranchKind ClassifyX86(std::span<const std::byte> code) {
  size_t i = 0;
  while (i < code.size() && IsPrefix(std::to_integer<unsigned>(code[i]))) ++i;
  if (i >= code.size()) return BranchKind::kUnknown;
  const unsigned opcode = std::to_integer<unsigned>(code[i]);
  const bool has_next = i + 1 < code.size();
  const unsigned next = has_next ? std::to_integer<unsigned>(code[i + 1]) : 0;
  if (opcode >= 0x70 && opcode <= 0x7f) return BranchKind::kConditional;
  switch (opcode) {
    case 0xe0:  // loopne, loope, loop, jrcxz
    case 0xe1:
    case 0xe2:
    case 0xe3:
      return BranchKind::kConditional;
    case 0xe8:
      return BranchKind::kCall;
    case 0xe9:
    case 0xeb:
      return BranchKind::kJump;
    case 0xc2:  // near and far returns
    case 0xc3:
    case 0xca:
    case 0xcb:
      return BranchKind::kReturn;
    case 0xcc:  // int3, int, int1
    case 0xcd:
    case 0xf1:
      return BranchKind::kInterrupt;
    case 0xcf:
      return BranchKind::kInterruptReturn;
    case 0x0f:
      return has_next ? ClassifyTwoByteOpcode(next) : BranchKind::kUnknown;
    case 0xff: {
      if (!has_next) return BranchKind::kUnknown;
      const unsigned operation = next >> 3 & 7;
      if (operation == 2 || operation == 3) return BranchKind::kIndirectCall;
      if (operation == 4 || operation == 5) return BranchKind::kIndirectJump;
      return BranchKind::kUnknown;
    }
    default:
      return BranchKind::kUnknown;
  }
}

}  // namespace symbols
