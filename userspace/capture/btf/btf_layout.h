// SPDX-License-Identifier: BSD-2-Clause
// The layout of BTF: Documentation/bpf/btf.rst, sections 2 and 3.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace capture {

struct BtfHeader {
  uint16_t magic;
  uint8_t version;
  uint8_t flags;
  uint32_t header_bytes;
  uint32_t type_offset;  // bytes from the end of the header; string_offset too
  uint32_t type_bytes;
  uint32_t string_offset;
  uint32_t string_bytes;
};
inline constexpr uint16_t kBtfMagic = 0xeb9f;
inline constexpr uint8_t kBtfVersion = 1;

enum class BtfKind : uint8_t {
  kVoid,
  kInteger,
  kPointer,
  kArray,
  kStruct,
  kUnion,
  kEnum,
  kForward,
  kTypedef,
  kVolatile,
  kConst,
  kRestrict,
  kFunction,
  kPrototype,
  kVariable,
  kSection,
  kFloat,
  kDeclarationTag,
  kTypeTag,
  kEnum64,
};

// A type is three words: name, kind with number of members, and size or referenced type. Its
// members follow.
struct BtfType {
  uint32_t name;  // offset into the strings
  uint32_t info;
  uint32_t size_or_type;

  BtfKind kind() const { return static_cast<BtfKind>(info >> 24 & 31); }
  uint32_t count() const { return info & 0xffff; }
};

struct BtfMemberBytes {
  int8_t fixed;  // -1: no such kind
  int8_t each;
};
// Bytes after a type of each kind that Linux 6.0 knows.
inline constexpr std::array<BtfMemberBytes, 32> kBtfMemberBytes = [] {
  std::array<BtfMemberBytes, 32> bytes{};
  bytes.fill({-1, 0});
  constexpr BtfMemberBytes kKnown[] = {{-1, 0}, {4, 0},  {0, 0}, {12, 0}, {0, 12}, {0, 12}, {0, 8},
                                       {0, 0},  {0, 0},  {0, 0}, {0, 0},  {0, 0},  {0, 0},  {0, 8},
                                       {4, 0},  {0, 12}, {0, 0}, {4, 0},  {0, 0},  {0, 12}};
  std::copy(std::begin(kKnown), std::end(kKnown), bytes.begin());
  return bytes;
}();

}  // namespace capture
