// SPDX-License-Identifier: BSD-2-Clause
#include "probes/dwarf_arguments.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gelf.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "probes/argument_place.h"
#include "util/nearest.h"

namespace probes {
namespace {

// Limits for files that any user may have made.
constexpr size_t kMaxUnits = size_t{1} << 20;
constexpr size_t kMaxParameters = 64;
constexpr size_t kMaxMembers = 4096;
constexpr size_t kMaxEntries = size_t{1} << 24;  // of a unit
// Entries at the begin of a unit that are searched for its first type. The search runs for each
// function of a pattern.
constexpr size_t kEntriesWithTypes = 4096;
constexpr int kMaxDepth = 16;

// libdw returns texts that stand among the attributes without a look for their end. It looks for it
// on its way to the next attribute.
bool HasWholeAttributes(Dwarf_Die* die) {
  return dwarf_getattrs(
             die, [](Dwarf_Attribute*, void*) { return static_cast<int>(DWARF_CB_OK); }, nullptr,
             0) == 1;
}

// The same for texts of the sections that consist of texts: false if one does not end with a text's
// end. After dwarf_begin_elf(), which decompresses them.
bool HasWholeTexts(Elf* elf) {
  constexpr std::array<std::string_view, 3> kSections = {".debug_str", ".debug_line_str",
                                                         ".zdebug_str"};
  size_t names = 0;
  if (elf_getshdrstrndx(elf, &names) != 0) return false;
  for (Elf_Scn* section = elf_nextscn(elf, nullptr); section != nullptr;
       section = elf_nextscn(elf, section)) {
    GElf_Shdr header;
    if (gelf_getshdr(section, &header) == nullptr) continue;
    const char* name = elf_strptr(elf, names, header.sh_name);
    if (name == nullptr || std::ranges::find(kSections, name) == kSections.end()) continue;
    const Elf_Data* data = elf_rawdata(section, nullptr);
    if (data == nullptr || data->d_buf == nullptr || data->d_size == 0) continue;
    if (static_cast<const char*>(data->d_buf)[data->d_size - 1] != '\0') return false;
  }
  return true;
}

std::string NameOf(Dwarf_Die* die) {
  Dwarf_Die at = *die;
  for (int depth = 0; depth < kMaxDepth; ++depth) {
    Dwarf_Attribute value;
    if (dwarf_attr(&at, DW_AT_name, &value) != nullptr) {
      if (dwarf_whatform(&value) == DW_FORM_string && !HasWholeAttributes(&at)) return {};
      const char* name = dwarf_formstring(&value);
      return name != nullptr ? std::string(name).substr(0, 200) : std::string();
    }
    // A definition has the name of its declaration.
    Dwarf_Die other;
    if (dwarf_formref_die(dwarf_attr(&at, DW_AT_abstract_origin, &value), &other) == nullptr &&
        dwarf_formref_die(dwarf_attr(&at, DW_AT_specification, &value), &other) == nullptr) {
      return {};
    }
    at = other;
  }
  return {};
}

// Whether the compilation unit describes types. Debug information of -g1 has none, and no function
// there has a return type.
bool HasTypes(Dwarf_Die* die) {
  Dwarf_Die unit;
  Dwarf_Die at;
  if (dwarf_diecu(die, &unit, nullptr, nullptr) == nullptr || dwarf_child(&unit, &at) != 0) {
    return false;
  }
  for (size_t count = 0; count < kEntriesWithTypes; ++count) {
    if (dwarf_tag(&at) == DW_TAG_base_type) return true;
    if (dwarf_siblingof(&at, &at) != 0) return false;
  }
  return false;
}

std::optional<uint64_t> NumberOf(Dwarf_Die* die, unsigned attribute) {
  Dwarf_Attribute value;
  Dwarf_Word number = 0;
  if (dwarf_formudata(dwarf_attr_integrate(die, attribute, &value), &number) != 0)
    return std::nullopt;
  return number;
}

// The type of a parameter, member, pointer or function; false for void.
bool TypeOf(Dwarf_Die* die, Dwarf_Die* type) {
  Dwarf_Attribute value;
  return dwarf_formref_die(dwarf_attr_integrate(die, DW_AT_type, &value), type) != nullptr;
}

// Without typedefs and qualifiers; false if that is void.
bool Peel(Dwarf_Die* type) {
  for (int depth = 0; depth < kMaxDepth; ++depth) {
    switch (dwarf_tag(type)) {
      case DW_TAG_typedef:
      case DW_TAG_const_type:
      case DW_TAG_volatile_type:
      case DW_TAG_restrict_type:
      case DW_TAG_atomic_type: {
        Dwarf_Die next;
        if (!TypeOf(type, &next)) return false;
        *type = next;
        break;
      }
      default:
        return true;
    }
  }
  return false;
}

bool IsReference(int tag) {
  return tag == DW_TAG_reference_type || tag == DW_TAG_rvalue_reference_type;
}
bool IsStruct(int tag) {
  return tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_union_type;
}

// The type that `die` points to, without typedefs and qualifiers; false for void.
bool Pointee(Dwarf_Die* die, Dwarf_Die* type) { return TypeOf(die, type) && Peel(type); }

// Bytes; 0 if not known.
uint64_t SizeOf(Dwarf_Die* type) {
  const int tag = dwarf_tag(type);
  if (tag == DW_TAG_pointer_type || IsReference(tag)) return 8;
  Dwarf_Word size = 0;
  if (dwarf_aggregate_size(type, &size) != 0) return 0;
  return size;
}

bool IsText(Dwarf_Die* type) {
  if (dwarf_tag(type) != DW_TAG_base_type || SizeOf(type) != 1) return false;
  const uint64_t encoding = NumberOf(type, DW_AT_encoding).value_or(0);
  return encoding == DW_ATE_signed_char || encoding == DW_ATE_unsigned_char ||
         encoding == DW_ATE_UTF || encoding == DW_ATE_unsigned || encoding == DW_ATE_signed;
}

struct Member {
  Dwarf_Die type{};
  uint64_t byte_offset = 0;
  uint64_t bit_offset = 0;  // within what begins at byte_offset
  uint64_t bits = 0;        // of a bit field; 0: none
};

// Result of a search for a member.
enum class Search : uint8_t { kFound, kNone, kUnsupported };

Search MemberAt(Dwarf_Die* child, uint64_t base, Member* found) {
  if (!TypeOf(child, &found->type)) return Search::kUnsupported;
  found->byte_offset = base;
  Dwarf_Attribute attribute;
  if (dwarf_attr_integrate(child, DW_AT_data_member_location, &attribute) != nullptr) {
    Dwarf_Word offset = 0;
    // Members behind a virtual base class have an expression.
    if (dwarf_formudata(&attribute, &offset) != 0 || offset > INT32_MAX)
      return Search::kUnsupported;
    found->byte_offset += offset;
  }
  found->bits = NumberOf(child, DW_AT_bit_size).value_or(0);
  if (found->bits > 64) return Search::kUnsupported;
  if (found->bits != 0) {
    auto offset = NumberOf(child, DW_AT_data_bit_offset);
    if (!offset) {
      // Before DWARF 4, and clang still: from the most significant bit of what has DW_AT_byte_size.
      const auto from_top = NumberOf(child, DW_AT_bit_offset);
      const auto bytes = NumberOf(child, DW_AT_byte_size);
      if (from_top && bytes && *bytes <= 16 && *from_top <= 128 &&
          *from_top + found->bits <= 8 * *bytes) {
        offset = 8 * *bytes - *from_top - found->bits;
      }
    }
    if (!offset || *offset > INT32_MAX) return Search::kUnsupported;
    found->byte_offset += *offset / 8;
    found->bit_offset = *offset % 8;
    if (found->bit_offset + found->bits > 64) return Search::kUnsupported;
  }
  return Search::kFound;
}

// Also in base classes and members without names. `budget`: members that may still be looked at.
Search FindMember(Dwarf_Die* type, std::string_view name, uint64_t base, int depth, size_t* budget,
                  Member* found, std::vector<std::string>* known) {
  Dwarf_Die child;
  if (depth > kMaxDepth || dwarf_child(type, &child) != 0) return Search::kNone;
  do {
    if ((*budget)-- == 0) return Search::kUnsupported;
    const int tag = dwarf_tag(&child);
    if (tag != DW_TAG_member && tag != DW_TAG_inheritance) continue;
    const std::string own = tag == DW_TAG_member ? NameOf(&child) : std::string();
    if (own == name) return MemberAt(&child, base, found);
    if (!own.empty()) {
      known->push_back(own);
      continue;
    }
    Member inner;
    if (MemberAt(&child, base, &inner) != Search::kFound || !Peel(&inner.type)) continue;
    const Search search =
        FindMember(&inner.type, name, inner.byte_offset, depth + 1, budget, found, known);
    if (search != Search::kNone) return search;
  } while (dwarf_siblingof(&child, &child) == 0);
  return Search::kNone;
}

// libstdc++'s std::string where the debug information only declares it, as clang's does: an address
// and a length.
bool IsDeclaredString(Dwarf_Die* type) {
  Dwarf_Attribute declaration;
  return dwarf_attr(type, DW_AT_declaration, &declaration) != nullptr &&
         NameOf(type).starts_with(
             "basic_string<char, std::char_traits<char>, std::allocator<char>");
}

// True if a class, or what it consists of, has a user-provided destructor: C++ then passes it by
// address. gcc does not write DW_AT_calling_convention.
bool HasDestructor(Dwarf_Die type, int depth, size_t* budget) {
  Dwarf_Die child;
  if (depth > kMaxDepth || !Peel(&type)) return false;
  if (dwarf_tag(&type) == DW_TAG_array_type) {
    Dwarf_Die element;
    return TypeOf(&type, &element) && HasDestructor(element, depth + 1, budget);
  }
  if (!IsStruct(dwarf_tag(&type)) || dwarf_child(&type, &child) != 0) return false;
  do {
    if (*budget == 0) return false;
    --*budget;
    const int tag = dwarf_tag(&child);
    Dwarf_Attribute attribute;
    if (tag == DW_TAG_subprogram && dwarf_attr(&child, DW_AT_artificial, &attribute) == nullptr &&
        dwarf_attr(&child, DW_AT_defaulted, &attribute) == nullptr &&
        NameOf(&child).starts_with('~')) {
      return true;
    }
    if (tag != DW_TAG_member && tag != DW_TAG_inheritance) continue;
    Dwarf_Die inner;
    if (dwarf_attr(&child, DW_AT_external, &attribute) == nullptr && TypeOf(&child, &inner) &&
        HasDestructor(inner, depth + 1, budget)) {
      return true;
    }
  } while (dwarf_siblingof(&child, &child) == 0);
  return false;
}

// False: not known.
bool Classify(Dwarf_Die type, uint64_t offset, int depth, size_t* budget,
              std::array<Part, 2>* parts, size_t* floats) {
  if (depth > kMaxDepth || *budget == 0 || !Peel(&type)) return false;
  --*budget;
  const auto merge = [&](Part part) {
    if (offset >= 16) return false;
    Part& at = (*parts)[offset / 8];
    at = at == Part::kInteger ? at : part;
    return true;
  };
  const int tag = dwarf_tag(&type);
  if (tag == DW_TAG_base_type) {
    const bool is_float = NumberOf(&type, DW_AT_encoding).value_or(0) == DW_ATE_float;
    if (is_float) ++*floats;
    if (SizeOf(&type) > 8) return false;
    return merge(is_float ? Part::kFloat : Part::kInteger);
  }
  if (tag == DW_TAG_pointer_type || tag == DW_TAG_enumeration_type || IsReference(tag) ||
      tag == DW_TAG_unspecified_type || tag == DW_TAG_ptr_to_member_type) {
    if (tag == DW_TAG_ptr_to_member_type && SizeOf(&type) > 8) return false;
    return merge(Part::kInteger);
  }
  if (tag == DW_TAG_array_type) {
    Dwarf_Die element;
    if (!TypeOf(&type, &element)) return false;
    const uint64_t size = SizeOf(&element);
    const uint64_t whole = SizeOf(&type);
    if (size == 0 || whole > 16) return false;
    for (uint64_t at = 0; at < whole; at += size) {
      if (!Classify(element, offset + at, depth + 1, budget, parts, floats)) return false;
    }
    return true;
  }
  if (!IsStruct(tag)) return false;
  Dwarf_Die child;
  if (dwarf_child(&type, &child) != 0) return true;
  do {
    const int kind = dwarf_tag(&child);
    if (kind != DW_TAG_member && kind != DW_TAG_inheritance) {
      if (kind == DW_TAG_variant_part) return false;
      continue;
    }
    Dwarf_Attribute attribute;
    if (dwarf_attr(&child, DW_AT_external, &attribute) != nullptr) continue;  // static
    Member member;
    if (MemberAt(&child, offset, &member) != Search::kFound ||
        !Classify(member.type, member.byte_offset, depth + 1, budget, parts, floats)) {
      return false;
    }
  } while (dwarf_siblingof(&child, &child) == 0);
  return true;
}

// Class of this type in the calling convention; nothing: not known.
std::optional<Passing> PassingOf(Dwarf_Die type, Machine machine) {
  if (!Peel(&type)) return std::nullopt;
  Passing passing;
  const int tag = dwarf_tag(&type);
  passing.size = SizeOf(&type);
  size_t members = kMaxMembers;
  const auto convention = NumberOf(&type, DW_AT_calling_convention);
  const bool by_reference =
      convention ? *convention == DW_CC_pass_by_reference : HasDestructor(type, 0, &members);
  if (IsStruct(tag) && (by_reference || IsDeclaredString(&type))) {
    passing.by_reference = true;
    passing.parts = {Part::kInteger};
    return passing;
  }
  if (passing.size == 0) return std::nullopt;
  if (tag == DW_TAG_base_type && passing.size == 16) {
    const bool is_float = NumberOf(&type, DW_AT_encoding).value_or(0) == DW_ATE_float;
    if (is_float && machine == Machine::kX86) passing.in_memory = true;
    passing.parts.assign(is_float ? 1 : 2, is_float ? Part::kFloat : Part::kInteger);
    return passing;
  }
  if (passing.size > 16) {
    if (machine == Machine::kX86) {
      passing.in_memory = true;
    } else {
      passing.by_reference = true;
      passing.parts = {Part::kInteger};
    }
    return passing;
  }
  std::array<Part, 2> parts{};
  size_t budget = kMaxMembers;
  size_t floats = 0;
  if (!Classify(type, 0, 0, &budget, &parts, &floats)) return std::nullopt;
  const size_t words = (passing.size + 7) / 8;
  if (machine == Machine::kArm) {
    const bool only_floats =
        std::ranges::none_of(parts, [](Part part) { return part == Part::kInteger; });
    if (only_floats && floats != 0 && floats <= 4) {
      passing.parts.assign(floats, Part::kFloat);
    } else {
      passing.parts.assign(words, Part::kInteger);
    }
    return passing;
  }
  for (size_t i = 0; i < words; ++i) {
    passing.parts.push_back(parts.at(i) == Part::kNone ? Part::kFloat : parts.at(i));
  }
  return passing;
}

}  // namespace

struct DwarfArguments::Impl {
  struct EndDwarf {
    void operator()(Dwarf* opened) const { dwarf_end(opened); }
  };
  using DwarfPtr = std::unique_ptr<Dwarf, EndDwarf>;
  using Found = util::Result<Place>;

