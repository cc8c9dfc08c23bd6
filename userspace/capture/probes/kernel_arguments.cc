// SPDX-License-Identifier: BSD-2-Clause
#include "capture/probes/kernel_arguments.h"

#include <bpf/btf.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <utility>

#include "probes/argument_place.h"
#include "util/nearest.h"

namespace capture {
namespace {

using probes::Argument;
using probes::ArgumentType;
using probes::Part;
using probes::Passing;
using probes::Place;
using probes::ResolvedValue;
using probes::ValueText;

constexpr int kMaxDepth = 32;

util::Error Refuse(std::string text) { return {std::move(text), ""}; }

// One function's types and values.
class FunctionTypes {
 public:
  FunctionTypes(const btf* types, uint32_t prototype, probes::Machine machine)
      : types_(types), prototype_(btf__type_by_id(types, prototype)), machine_(machine) {}

  util::Result<Argument> Find(const ValueText& text) const {
    const btf_param* const parameters = btf_params(prototype_);
    const size_t count = btf_vlen(prototype_);
    std::vector<std::string> names;
    for (size_t i = 0; i < count; ++i) {
      if (parameters[i].type != 0)
        names.push_back(NameAt(parameters[i].name_off));  // 0: variable arguments
    }
    const auto found = std::ranges::find(names, text.base);
    if (found == names.end()) {
      return Refuse(names.empty() ? "the function has no parameters"
                                  : fmt::format("the function has no such parameter; it has: {}",
                                                fmt::join(names, ", ")));
    }
    const auto index = static_cast<size_t>(found - names.begin());
    const auto result = PassingOf(prototype_->type);
    probes::ParameterPlacer placer(machine_, result && (result->in_memory || result->by_reference));
    for (size_t i = 0; i <= index; ++i) {
      const auto passing = PassingOf(parameters[i].type);
      if (!passing) return Refuse("its type, or that of a parameter before it, cannot be read");
      const auto place = placer.Next(*passing);
      if (i != index) continue;
      if (!place) return place.error();
      return Value(*place, parameters[i].type, text);
    }
    return Refuse("it is not found");
  }

  util::Result<Argument> FindResult(const std::string& wanted) const {
    if (prototype_->type == 0) return Refuse(probes::kReturnsNothing);
    const auto passing = PassingOf(prototype_->type);
    if (!passing || passing->in_memory || passing->by_reference) {
      return Refuse("the type that the function returns cannot be read");
    }
    ValueText text;
    text.name = "retval";
    text.type = wanted;
    return Value(Place::InRegisters(
                     {probes::ResultRegister(machine_, 0), probes::ResultRegister(machine_, 1)}),
                 prototype_->type, text);
  }

 private:
  struct Member {
    uint32_t type = 0;
    uint64_t bit_offset = 0;  // from the structure's begin
    uint32_t bits = 0;        // of a bit field; 0: none
  };

  std::string NameAt(uint32_t offset) const {
    const char* name = btf__name_by_offset(types_, offset);
    return name != nullptr ? name : "";
  }
  std::string NameOf(const btf_type* type) const { return NameAt(type->name_off); }

  // Without typedefs, qualifiers and tags; null: void.
  const btf_type* Peel(uint32_t id) const {
    for (int depth = 0; depth < kMaxDepth && id != 0; ++depth) {
      const btf_type* type = btf__type_by_id(types_, id);
      if (type == nullptr) return nullptr;
      if (!btf_is_mod(type) && !btf_is_typedef(type)) return type;
      id = type->type;
    }
    return nullptr;
  }

  // Bytes; 0: not known.
  uint64_t SizeOf(uint32_t id) const {
    const int64_t size = btf__resolve_size(types_, id);
    return size > 0 ? static_cast<uint64_t>(size) : 0;
  }

  std::optional<Passing> PassingOf(uint32_t id) const {
    Passing passing;
    const btf_type* type = Peel(id);
    passing.size = SizeOf(id);
    if (type == nullptr || passing.size == 0 || btf_is_float(type)) return std::nullopt;
    if (passing.size <= 16) {
      passing.parts.assign((passing.size + 7) / 8, Part::kInteger);
    } else if (machine_ == probes::Machine::kX86) {
      passing.in_memory = true;
    } else {
      passing.by_reference = true;
      passing.parts = {Part::kInteger};
    }
    return passing;
  }

