// SPDX-License-Identifier: BSD-2-Clause
// The registers of x86-64 and 64-bit ARM: where probes find them, and which ones have arguments.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace probes {

enum class Machine : uint8_t { kX86, kArm };

// The machine of this program, which is also the kernel's.
constexpr Machine HostMachine() {
#if defined(__aarch64__)
  return Machine::kArm;
#else
  return Machine::kX86;
#endif
}

// A register, or the low bytes of one.
struct Register {
  uint16_t offset = 0;  // in the context of a probe's program: struct pt_regs, on ARM user_pt_regs
  unsigned bytes = 8;
};

// "rdi", "di", "edi", "x0", "w0", "sp"; without a leading %.
std::optional<Register> FindRegister(Machine machine, std::string_view name);
// The general-purpose register with this number in DWARF.
std::optional<Register> DwarfRegister(Machine machine, unsigned number);
// The register of the integer argument `index`, from 0 up; nothing if it is on the stack.
std::optional<Register> ArgumentRegister(Machine machine, unsigned index);
// The registers of a returned value, `index` 0 or 1.
Register ResultRegister(Machine machine, unsigned index);
Register StackPointer(Machine machine);
// Bytes between the stack pointer at a function's entry and its arguments on the stack.
constexpr int EntryStackOffset(Machine machine) { return machine == Machine::kX86 ? 8 : 0; }
// Bytes of the context.
constexpr uint16_t ContextBytes(Machine machine) { return machine == Machine::kX86 ? 168 : 272; }

}  // namespace probes