  // Closed last.
  symbols::ElfFile file;
  std::optional<symbols::ElfFile> alternate_file;
  Machine machine = HostMachine();
  DwarfPtr alternate;
  DwarfPtr dwarf;

  // dwarf_getscopes() does not look into namespaces, where clang has the definitions of functions.
  static bool FindBelow(Dwarf_Die* parent, uint64_t address, int depth, size_t* budget,
                        Dwarf_Die* function) {
    Dwarf_Die child;
    if (depth > kMaxDepth || dwarf_child(parent, &child) != 0) return false;
    do {
      if (*budget == 0) return false;
      --*budget;
      const int tag = dwarf_tag(&child);
      Dwarf_Addr entry = 0;
      if (tag == DW_TAG_subprogram && dwarf_entrypc(&child, &entry) == 0 && entry == address) {
        *function = child;
        return true;
      }
      const bool has_functions = tag == DW_TAG_namespace || tag == DW_TAG_module ||
                                 tag == DW_TAG_subprogram || IsStruct(tag);
      if (has_functions && FindBelow(&child, address, depth + 1, budget, function)) return true;
    } while (dwarf_siblingof(&child, &child) == 0);
    return false;
  }

  bool FindFunction(uint64_t address, Dwarf_Die* function) const {
    Dwarf_CU* unit = nullptr;
    Dwarf_Die die;
    for (size_t units = 0; units < kMaxUnits; ++units) {
      if (dwarf_get_units(dwarf.get(), unit, &unit, nullptr, nullptr, &die, nullptr) != 0) break;
      if (dwarf_tag(&die) != DW_TAG_compile_unit || dwarf_haspc(&die, address) <= 0) continue;
      size_t budget = kMaxEntries;
      if (FindBelow(&die, address, 0, &budget, function)) return true;
    }
    return false;
  }

