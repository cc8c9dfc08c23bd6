// SPDX-License-Identifier: BSD-2-Clause
// Where a value is when a function is entered, and how a probe reads it from there.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <vector>

#include "fxt_record/event.h"
#include "probes/probe.h"
#include "probes/registers.h"
#include "util/result.h"

namespace probes {

// In one or two registers, or in memory at an address.
struct Place {
  bool in_memory = false;
  std::array<Register, 2> registers{};
  unsigned register_count = 0;
  fxr_probe_operand address{};  // reads the address but for `offset`
  uint64_t offset = 0;          // of the value from its begin, bytes

  static Place InMemory(Register base, int64_t offset);
  static Place InRegisters(std::initializer_list<Register> registers);

  // The type that the pointer points to. Errors: too many pointers, part of a register.
  util::Result<Place> Follow() const;
  // Reads `bytes` here, of them `bits` bits from `shift` up.
  util::Result<fxr_probe_operand> Read(uint64_t bytes, uint64_t shift, uint64_t bits,
                                       bool is_signed) const;
  // The text whose address is the pointer here.
  util::Result<Argument> ReadText() const;
  // The text that is here, in an array of `size` bytes; 0: not known. Errors: it is in a register.
  util::Result<Argument> ReadTextArray(uint64_t size) const;
};

// Classes of an argument's parts of 8 bytes in the calling convention.
enum class Part : uint8_t { kNone, kInteger, kFloat };

// Class of a value in the calling convention.
struct Passing {
  bool by_reference = false;
  bool in_memory = false;
  std::vector<Part> parts;
  uint64_t size = 0;  // bytes
};

// Places the parameters of a function in their order, by the calling convention.
class ParameterPlacer {
 public:
  // `has_result_address`: the caller passes the address of the result before them.
  ParameterPlacer(Machine machine, bool has_result_address);
  // Errors: it is in a floating-point register, which concerns no other parameter.
  util::Result<Place> Next(const Passing& passing);

 private:
  Machine machine_;
  unsigned integers_ = 0;
  unsigned floats_ = 0;
  uint64_t stack_ = 0;  // bytes
};

inline constexpr const char* kInFloatRegister =
    "it is in a floating-point register, which the kernel does not give to probes";
inline constexpr const char* kReturnsNothing = "the function returns nothing";

}  // namespace probes
