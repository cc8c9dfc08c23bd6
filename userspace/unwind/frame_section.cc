// SPDX-License-Identifier: BSD-2-Clause
#include "unwind/frame_section.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace unwind {
namespace {

// DWARF numbers of registers (System V ABI, x86-64 supplement, 3.6.2; DWARF for the Arm 64-bit
// Architecture, 4.1).
struct Registers {
  uint64_t bp = 0;
  uint64_t sp = 0;
  uint64_t return_address = 0;
  uint64_t di = 0;
  bool has_link = false;  // calls leave the return address in a register
};
constexpr Registers kX86{.bp = 6, .sp = 7, .return_address = 16, .di = 5, .has_link = false};
constexpr Registers kArm{
    .bp = 29, .sp = 31, .return_address = 30, .di = UINT64_MAX, .has_link = true};
constexpr int64_t kWord = 8;

const Registers& RegistersOf(uint16_t machine) { return machine == EM_AARCH64 ? kArm : kX86; }

// Limits of what one function may need.
constexpr size_t kMaxRememberedRows = 64;
constexpr size_t kMaxExpressionBytes = 64;

// Encodings of pointers (Linux Standard Base, 10.5).
constexpr uint8_t kFormatMask = 0x0f;
constexpr uint8_t kBaseMask = 0x70;
constexpr uint8_t kRelativeToPlace = 0x10;
constexpr uint8_t kIndirect = 0x80;
constexpr uint8_t kOmitted = 0xff;

// Reads little-endian data. After an error all results are 0 and `ok()` is false.
class Cursor {
 public:
  Cursor(std::span<const std::byte> bytes, size_t position) : bytes_(bytes), position_(position) {
    if (position > bytes.size()) Fail();
  }

  bool ok() const { return ok_; }
  bool at_end() const { return !ok_ || position_ == bytes_.size(); }
  size_t position() const { return position_; }
  void Fail() {
    ok_ = false;
    position_ = bytes_.size();
  }

  template <typename Integer>
  Integer Read() {
    Integer value{};
    if (bytes_.size() - position_ < sizeof(value)) {
      Fail();
      return 0;
    }
    std::memcpy(&value, bytes_.data() + position_, sizeof(value));
    position_ += sizeof(value);
    return value;
  }
  uint8_t Byte() { return Read<uint8_t>(); }

  uint64_t Unsigned() {
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 70; shift += 7) {
      const uint8_t byte = Byte();
      if (shift < 64) value |= static_cast<uint64_t>(byte & 0x7f) << shift;
      if ((byte & 0x80) == 0) return value;
    }
    Fail();
    return 0;
  }
  int64_t Signed() {
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 70; shift += 7) {
      const uint8_t byte = Byte();
      if (shift < 64) value |= static_cast<uint64_t>(byte & 0x7f) << shift;
      if ((byte & 0x80) != 0) continue;
      if ((byte & 0x40) != 0 && shift + 7 < 64) value |= ~uint64_t{0} << (shift + 7);
      return static_cast<int64_t>(value);
    }
    Fail();
    return 0;
  }
  std::span<const std::byte> Bytes(uint64_t size) {
    if (size > bytes_.size() - position_) {
      Fail();
      return {};
    }
    const auto bytes = bytes_.subspan(position_, size);
    position_ += size;
    return bytes;
  }
  std::string_view Text() {
    const size_t begin = position_;
    while (Byte() != 0 && ok_) {
    }
    if (!ok_) return {};
    return {reinterpret_cast<const char*>(bytes_.data()) + begin, position_ - 1 - begin};
  }

 private:
  std::span<const std::byte> bytes_;
  size_t position_;
  bool ok_ = true;
};

// Rule of one register of the caller.
struct RegisterRule {
  enum class Kind : uint8_t { kSame, kUndefined, kAtCfa, kAtBp, kInDi, kOther };
  Kind kind = Kind::kSame;
  int64_t offset = 0;
};