  // Also in members without names.
  std::optional<Member> FindMember(const btf_type* type, std::string_view name, uint64_t base,
                                   int depth, std::vector<std::string>* known) const {
    if (depth == kMaxDepth || !btf_is_composite(type)) return std::nullopt;
    const btf_member* members = btf_members(type);
    for (uint32_t i = 0; i < btf_vlen(type); ++i) {
      const std::string own = NameAt(members[i].name_off);
      const Member member{members[i].type, base + btf_member_bit_offset(type, i),
                          btf_member_bitfield_size(type, i)};
      if (own == name) return member;
      if (!own.empty()) {
        known->push_back(own);
        continue;
      }
      const btf_type* inner = Peel(member.type);
      if (inner == nullptr) continue;
      if (auto found = FindMember(inner, name, member.bit_offset, depth + 1, known)) return found;
    }
    return std::nullopt;
  }

  util::Status Step(const ValueText::Step& step, Place* place, Member* member) const {
    if (member->bits != 0) return Refuse("a bit field has no members");
    const btf_type* type = Peel(member->type);
    if (type == nullptr) return Refuse("it has no type");
    const bool is_pointer = btf_is_ptr(type);
    if (is_pointer) {
      auto followed = place->Follow();
      if (!followed) return followed.TakeError();
      *place = *followed;
    }
    if (step.member.empty()) {
      if (!is_pointer && !btf_is_array(type)) return Refuse("it is neither a pointer nor an array");
      member->type = is_pointer ? type->type : btf_array(type)->type;
      const uint64_t size = SizeOf(member->type);
      if (size == 0 || size > INT32_MAX) return Refuse("the size of its elements is not known");
      const auto limit = static_cast<int64_t>(INT32_MAX / 2 / size);
      if (step.index > limit || step.index < -limit) return Refuse("the index is too large");
      place->offset += static_cast<uint64_t>(step.index) * size;
    } else {
      if (is_pointer) type = Peel(type->type);
      if (type == nullptr) return Refuse("it points to nothing that has a type");
      if (btf_is_fwd(type))
        return Refuse(fmt::format("the members of {} are not in the kernel's BTF", NameOf(type)));
      if (!btf_is_composite(type)) return Refuse("it is not a structure");
      std::vector<std::string> known;
      const auto found = FindMember(type, step.member, 0, 0, &known);
      if (!found) {
        const std::string nearest = util::Nearest(step.member, known);
        return Refuse(fmt::format(
            "{} has no member '{}'{}", NameOf(type).empty() ? "the structure" : NameOf(type),
            step.member, nearest.empty() ? "" : fmt::format("; did you mean '{}'?", nearest)));
      }
      *member = *found;
      place->offset += member->bit_offset / 8;
      member->bit_offset %= 8;
    }
    const auto offset = static_cast<int64_t>(place->offset);
    if (offset > INT32_MAX / 2 || offset < INT32_MIN / 2) return Refuse("its offset is too large");
    return util::Ok();
  }

  util::Result<Argument> Value(Place place, uint32_t id, const ValueText& text) const {
    Member member{id, 0, 0};
    for (const ValueText::Step& step : text.path) {
      if (auto status = Step(step, &place, &member); !status) return status.error();
    }
    auto argument = text.type == "str" ? Text(place, member) : Number(place, member, text.type);
    if (argument) argument->name = text.name;
    return argument;
  }

  bool IsCharacter(uint32_t id) const {
    const btf_type* type = Peel(id);
    return type != nullptr && btf_is_int(type) && type->size == 1;
  }

  util::Result<Argument> Text(const Place& place, const Member& member) const {
    const btf_type* type = Peel(member.type);
    if (type == nullptr) return Refuse("it has no type");
    if (btf_is_ptr(type)) {
      if (Peel(type->type) != nullptr && !IsCharacter(type->type))
        return Refuse("it points to no characters");
      return place.ReadText();
    }
    if (!btf_is_array(type) || !IsCharacter(btf_array(type)->type))
      return Refuse("it is not a string");
    return place.ReadTextArray(btf_array(type)->nelems);
  }