  static std::vector<Dwarf_Die> ParametersOf(Dwarf_Die* function) {
    std::vector<Dwarf_Die> parameters;
    Dwarf_Die child;
    if (dwarf_child(function, &child) != 0) return parameters;
    do {
      if (dwarf_tag(&child) == DW_TAG_formal_parameter) parameters.push_back(child);
    } while (parameters.size() < kMaxParameters && dwarf_siblingof(&child, &child) == 0);
    return parameters;
  }

  static util::Error Refuse(std::string text) { return {std::move(text), ""}; }

  // The location of parameter number `index` by the calling convention.
  Found PlaceByConvention(Dwarf_Die* function, std::vector<Dwarf_Die> parameters,
                          size_t index) const {
    bool has_result_address = false;
    Dwarf_Die type;
    if (machine == Machine::kX86 && TypeOf(function, &type)) {
      const auto result = PassingOf(type, machine);
      if (!result) return Refuse("the type that the function returns is not known");
      Dwarf_Die peeled = type;
      has_result_address = (result->by_reference || result->in_memory) && Peel(&peeled) &&
                           dwarf_tag(&peeled) != DW_TAG_base_type;
    }
    ParameterPlacer placer(machine, has_result_address);
    for (size_t i = 0; i <= index; ++i) {
      if (!TypeOf(&parameters[i], &type)) return Refuse("its type is not known");
      const auto passing = PassingOf(type, machine);
      if (!passing) return Refuse("its type, or that of a parameter before it, cannot be read");
      auto place = placer.Next(*passing);
      if (i == index) return place;
    }
    return Refuse("it is not found");
  }