struct CfaRule {
  enum class Kind : uint8_t { kRegister, kDereferenced, kPlt, kOther };
  Kind kind = Kind::kOther;
  uint64_t base = 0;  // a register
  int64_t offset = 0;
  int64_t add = 0;
};

// A row of the table that the instructions build.
struct Rules {
  CfaRule cfa;
  RegisterRule bp;
  RegisterRule return_address;
};

// A common information entry (CIE).
struct Common {
  uint64_t code_factor = 1;
  int64_t data_factor = 1;
  uint8_t pointer_encoding = 0;
  bool has_augmentation = false;
  bool is_signal_frame = false;
  Rules rules;
};

std::optional<int32_t> Narrow(int64_t value) {
  if (value < std::numeric_limits<int32_t>::min() || value > std::numeric_limits<int32_t>::max()) {
    return std::nullopt;
  }
  return static_cast<int32_t>(value);
}

// Decodes the few expressions that occur: a word of the stack as the CFA, and the PLT's.
CfaRule DecodeCfaExpression(std::span<const std::byte> expression, const Registers& registers) {
  constexpr uint8_t kRegisterOffset = 0x70;  // DW_OP_breg0
  constexpr uint8_t kDereference = 0x06;
  constexpr uint8_t kPlusConstant = 0x23;
  CfaRule rule;
  if (expression.size() > kMaxExpressionBytes) return rule;
  Cursor cursor(expression, 0);
  const uint8_t first = cursor.Byte();
  if (first != kRegisterOffset + registers.sp && first != kRegisterOffset + registers.bp)
    return rule;
  rule.base = first - kRegisterOffset;
  rule.offset = cursor.Signed();
  if (cursor.at_end()) {
    if (cursor.ok()) rule.kind = CfaRule::Kind::kRegister;
    return rule;
  }
  const uint8_t second = cursor.Byte();
  if (second == kDereference) {
    if (!cursor.at_end()) {
      if (cursor.Byte() != kPlusConstant) return rule;
      const uint64_t add = cursor.Unsigned();
      if (add > static_cast<uint64_t>(std::numeric_limits<int32_t>::max())) return rule;
      rule.add = static_cast<int64_t>(add);
    }
    if (cursor.ok() && cursor.at_end()) rule.kind = CfaRule::Kind::kDereferenced;
    return rule;
  }
  // sp + N + ((pc & 15) >= M) * 8, of the linker's PLT: breg16 0; lit15; and; litM; ge; lit3; shl;
  // plus.
  constexpr uint8_t kLiteral = 0x30;
  constexpr uint8_t kBefore[] = {0x80, 0x00, 0x3f, 0x1a};
  constexpr uint8_t kAfter[] = {0x2a, 0x33, 0x24, 0x22};
  if (rule.base != registers.sp || expression.size() < cursor.position() - 1 + 9) return rule;
  bool matches = second == kBefore[0];
  for (size_t i = 1; i < std::size(kBefore); ++i) matches &= cursor.Byte() == kBefore[i];
  const uint8_t literal = cursor.Byte();
  matches &= literal >= kLiteral && literal < kLiteral + 16;
  for (const uint8_t byte : kAfter) matches &= cursor.Byte() == byte;
  if (!matches || !cursor.ok() || !cursor.at_end()) return rule;
  rule.add = literal - kLiteral;
  rule.kind = CfaRule::Kind::kPlt;
  return rule;
}

// The place of a saved register: a word at a fixed distance from bp.
RegisterRule DecodePlace(std::span<const std::byte> expression, const Registers& registers) {
  constexpr uint8_t kRegisterOffset = 0x70;  // DW_OP_breg0
  RegisterRule rule{RegisterRule::Kind::kOther, 0};
  if (expression.size() > kMaxExpressionBytes) return rule;
  Cursor cursor(expression, 0);
  if (cursor.Byte() != kRegisterOffset + registers.bp) return rule;
  rule.offset = cursor.Signed();
  if (cursor.ok() && cursor.at_end()) rule.kind = RegisterRule::Kind::kAtBp;
  return rule;
}

