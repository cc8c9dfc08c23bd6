// SPDX-License-Identifier: BSD-2-Clause
#include "probes/argument_place.h"

#include <fmt/format.h>

#include <algorithm>

namespace probes {

Place Place::InMemory(Register base, int64_t offset) {
  Place place;
  place.in_memory = true;
  place.address.source = base.offset;
  place.offset = static_cast<uint64_t>(offset);
  return place;
}

Place Place::InRegisters(std::initializer_list<Register> registers) {
  Place place;
  for (const Register& each : registers) place.registers.at(place.register_count++) = each;
  return place;
}

util::Result<Place> Place::Follow() const {
  Place target;
  target.in_memory = true;
  if (!in_memory) {
    const size_t part = offset / 8;
    if (offset % 8 != 0 || part >= register_count) return util::Error{"it is in no register", ""};
    target.address.source = registers.at(part).offset;
    return target;
  }
  target.address = address;
  if (target.address.steps == FXR_PROBE_STEPS - 1) {
    return util::Error{
        fmt::format("more than {} pointers would have to be followed", FXR_PROBE_STEPS - 1), ""};
  }
  target.address.offsets[target.address.steps++] = static_cast<fxr_s32>(offset);
  return target;
}

util::Result<fxr_probe_operand> Place::Read(uint64_t bytes, uint64_t shift, uint64_t bits,
                                            bool is_signed) const {
  fxr_probe_operand operand = address;
  if (in_memory) {
    operand.offsets[operand.steps++] = static_cast<fxr_s32>(offset);
    // The pointers before it are read whole.
    operand.bytes = static_cast<fxr_u8>(bytes);
    operand.shift = static_cast<fxr_u8>(shift);
  } else {
    const size_t part = offset / 8;
    const uint64_t in_register = offset % 8 * 8 + shift;
    if (part >= register_count || in_register + bits > 64)
      return util::Error{"it is in no register", ""};
    operand.source = registers.at(part).offset;
    operand.shift = static_cast<fxr_u8>(in_register);
  }
  operand.bits = static_cast<fxr_u8>(bits);
  operand.is_signed = is_signed;
  return operand;
}

util::Result<Argument> Place::ReadText() const {
  auto operand = Read(8, 0, 64, false);
  if (!operand) return operand.TakeError();
  Argument argument;
  argument.operand = *operand;
  argument.MakeText(FXR_PROBE_TEXT_BYTES);
  return argument;
}

util::Result<Argument> Place::ReadTextArray(uint64_t size) const {
  if (!in_memory) return util::Error{"it is in a register", ""};
  Argument argument;
  argument.operand = address;
  argument.operand.addend = static_cast<fxr_s32>(offset);
  argument.operand.bits = 64;
  argument.operand.bytes = 8;
  // Without a size it is the last member, and has what was allocated.
  argument.MakeText(size == 0 ? FXR_PROBE_TEXT_BYTES
                              : std::min<uint64_t>(size + 1, FXR_PROBE_TEXT_BYTES));
  return argument;
}

ParameterPlacer::ParameterPlacer(Machine machine, bool has_result_address) : machine_(machine) {
  // On 64-bit ARM it has a register of its own.
  if (has_result_address && machine == Machine::kX86) ++integers_;
}

util::Result<Place> ParameterPlacer::Next(const Passing& passing) {
  const unsigned max_integers = machine_ == Machine::kX86 ? 6 : 8;
  constexpr unsigned kMaxFloats = 8;
  const auto count = [&](Part part) {
    return static_cast<unsigned>(std::ranges::count(passing.parts, part));
  };
  const bool fits = !passing.in_memory && integers_ + count(Part::kInteger) <= max_integers &&
                    floats_ + count(Part::kFloat) <= kMaxFloats;
  if (!fits) {
    const Place place = Place::InMemory(StackPointer(machine_),
                                        EntryStackOffset(machine_) + static_cast<int64_t>(stack_));
    stack_ += ((passing.by_reference ? 8 : passing.size) + 7) / 8 * 8;
    const bool is_integer = !passing.parts.empty() && passing.parts[0] == Part::kInteger;
    if (machine_ == Machine::kArm && is_integer) integers_ = max_integers;
    return passing.by_reference ? place.Follow() : util::Result<Place>(place);
  }
  Place place;
  for (const Part part : passing.parts) {
    if (part == Part::kFloat) {
      ++floats_;
      continue;
    }
    const auto found = ArgumentRegister(machine_, integers_++);
    if (found && place.register_count < 2) place.registers.at(place.register_count++) = *found;
  }
  if (count(Part::kFloat) != 0) return util::Error{kInFloatRegister, ""};
  if (passing.by_reference) return Place::InMemory(place.registers[0], 0);
  return place;
}

}  // namespace probes