  Found PlaceOf(Dwarf_Die* function, const std::vector<Dwarf_Die>& parameters, size_t index,
                const Function& of) const {
    Dwarf_Die parameter = parameters[index];
    Dwarf_Attribute location;
    if (dwarf_attr(&parameter, DW_AT_location, &location) == nullptr) {
      Dwarf_Attribute constant;
      if (dwarf_attr(&parameter, DW_AT_const_value, &constant) != nullptr) {
        return Refuse("the compiler made a constant of it in this function");
      }
      return Refuse("the compiler removed it from this function");
    }
    Dwarf_Op* ops = nullptr;
    size_t count = 0;
    Dwarf_Addr base = 0, begin = 0, end = 0;
    bool is_found = false;
    for (ptrdiff_t at = 0;
         (at = dwarf_getlocations(&location, at, &base, &begin, &end, &ops, &count)) > 0;) {
      // If the first range is empty, it is the location on entry.
      is_found = begin <= of.address && (of.address < end || begin == of.address);
      if (is_found) break;
    }
    if (!is_found || count == 0) return Refuse("its location on entry is not known");
    return PlaceFrom(function, parameters, index, of, ops, count);
  }

  static std::optional<unsigned> RegisterOf(const Dwarf_Op& op) {
    if (op.atom >= DW_OP_reg0 && op.atom <= DW_OP_reg31) return op.atom - DW_OP_reg0;
    if (op.atom == DW_OP_regx) return static_cast<unsigned>(op.number);
    return std::nullopt;
  }