fxr_unwind_rule OfKind(fxr_unwind_kind kind) {
  fxr_unwind_rule rule{};
  rule.kind = static_cast<fxr_u8>(kind);
  return rule;
}

// Sets where the return address is. Returns false if the programs cannot find it there.
bool SetReturn(const Rules& rules, const Registers& registers, fxr_unwind_rule* compact) {
  const RegisterRule& place = rules.return_address;
  if (place.kind == RegisterRule::Kind::kAtCfa) {
    if (place.offset == -kWord) return true;
    compact->return_place = FXR_UNWIND_RETURN_AT_CFA;
    compact->return_offset = static_cast<fxr_s16>(place.offset);
    return registers.has_link && compact->return_offset == place.offset;
  }
  compact->return_place = FXR_UNWIND_RETURN_IN_REGISTER;
  return registers.has_link && place.kind == RegisterRule::Kind::kSame;
}

fxr_unwind_rule Compact(const Rules& rules, bool is_signal_frame, const Registers& registers) {
  fxr_unwind_rule compact{};
  const fxr_unwind_rule unsupported = OfKind(FXR_UNWIND_UNSUPPORTED);
  if (rules.return_address.kind == RegisterRule::Kind::kUndefined) {
    compact.kind = FXR_UNWIND_END;
    return compact;
  }
  const CfaRule& cfa = rules.cfa;
  const auto offset = Narrow(cfa.offset);
  const auto add = Narrow(cfa.add);
  if (!offset || !add || (cfa.base != registers.sp && cfa.base != registers.bp)) return unsupported;
  compact.offset = *offset;
  compact.add = *add;
  if (is_signal_frame) {
    // The registers of the interrupted code are at fixed places behind its stack pointer's.
    if (cfa.kind != CfaRule::Kind::kDereferenced || cfa.base != registers.sp || cfa.add != 0 ||
        registers.has_link) {
      return unsupported;
    }
    compact.kind = FXR_UNWIND_SIGNAL;
    compact.offset -= FXR_UNWIND_SIGNAL_SP;
    return compact;
  }
  if (rules.return_address.kind == RegisterRule::Kind::kInDi) {
    const bool is_alike = cfa.kind == CfaRule::Kind::kRegister && cfa.base == registers.sp &&
                          rules.bp.kind == RegisterRule::Kind::kSame;
    if (!is_alike) return unsupported;
    compact.kind = FXR_UNWIND_RETURN_IN_DI;
    return compact;
  }
  if (!SetReturn(rules, registers, &compact)) return unsupported;
  switch (cfa.kind) {
    case CfaRule::Kind::kRegister:
      compact.kind = cfa.base == registers.sp ? FXR_UNWIND_SP : FXR_UNWIND_BP;
      break;
    case CfaRule::Kind::kDereferenced:
      compact.kind = cfa.base == registers.sp ? FXR_UNWIND_SP_DEREF : FXR_UNWIND_BP_DEREF;
      break;
    case CfaRule::Kind::kPlt:
      compact.kind = FXR_UNWIND_PLT;
      break;
    case CfaRule::Kind::kOther:
      return unsupported;
  }
  const bool is_near = rules.bp.offset >= std::numeric_limits<int16_t>::min() &&
                       rules.bp.offset <= std::numeric_limits<int16_t>::max();
  compact.bp = FXR_UNWIND_BP_LOST;
  if (rules.bp.kind == RegisterRule::Kind::kSame) {
    compact.bp = FXR_UNWIND_BP_SAME;
  } else if (rules.bp.kind == RegisterRule::Kind::kAtCfa && is_near) {
    compact.bp = FXR_UNWIND_BP_AT_CFA;
  } else if (rules.bp.kind == RegisterRule::Kind::kAtBp && is_near) {
    compact.bp = FXR_UNWIND_BP_AT_BP;
  }
  if (compact.bp == FXR_UNWIND_BP_AT_CFA || compact.bp == FXR_UNWIND_BP_AT_BP) {
    compact.bp_offset = static_cast<int16_t>(rules.bp.offset);
  }
  return compact;
}

