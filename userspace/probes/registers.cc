// SPDX-License-Identifier: BSD-2-Clause
#include "probes/registers.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

namespace probes {
namespace {

// In the order of struct pt_regs, 8 bytes each.
constexpr std::array<std::string_view, 21> kX86 = {"r15", "r14", "r13", "r12", "bp", "bx", "r11",
                                                   "r10", "r9",  "r8",  "ax",  "cx", "dx", "si",
                                                   "di",  "",    "ip",  "cs",  "",   "sp", "ss"};
constexpr std::array<std::string_view, 16> kX86Dwarf = {"ax",  "dx",  "cx",  "bx", "si",  "di",
                                                        "bp",  "sp",  "r8",  "r9", "r10", "r11",
                                                        "r12", "r13", "r14", "r15"};
constexpr std::array<std::string_view, 6> kX86Arguments = {"di", "si", "dx", "cx", "r8", "r9"};
constexpr unsigned kArmArguments = 8;
constexpr unsigned kArmStackPointer = 31;

std::optional<Register> FindX86(std::string_view name, unsigned bytes) {
  const auto found = std::ranges::find(kX86, name);
  if (name.empty() || found == kX86.end()) return std::nullopt;
  return Register{static_cast<uint16_t>(8 * (found - kX86.begin())), bytes};
}

std::optional<Register> FindX86(std::string_view name) {
  if (auto whole = FindX86(name, 8)) return whole;
  if (name.size() == 3 && name[0] == 'r' && name[2] != 'd') return FindX86(name.substr(1), 8);
  if (name.size() == 3 && name[0] == 'e') return FindX86(name.substr(1), 4);
  if (name.size() > 2 && name[0] == 'r' && name.back() == 'd')
    return FindX86(name.substr(0, name.size() - 1), 4);
  return std::nullopt;
}

Register Arm(unsigned number, unsigned bytes = 8) {
  return {static_cast<uint16_t>(8 * number), bytes};
}

std::optional<Register> FindArm(std::string_view name) {
  if (name == "sp") return Arm(kArmStackPointer);
  if (name == "lr") return Arm(30);
  if (name.size() < 2 || name.size() > 3 || (name[0] != 'x' && name[0] != 'w')) return std::nullopt;
  unsigned number = 0;
  for (const char c : name.substr(1)) {
    if (std::isdigit(static_cast<unsigned char>(c)) == 0) return std::nullopt;
    number = number * 10 + static_cast<unsigned>(c - '0');
  }
  if (number >= kArmStackPointer) return std::nullopt;
  return Arm(number, name[0] == 'x' ? 8 : 4);
}

}  // namespace

std::optional<Register> FindRegister(Machine machine, std::string_view name) {
  return machine == Machine::kX86 ? FindX86(name) : FindArm(name);
}

std::optional<Register> DwarfRegister(Machine machine, unsigned number) {
  if (machine == Machine::kX86) {
    return number < kX86Dwarf.size() ? FindX86(kX86Dwarf.at(number), 8) : std::nullopt;
  }
  if (number > kArmStackPointer) return std::nullopt;
  return Arm(number);
}

std::optional<Register> ArgumentRegister(Machine machine, unsigned index) {
  if (machine == Machine::kX86) {
    return index < kX86Arguments.size() ? FindX86(kX86Arguments.at(index), 8) : std::nullopt;
  }
  if (index >= kArmArguments) return std::nullopt;
  return Arm(index);
}

Register ResultRegister(Machine machine, unsigned index) {
  if (machine == Machine::kArm) return Arm(index);
  return *FindX86(index == 0 ? "ax" : "dx", 8);
}

Register StackPointer(Machine machine) {
  return machine == Machine::kX86 ? *FindX86("sp", 8) : Arm(kArmStackPointer);
}

}  // namespace probes