  // A register of which a narrow type, mostly bool, takes some bits.
  static bool IsConvertedRegister(const Dwarf_Op* ops, size_t count) {
    if (ops[0].atom < DW_OP_breg0 || ops[0].atom > DW_OP_breg31 || ops[0].number != 0) return false;
    if (ops[count - 1].atom != DW_OP_stack_value) return false;
    return std::all_of(ops + 1, ops + count - 1, [](const Dwarf_Op& op) {
      return op.atom == DW_OP_convert || op.atom == DW_OP_GNU_convert || op.atom == DW_OP_and ||
             op.atom == DW_OP_constu || (op.atom >= DW_OP_lit0 && op.atom <= DW_OP_lit31);
    });
  }

  Found PlaceFrom(Dwarf_Die* function, const std::vector<Dwarf_Die>& parameters, size_t index,
                  const Function& of, const Dwarf_Op* ops, size_t count) const {
    if (RegisterOf(ops[0])) {
      Place place;
      for (size_t i = 0; i < count; ++i) {
        if (ops[i].atom == DW_OP_piece) continue;
        const auto number = RegisterOf(ops[i]);
        const bool has_piece = count > 1;
        if (!number || place.register_count == 2 ||
            (has_piece && (i + 1 >= count || ops[i + 1].atom != DW_OP_piece ||
                           (i + 2 < count && ops[i + 1].number != 8)))) {
          return Refuse("its location is too complex");
        }
        const auto found = DwarfRegister(machine, *number);
        if (!found) return Refuse(kInFloatRegister);
        place.registers.at(place.register_count++) = *found;
      }
      return place;
    }
    if (count > 1 && IsConvertedRegister(ops, count)) {
      const auto found = DwarfRegister(machine, ops[0].atom - DW_OP_breg0);
      if (found) return Place::InRegisters({*found});
    }
    if (count == 1 && ops[0].atom >= DW_OP_breg0 && ops[0].atom <= DW_OP_breg31) {
      const auto found = DwarfRegister(machine, ops[0].atom - DW_OP_breg0);
      const auto offset = static_cast<int64_t>(ops[0].number);
      if (found && offset >= INT32_MIN && offset <= INT32_MAX)
        return Place::InMemory(*found, offset);
    }
    if (ops[0].atom == DW_OP_fbreg) {
      // The function stores it there after its entry, unless the caller did, on the stack.
      const auto offset = static_cast<int64_t>(ops[0].number);
      const auto in_caller = OffsetInCaller(function, offset);
      if (count == 1 && in_caller) return Place::InMemory(StackPointer(machine), *in_caller);
      if (of.is_clone) return Refuse("the compiler changed the parameters of this function");
      return PlaceByConvention(function, parameters, index);
    }
    if (ops[count - 1].atom == DW_OP_stack_value)
      return Refuse("the compiler does not pass it to this function");
    return Refuse("its location is too complex");
  }

  // The offset from the stack pointer on entry, if it is not in the function's own frame.
  std::optional<int64_t> OffsetInCaller(Dwarf_Die* function, int64_t offset) const {
    Dwarf_Attribute frame;
    Dwarf_Op* ops = nullptr;
    size_t count = 0;
    if (offset < 0 || offset > INT32_MAX / 2 ||
        dwarf_getlocation(dwarf_attr_integrate(function, DW_AT_frame_base, &frame), &ops, &count) !=
            0 ||
        count != 1) {
      return std::nullopt;
    }
    if (ops[0].atom == DW_OP_call_frame_cfa) return offset + EntryStackOffset(machine);
    // rbp, which is pushed below the return address
    constexpr int kFramePointer = 6;
    if (machine == Machine::kX86 && ops[0].atom == DW_OP_reg0 + kFramePointer && offset >= 16)
      return offset - 8;
    return std::nullopt;
  }