class SectionReader {
 public:
  SectionReader(const FrameSection& section, const FunctionHandler& handler)
      : section_(section), handler_(handler), registers_(RegistersOf(section.machine)) {}

  void Read() {
    size_t position = 0;
    while (position < section_.bytes.size()) {
      const std::optional<Entry> entry = EntryAt(position);
      if (!entry) return;
      position = entry->end;
      if (entry->common) continue;
      if (!ReadFunction(*entry)) return;
    }
  }

 private:
  // An entry of the section: a CIE, or a function's (FDE), which names its CIE.
  struct Entry {
    size_t content = 0;  // behind the CIE pointer
    size_t end = 0;
    bool common = false;
    size_t common_position = 0;
  };

  // Empty at the end of the section.
  std::optional<Entry> EntryAt(size_t position) const {
    Cursor cursor(section_.bytes, position);
    uint64_t length = cursor.Read<uint32_t>();
    const bool is_long = length == UINT32_MAX;
    if (is_long) length = cursor.Read<uint64_t>();
    const size_t begin = cursor.position();
    if (!cursor.ok() || length > section_.bytes.size() - begin) return std::nullopt;
    if (length == 0) {
      // .eh_frame ends so.
      if (!section_.is_debug) return std::nullopt;
      return Entry{begin, begin, true, 0};
    }
    Entry entry;
    entry.end = begin + length;
    // .eh_frame has pointers of 4 bytes, also in long entries.
    const bool is_wide = is_long && section_.is_debug;
    const uint64_t pointer = is_wide ? cursor.Read<uint64_t>() : cursor.Read<uint32_t>();
    if (!cursor.ok() || cursor.position() > entry.end) return std::nullopt;
    entry.content = cursor.position();
    if (section_.is_debug) {
      entry.common = pointer == (is_wide ? UINT64_MAX : uint64_t{UINT32_MAX});
      entry.common_position = pointer;
    } else {
      entry.common = pointer == 0;
      entry.common_position = begin - pointer;
    }
    return entry;
  }

  // Null for a malformed one.
  const Common* CommonAt(size_t position) {
    const auto [found, is_new] = commons_.try_emplace(position);
    if (is_new && position < section_.bytes.size()) found->second = ReadCommon(position);
    return found->second ? &*found->second : nullptr;
  }

  std::optional<Common> ReadCommon(size_t position) {
    const std::optional<Entry> entry = EntryAt(position);
    if (!entry || !entry->common) return std::nullopt;
    Cursor cursor(section_.bytes.first(entry->end), entry->content);
    Common common;
    const uint8_t version = cursor.Byte();
    if (version != 1 && version != 3 && version != 4) return std::nullopt;
    const std::string_view augmentation = cursor.Text();
    if (version == 4 && (cursor.Byte() != sizeof(uint64_t) || cursor.Byte() != 0)) {
      return std::nullopt;
    }
    common.code_factor = cursor.Unsigned();
    common.data_factor = cursor.Signed();
    const uint64_t return_address = version == 1 ? cursor.Byte() : cursor.Unsigned();
    if (return_address != registers_.return_address) return std::nullopt;
    if (!augmentation.empty() && !ReadAugmentation(augmentation, &cursor, &common)) {
      return std::nullopt;
    }
    if (!cursor.ok()) return std::nullopt;
    Rules initial;
    if (!Execute(common, section_.bytes.subspan(cursor.position(), entry->end - cursor.position()),
                 nullptr, 0, UINT64_MAX, &initial)) {
      return std::nullopt;
    }
    common.rules = initial;
    return common;
  }