  util::Result<Argument> Number(const Place& place, const Member& member,
                                const std::string& wanted) const {
    const btf_type* type = Peel(member.type);
    if (type == nullptr) return Refuse("it has no type");
    Argument argument;
    uint64_t size = SizeOf(member.type);
    if (btf_is_int(type)) {
      argument.type.is_signed = (btf_int_encoding(type) & BTF_INT_SIGNED) != 0;
      if ((btf_int_encoding(type) & BTF_INT_BOOL) != 0)
        argument.type.form = ArgumentType::Form::kBool;
    } else if (btf_is_any_enum(type)) {
      // Before Linux 6.0 the flag is not set.
      argument.type.is_signed = btf_kflag(type) || HasNegative(type);
    } else if (btf_is_ptr(type)) {
      argument.type.form = ArgumentType::Form::kPointer;
    } else if (btf_is_composite(type)) {
      return Refuse("it is a structure: write a member of it, as in value.member");
    } else {
      return Refuse("it has no type that can be shown");
    }
    if (!wanted.empty()) {
      argument.type = *probes::FindType(wanted);
      size = std::min<uint64_t>(size, argument.type.bytes);
    }
    if (size != 1 && size != 2 && size != 4 && size != 8) {
      return Refuse(fmt::format("it has {} bytes; numbers have up to 8", size));
    }
    argument.type.bytes = static_cast<unsigned>(size);
    // A bit field may begin in any byte of what its type covers.
    const uint64_t bits = member.bits != 0 ? member.bits : 8 * size;
    const uint64_t bytes = member.bits != 0 ? (member.bit_offset + bits + 7) / 8 : size;
    if (bytes > 8) return Refuse("the bit field covers more than 8 bytes");
    auto operand = place.Read(bytes, member.bit_offset, bits, argument.type.is_signed);
    if (!operand) return operand.TakeError();
    argument.operand = *operand;
    return argument;
  }

  static bool HasNegative(const btf_type* type) {
    if (!btf_is_enum(type)) return false;
    const struct btf_enum* values = btf_enum(type);
    return std::any_of(values, values + btf_vlen(type),
                       [](const struct btf_enum& each) { return each.val < 0; });
  }

  const btf* types_;
  const btf_type* prototype_;
  probes::Machine machine_;
};

ResolvedValue Resolved(util::Result<Argument> argument) {
  ResolvedValue value;
  if (argument) {
    value.argument = std::move(*argument);
  } else {
    value.error = argument.error().message;
  }
  return value;
}

constexpr const char* kNoPrototype =
    "the kernel's BTF does not have the function: the compiler changed its parameters, or they are "
    "not known";

}  // namespace

void KernelArguments::FreeBtf::operator()(btf* types) const { btf__free(types); }

util::Result<KernelArguments> KernelArguments::Load() {
  BtfPtr types(btf__load_vmlinux_btf());
  if (!types) {
    return util::Error{
        fmt::format("the types of the kernel's functions cannot be read: {}", strerror(errno)),
        "it takes CONFIG_DEBUG_INFO_BTF; arguments by position need no types: arg1, arg2:str"};
  }
  return KernelArguments(std::move(types), probes::HostMachine());
}

KernelArguments::KernelArguments(BtfPtr kernel, probes::Machine machine) : machine_(machine) {
  modules_[""] = Index(std::move(kernel), 1);
}

KernelArguments::Types KernelArguments::Index(BtfPtr types, uint32_t first) {
  Types indexed;
  indexed.types = std::move(types);
  const btf* const all = indexed.types.get();
  for (uint32_t id = first; all != nullptr && id < btf__type_cnt(all); ++id) {
    const btf_type* type = btf__type_by_id(all, id);
    if (btf_is_func(type))
      indexed.functions.try_emplace(btf__name_by_offset(all, type->name_off), type->type);
  }
  return indexed;
}

std::pair<const btf*, uint32_t> KernelArguments::PrototypeOf(const KernelFunction& function) {
  auto module = modules_.find(function.module);
  if (module == modules_.end()) {
    btf* const kernel = modules_[""].types.get();
    BtfPtr types(btf__load_module_btf(function.module.c_str(), kernel));
    module =
        modules_.emplace(function.module, Index(std::move(types), btf__type_cnt(kernel))).first;
  }
  const auto found = module->second.functions.find(function.name);
  if (found == module->second.functions.end()) return {nullptr, 0};
  return {module->second.types.get(), found->second};
}

probes::FunctionArguments KernelArguments::Find(const KernelFunction& function,
                                                const probes::ArgumentQuery& query) {
  probes::FunctionArguments found;
  const auto [types, prototype] = PrototypeOf(function);
  if (types == nullptr) {
    found.values.assign(query.values.size(), {kNoPrototype, {}});
    found.result.error = kNoPrototype;
    return found;
  }
  const FunctionTypes function_types(types, prototype, machine_);
  for (const ValueText& text : query.values)
    found.values.push_back(Resolved(function_types.Find(text)));
  if (query.wants_result) found.result = Resolved(function_types.FindResult(query.result_type));
  return found;
}

}  // namespace capture