  // Follows references, which C++ treats as what they refer to.
  static util::Status FollowReferences(Place* place, Dwarf_Die* type) {
    for (int depth = 0; depth < kMaxDepth; ++depth) {
      if (!Peel(type)) return Refuse("it has no type");
      if (!IsReference(dwarf_tag(type))) return util::Ok();
      Dwarf_Die target;
      auto followed = place->Follow();
      if (!followed) return followed.TakeError();
      if (!TypeOf(type, &target)) return Refuse("it has no type");
      *place = *followed;
      *type = target;
    }
    return Refuse("its type is too deep");
  }

  static util::Status Step(const ValueText::Step& step, Place* place, Dwarf_Die* type,
                           Member* member) {
    if (auto status = FollowReferences(place, type); !status) return status;
    if (member->bits != 0) return Refuse("a bit field has no members");
    const int tag = dwarf_tag(type);
    Dwarf_Die target;
    if (step.member.empty()) {
      if (tag != DW_TAG_pointer_type && tag != DW_TAG_array_type)
        return Refuse("it is neither a pointer nor an array");
      if (!TypeOf(type, &target)) return Refuse("it points to nothing that has a type");
      if (tag == DW_TAG_pointer_type) {
        auto followed = place->Follow();
        if (!followed) return followed.TakeError();
        *place = *followed;
      }
      const uint64_t size = SizeOf(&target);
      if (size == 0 || size > INT32_MAX) return Refuse("the size of its elements is not known");
      const auto limit = static_cast<int64_t>(INT32_MAX / 2 / size);
      if (step.index > limit || step.index < -limit) return Refuse("the index is too large");
      place->offset += static_cast<uint64_t>(step.index) * size;
      *type = target;
    } else {
      if (tag == DW_TAG_pointer_type) {
        if (!Pointee(type, &target)) return Refuse("it points to nothing that has a type");
        auto followed = place->Follow();
        if (!followed) return followed.TakeError();
        *place = *followed;
        *type = target;
      }
      if (!IsStruct(dwarf_tag(type))) return Refuse("it is not a structure");
      if (auto status = StepInto(step.member, place, type, member); !status) return status;
    }
    const auto offset = static_cast<int64_t>(place->offset);
    if (offset > INT32_MAX / 2 || offset < INT32_MIN / 2) return Refuse("its offset is too large");
    return util::Ok();
  }

  static util::Status StepInto(const std::string& name, Place* place, Dwarf_Die* type,
                               Member* member) {
    std::vector<std::string> known;
    size_t budget = kMaxMembers;
    const std::string of = NameOf(type);
    Dwarf_Attribute declaration;
    if (dwarf_attr(type, DW_AT_declaration, &declaration) != nullptr) {
      return Refuse(fmt::format("the members of {} are not in this file's debug information", of));
    }
    switch (FindMember(type, name, 0, 0, &budget, member, &known)) {
      case Search::kFound:
        break;
      case Search::kUnsupported:
        return Refuse(fmt::format("where member '{}' of {} is cannot be read", name, of));
      case Search::kNone: {
        const std::string nearest = util::Nearest(name, known);
        return Refuse(nearest.empty() ? fmt::format("{} has no member '{}'", of, name)
                                      : fmt::format("{} has no member '{}'; did you mean '{}'?", of,
                                                    name, nearest));
      }
    }
    place->offset += member->byte_offset;
    *type = member->type;
    return util::Ok();
  }

  // A number, pointer or truth value of the type at the place.
  static util::Result<Argument> Number(const Place& place, Dwarf_Die* type, const Member& member,
                                       const std::string& wanted) {
    Argument argument;
    const int tag = dwarf_tag(type);
    uint64_t size = SizeOf(type);
    if (tag == DW_TAG_base_type) {
      const uint64_t encoding = NumberOf(type, DW_AT_encoding).value_or(0);
      argument.type.is_signed = encoding == DW_ATE_signed || encoding == DW_ATE_signed_char;
      argument.type.is_float = encoding == DW_ATE_float;
      if (encoding == DW_ATE_boolean) argument.type.form = ArgumentType::Form::kBool;
    } else if (tag == DW_TAG_enumeration_type) {
      argument.type.is_signed = IsSignedEnum(type);
    } else if (tag == DW_TAG_pointer_type || tag == DW_TAG_unspecified_type) {
      argument.type.form = ArgumentType::Form::kPointer;
      size = 8;
    } else if (IsStruct(tag)) {
      return Refuse("it is a structure: write a member of it, as in value.member");
    } else {
      return Refuse("it has no type that can be shown");
    }
    if (!wanted.empty()) {
      argument.type = *FindType(wanted);
      if (argument.type.bytes < size || size == 0) size = argument.type.bytes;
    }
    if (size != 1 && size != 2 && size != 4 && size != 8) {
      return Refuse(fmt::format("it has {} bytes; numbers have up to 8", size));
    }
    argument.type.bytes = static_cast<unsigned>(size);
    const uint64_t bits = member.bits != 0 ? member.bits : 8 * size;
    const uint64_t bytes = member.bits != 0 ? (member.bit_offset + member.bits + 7) / 8 : size;
    auto operand = place.Read(bytes, member.bit_offset, bits, argument.type.is_signed);
    if (!operand) return operand.TakeError();
    argument.operand = *operand;
    return argument;
  }