  static bool ReadAugmentation(std::string_view augmentation, Cursor* cursor, Common* common) {
    if (augmentation[0] != 'z') return false;
    common->has_augmentation = true;
    const uint64_t size = cursor->Unsigned();
    const size_t begin = cursor->position();
    for (const char letter : augmentation.substr(1)) {
      if (letter == 'R') {
        common->pointer_encoding = cursor->Byte();
      } else if (letter == 'P') {
        const uint8_t encoding = cursor->Byte();
        ReadPointer(cursor, encoding);
      } else if (letter == 'L') {
        cursor->Byte();
      } else if (letter == 'S') {
        common->is_signal_frame = true;
      } else if (letter != 'B') {
        break;
      }
    }
    if (!cursor->ok() || cursor->position() - begin > size) return false;
    cursor->Bytes(size - (cursor->position() - begin));
    return cursor->ok();
  }

  // The stored value, to which its base must be added.
  static uint64_t ReadPointer(Cursor* cursor, uint8_t encoding) {
    if (encoding == kOmitted) return 0;
    switch (encoding & kFormatMask) {
      case 0x00:
      case 0x04:
      case 0x0c:
        return cursor->Read<uint64_t>();
      case 0x01:
        return cursor->Unsigned();
      case 0x02:
        return cursor->Read<uint16_t>();
      case 0x03:
        return cursor->Read<uint32_t>();
      case 0x09:
        return static_cast<uint64_t>(cursor->Signed());
      case 0x0a:
        return static_cast<uint64_t>(int64_t{cursor->Read<int16_t>()});
      case 0x0b:
        return static_cast<uint64_t>(int64_t{cursor->Read<int32_t>()});
      default:
        cursor->Fail();
        return 0;
    }
  }

  std::optional<uint64_t> ReadAddress(Cursor* cursor, uint8_t encoding) const {
    const uint64_t place = section_.address + cursor->position();
    const uint8_t base = encoding & kBaseMask;
    if ((encoding & kIndirect) != 0 || (base != 0 && base != kRelativeToPlace)) return std::nullopt;
    const uint64_t value = ReadPointer(cursor, encoding);
    if (!cursor->ok()) return std::nullopt;
    return base == kRelativeToPlace ? place + value : value;
  }

  // Returns false if the handler wants no more.
  bool ReadFunction(const Entry& entry) {
    const Common* common = CommonAt(entry.common_position);
    if (common == nullptr) return true;
    Cursor cursor(section_.bytes.first(entry.end), entry.content);
    const auto begin = ReadAddress(&cursor, common->pointer_encoding);
    if (!begin) return true;
    const uint64_t size = ReadPointer(&cursor, common->pointer_encoding & kFormatMask);
    // The linker leaves entries of removed functions at address 0.
    if (!cursor.ok() || size == 0 || *begin == 0 || *begin + size < *begin) return true;
    if (common->has_augmentation) cursor.Bytes(cursor.Unsigned());
    if (!cursor.ok()) return true;
    const uint64_t end = *begin + size;
    rows_.clear();
    Rules rules = common->rules;
    rows_.push_back({*begin, Compact(rules, common->is_signal_frame, registers_)});
    const bool is_whole =
        Execute(*common, section_.bytes.subspan(cursor.position(), entry.end - cursor.position()),
                &rows_, *begin, end, &rules);
    // The rules after a malformed instruction are unknown.
    if (!is_whole) {
      Put(rows_.back().address, OfKind(FXR_UNWIND_UNSUPPORTED), &rows_);
    }
    return handler_(*begin, end, rows_);
  }

  static void Put(uint64_t address, const fxr_unwind_rule& rule, std::vector<FrameRow>* rows) {
    if (rows->back().address == address) {
      rows->back().rule = rule;
    } else if (std::memcmp(&rows->back().rule, &rule, sizeof(rule)) != 0) {
      rows->push_back({address, rule});
    }
  }