  static bool IsSignedEnum(Dwarf_Die* type) {
    Dwarf_Die underlying;
    if (TypeOf(type, &underlying) && Peel(&underlying)) {
      const uint64_t encoding = NumberOf(&underlying, DW_AT_encoding).value_or(0);
      return encoding == DW_ATE_signed || encoding == DW_ATE_signed_char;
    }
    Dwarf_Die child;
    size_t budget = kMaxMembers;
    if (dwarf_child(type, &child) != 0) return false;
    do {
      Dwarf_Attribute value;
      Dwarf_Sword number = 0;
      if (dwarf_formsdata(dwarf_attr(&child, DW_AT_const_value, &value), &number) == 0 &&
          number < 0)
        return true;
    } while (--budget != 0 && dwarf_siblingof(&child, &child) == 0);
    return false;
  }

  static util::Result<Argument> Text(Place place, Dwarf_Die type) {
    Dwarf_Die target;
    if (dwarf_tag(&type) == DW_TAG_pointer_type) {
      const bool has_type = Pointee(&type, &target);
      if (!has_type || IsText(&target)) {
        return place.ReadText();
      }
      if (!IsStruct(dwarf_tag(&target))) return Refuse("it points to no characters");
      auto followed = place.Follow();
      if (!followed) return followed.TakeError();
      place = *followed;
      type = target;
    }
    if (dwarf_tag(&type) == DW_TAG_array_type) {
      if (!TypeOf(&type, &target) || !Peel(&target) || !IsText(&target))
        return Refuse("it has no characters");
      return place.ReadTextArray(SizeOf(&type));
    }
    if (!IsStruct(dwarf_tag(&type))) return Refuse("it is not a string");
    return Slice(place, type);
  }

  static Argument MakeSlice(const fxr_probe_operand& address, const fxr_probe_operand& length) {
    Argument argument;
    argument.operand = address;
    argument.MakeText(FXR_PROBE_TEXT_BYTES);
    argument.operand.kind = FXR_PROBE_SLICE;
    argument.length = length;
    return argument;
  }

  // The strings of C++ and Rust: structures of an address and a length.
  static util::Result<Argument> Slice(const Place& place, const Dwarf_Die& type) {
    using Path = std::array<std::string_view, 2>;
    struct Layout {
      Path address;
      Path length;
    };
    constexpr std::array<Layout, 5> kLayouts = {
        {{{"_M_dataplus", "_M_p"}, {"_M_string_length", ""}},  // std::string
         {{"_M_str", ""}, {"_M_len", ""}},                     // std::string_view
         {{"__data_", ""}, {"__size_", ""}},                   // the same of libc++
         {{"data_ptr", ""}, {"length", ""}},                   // &str
         {{"data", ""}, {"size", ""}}}};
    Dwarf_Die declared = type;
    if (IsDeclaredString(&declared)) {
      Place length_place = place;
      length_place.offset += 8;
      auto address = place.Read(8, 0, 64, false);
      auto length = length_place.Read(8, 0, 64, false);
      if (address && length) return MakeSlice(*address, *length);
    }
    const auto read = [&](const Path& path) -> util::Result<fxr_probe_operand> {
      Place at = place;
      Dwarf_Die at_type = type;
      for (const std::string_view name : path) {
        if (name.empty()) break;
        Member member;
        if (!Peel(&at_type)) return Refuse("it has no type");
        if (auto status = StepInto(std::string(name), &at, &at_type, &member); !status)
          return status.error();
      }
      return at.Read(8, 0, 64, false);
    };
    for (const Layout& layout : kLayouts) {
      auto address = read(layout.address);
      auto length = read(layout.length);
      if (!address || !length) continue;
      return MakeSlice(*address, *length);
    }
    Dwarf_Die named = type;
    return Refuse(fmt::format("{} is not a readable string type", NameOf(&named)));
  }