  // Executes instructions from `*rules` on. Without `rows` those of a CIE. Returns false for
  // malformed ones.
  bool Execute(const Common& common, std::span<const std::byte> instructions,
               std::vector<FrameRow>* rows, uint64_t address, uint64_t end, Rules* rules) {
    Cursor cursor(instructions, 0);
    std::vector<Rules> remembered;
    const auto set = [&](uint64_t number, RegisterRule rule) {
      if (number == registers_.bp) rules->bp = rule;
      if (number == registers_.return_address) rules->return_address = rule;
    };
    const auto restore = [&](uint64_t number) {
      if (number == registers_.bp) rules->bp = common.rules.bp;
      if (number == registers_.return_address) rules->return_address = common.rules.return_address;
    };
    const auto at_cfa = [&](uint64_t factored) {
      return RegisterRule{
          RegisterRule::Kind::kAtCfa,
          static_cast<int64_t>(factored * static_cast<uint64_t>(common.data_factor))};
    };
    const auto factor = [&](int64_t value) {
      return static_cast<int64_t>(static_cast<uint64_t>(value) *
                                  static_cast<uint64_t>(common.data_factor));
    };
    const auto set_cfa = [&](uint64_t base, int64_t offset) {
      rules->cfa = {CfaRule::Kind::kRegister, base, offset, 0};
    };
    bool has_ended = false;
    const auto advance_to = [&](uint64_t next) {
      if (rows == nullptr || next < address) {
        cursor.Fail();
        return;
      }
      Put(address, Compact(*rules, common.is_signal_frame, registers_), rows);
      address = next;
      has_ended = address >= end;
    };
    const auto advance = [&](uint64_t delta) { advance_to(address + delta * common.code_factor); };

    while (!cursor.at_end() && !has_ended) {
      const uint8_t instruction = cursor.Byte();
      const uint8_t low = instruction & 0x3f;
      switch (instruction >> 6) {
        case 1:  // DW_CFA_advance_loc
          advance(low);
          continue;
        case 2:  // DW_CFA_offset
          set(low, at_cfa(cursor.Unsigned()));
          continue;
        case 3:  // DW_CFA_restore
          restore(low);
          continue;
        default:
          break;
      }
      uint64_t number = 0;
      switch (instruction) {
        case 0x00:  // DW_CFA_nop
          break;
        case 0x01:  // DW_CFA_set_loc
          if (const auto next = ReadSetLocation(common, &cursor)) {
            advance_to(*next);
          } else {
            cursor.Fail();
          }
          break;
        case 0x02:  // DW_CFA_advance_loc1
          advance(cursor.Byte());
          break;
        case 0x03:  // DW_CFA_advance_loc2
          advance(cursor.Read<uint16_t>());
          break;
        case 0x04:  // DW_CFA_advance_loc4
          advance(cursor.Read<uint32_t>());
          break;
        case 0x05:  // DW_CFA_offset_extended
          number = cursor.Unsigned();
          set(number, at_cfa(cursor.Unsigned()));
          break;
        case 0x06:  // DW_CFA_restore_extended
          restore(cursor.Unsigned());
          break;
        case 0x07:  // DW_CFA_undefined
          set(cursor.Unsigned(), {RegisterRule::Kind::kUndefined, 0});
          break;
        case 0x08:  // DW_CFA_same_value
          set(cursor.Unsigned(), {RegisterRule::Kind::kSame, 0});
          break;
        case 0x09:  // DW_CFA_register
          number = cursor.Unsigned();
          set(number, {cursor.Unsigned() == registers_.di ? RegisterRule::Kind::kInDi
                                                          : RegisterRule::Kind::kOther,
                       0});
          break;
        case 0x0a:  // DW_CFA_remember_state
          if (remembered.size() >= kMaxRememberedRows) {
            cursor.Fail();
          } else {
            remembered.push_back(*rules);
          }
          break;
        case 0x0b:  // DW_CFA_restore_state
          if (remembered.empty()) {
            cursor.Fail();
          } else {
            *rules = remembered.back();
            remembered.pop_back();
          }
          break;
        case 0x0c:  // DW_CFA_def_cfa
          number = cursor.Unsigned();
          set_cfa(number, static_cast<int64_t>(cursor.Unsigned()));
          break;
        case 0x0d:  // DW_CFA_def_cfa_register
          set_cfa(cursor.Unsigned(), rules->cfa.offset);
          break;
        case 0x0e:  // DW_CFA_def_cfa_offset
          set_cfa(rules->cfa.base, static_cast<int64_t>(cursor.Unsigned()));
          break;
        case 0x0f:  // DW_CFA_def_cfa_expression
          rules->cfa = DecodeCfaExpression(cursor.Bytes(cursor.Unsigned()), registers_);
          break;
        case 0x10:  // DW_CFA_expression
          number = cursor.Unsigned();
          set(number, DecodePlace(cursor.Bytes(cursor.Unsigned()), registers_));
          break;
        case 0x11:  // DW_CFA_offset_extended_sf
          number = cursor.Unsigned();
          set(number, {RegisterRule::Kind::kAtCfa, factor(cursor.Signed())});
          break;
        case 0x12:  // DW_CFA_def_cfa_sf
          number = cursor.Unsigned();
          set_cfa(number, factor(cursor.Signed()));
          break;
        case 0x13:  // DW_CFA_def_cfa_offset_sf
          set_cfa(rules->cfa.base, factor(cursor.Signed()));
          break;
        case 0x14:  // DW_CFA_val_offset
        case 0x15:  // DW_CFA_val_offset_sf
          number = cursor.Unsigned();
          cursor.Unsigned();
          set(number, {RegisterRule::Kind::kOther, 0});
          break;
        case 0x16:  // DW_CFA_val_expression
          number = cursor.Unsigned();
          cursor.Bytes(cursor.Unsigned());
          set(number, {RegisterRule::Kind::kOther, 0});
          break;
        case 0x2d:  // DW_CFA_AARCH64_negate_ra_state; of other machines DW_CFA_GNU_window_save
          // The programs remove authentication codes from all return addresses.
          if (section_.machine != EM_AARCH64) cursor.Fail();
          break;
        case 0x2e:  // DW_CFA_GNU_args_size
          cursor.Unsigned();
          break;
        case 0x2f:  // DW_CFA_GNU_negative_offset_extended
          number = cursor.Unsigned();
          set(number, at_cfa(-cursor.Unsigned()));
          break;
        default:
          cursor.Fail();
      }
    }
    if (rows != nullptr && cursor.ok() && !has_ended) {
      Put(address, Compact(*rules, common.is_signal_frame, registers_), rows);
    }
    if (rows != nullptr && !cursor.ok() && address > rows->back().address) {
      rows->push_back({address, {}});
    }
    return cursor.ok();
  }

  // Absolute addresses alone: no assembler emits others.
  std::optional<uint64_t> ReadSetLocation(const Common& common, Cursor* cursor) const {
    if ((common.pointer_encoding & ~kFormatMask) != 0) return std::nullopt;
    const uint64_t address = ReadPointer(cursor, common.pointer_encoding);
    return cursor->ok() ? std::optional(address) : std::nullopt;
  }

  const FrameSection& section_;
  const FunctionHandler& handler_;
  const Registers& registers_;
  std::unordered_map<size_t, std::optional<Common>> commons_;
  std::vector<FrameRow> rows_;
};

}  // namespace

bool IsKnownMachine(uint16_t machine) { return machine == EM_X86_64 || machine == EM_AARCH64; }

void ReadFrameSection(const FrameSection& section, const FunctionHandler& handler) {
  SectionReader(section, handler).Read();
}

}  // namespace unwind