  static util::Result<Argument> Value(Place place, Dwarf_Die type, const ValueText& text) {
    Member member;
    for (const ValueText::Step& step : text.path) {
      member = {};
      if (auto status = Step(step, &place, &type, &member); !status) return status.error();
    }
    if (auto status = FollowReferences(&place, &type); !status) return status.error();
    const bool is_text = text.type == "str";
    auto argument = is_text ? Text(place, type) : Number(place, &type, member, text.type);
    if (argument) argument->name = text.name;
    return argument;
  }

  util::Result<Argument> Resolve(Dwarf_Die* function, const std::vector<Dwarf_Die>& parameters,
                                 const Function& of, const ValueText& text) const {
    std::vector<std::string> names;
    for (Dwarf_Die each : parameters) names.push_back(NameOf(&each));
    const auto found = std::ranges::find(names, text.base);
    if (found == names.end()) {
      std::erase(names, "");
      return Refuse(names.empty() ? "the function has no parameters"
                                  : fmt::format("the function has no such parameter; it has: {}",
                                                fmt::join(names, ", ")));
    }
    const auto index = static_cast<size_t>(found - names.begin());
    Dwarf_Die parameter = parameters[index];
    Dwarf_Die type;
    if (!TypeOf(&parameter, &type)) return Refuse("its type is not known");
    auto place = PlaceOf(function, parameters, index, of);
    if (!place) return place.TakeError();
    return Value(*place, type, text);
  }

  util::Result<Argument> Result(Dwarf_Die* function, const std::string& wanted) const {
    Dwarf_Die type;
    if (!TypeOf(function, &type)) {
      return Refuse(HasTypes(function) ? kReturnsNothing
                                       : "there is no debug information on what it returns");
    }
    const auto passing = PassingOf(type, machine);
    if (!passing) return Refuse("the type that the function returns cannot be read");
    Place place;
    if (passing->in_memory || passing->by_reference) {
      if (machine == Machine::kArm)
        return Refuse("where the function returned it is not known any more");
      place = Place::InMemory(ResultRegister(machine, 0), 0);
    } else if (std::ranges::find(passing->parts, Part::kFloat) != passing->parts.end()) {
      return Refuse(kInFloatRegister);
    } else {
      place = Place::InRegisters({ResultRegister(machine, 0), ResultRegister(machine, 1)});
    }
    ValueText text;
    text.name = "retval";
    text.type = wanted;
    return Value(place, type, text);
  }
};

DwarfArguments::DwarfArguments(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
DwarfArguments::DwarfArguments(DwarfArguments&&) noexcept = default;
DwarfArguments& DwarfArguments::operator=(DwarfArguments&&) noexcept = default;
DwarfArguments::~DwarfArguments() = default;

std::optional<DwarfArguments> DwarfArguments::Open(symbols::ElfFile file,
                                                   std::optional<symbols::ElfFile> alternate,
                                                   Machine machine) {
  auto impl =
      std::unique_ptr<Impl>(new Impl{std::move(file), std::move(alternate), machine, {}, {}});
  impl->dwarf.reset(dwarf_begin_elf(impl->file.handle(), DWARF_C_READ, nullptr));
  if (!impl->dwarf || !HasWholeTexts(impl->file.handle())) return std::nullopt;
  if (impl->alternate_file) {
    impl->alternate.reset(dwarf_begin_elf(impl->alternate_file->handle(), DWARF_C_READ, nullptr));
    if (impl->alternate && HasWholeTexts(impl->alternate_file->handle()))
      dwarf_setalt(impl->dwarf.get(), impl->alternate.get());
  }
  return DwarfArguments(std::move(impl));
}

std::vector<ResolvedValue> DwarfArguments::Find(const Function& function,
                                                std::span<const ValueText> texts) const {
  std::vector<ResolvedValue> values(texts.size());
  Dwarf_Die die;
  const bool is_found = impl_->FindFunction(function.address, &die);
  const std::vector<Dwarf_Die> parameters =
      is_found ? Impl::ParametersOf(&die) : std::vector<Dwarf_Die>();
  for (size_t i = 0; i < texts.size(); ++i) {
    if (!is_found) {
      values[i].error = "the function has no debug information";
      continue;
    }
    auto value = impl_->Resolve(&die, parameters, function, texts[i]);
    if (value) {
      values[i].argument = std::move(*value);
    } else {
      values[i].error = value.TakeError().message;
    }
  }
  return values;
}

ResolvedValue DwarfArguments::FindResult(const Function& function, const std::string& type) const {
  Dwarf_Die die;
  ResolvedValue result;
  if (!impl_->FindFunction(function.address, &die)) {
    result.error = "the function has no debug information";
    return result;
  }
  auto value = impl_->Result(&die, type);
  if (value) {
    result.argument = std::move(*value);
  } else {
    result.error = value.TakeError().message;
  }
  return result;
}

}  // namespace probes
