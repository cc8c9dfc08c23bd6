// SPDX-License-Identifier: BSD-2-Clause
#include "vm/probe/kernel_types.h"

#include <cstring>
#include <fstream>
#include <iterator>

namespace probe {
namespace {

struct Header {
  uint16_t magic;
  uint8_t version;
  uint8_t flags;
  uint32_t header_bytes;
  uint32_t type_offset;
  uint32_t type_bytes;
  uint32_t string_offset;
  uint32_t string_bytes;
};
constexpr uint16_t kMagic = 0xeb9f;

uint32_t KindOf(uint32_t info) { return info >> 24 & 31; }
uint32_t CountOf(uint32_t info) { return info & 0xffff; }

// Returns the number of bytes after a type of this kind, or -1 for an unknown kind.
int64_t TrailingBytes(uint32_t info) {
  const int64_t count = CountOf(info);
  switch (KindOf(info)) {
    case 1:   // INT
    case 14:  // VAR
    case 17:  // DECL_TAG
      return 4;
    case 3:  // ARRAY
      return 12;
    case 4:   // STRUCT
    case 5:   // UNION
    case 15:  // DATASEC
    case 19:  // ENUM64
      return 12 * count;
    case 6:   // ENUM
    case 13:  // FUNC_PROTO
      return 8 * count;
    case 2:   // PTR
    case 7:   // FWD
    case 8:   // TYPEDEF
    case 9:   // VOLATILE
    case 10:  // CONST
    case 11:  // RESTRICT
    case 12:  // FUNC
    case 16:  // FLOAT
    case 18:  // TYPE_TAG
      return 0;
    default:
      return -1;
  }
}

uint32_t ReadWord(const std::string& data, size_t offset) {
  uint32_t word = 0;
  memcpy(&word, data.data() + offset, sizeof(word));
  return word;
}

}  // namespace

KernelTypes KernelTypes::Load(const char* path) {
  KernelTypes result;
  std::ifstream file(path, std::ios::binary);
  result.data_.assign(std::istreambuf_iterator<char>(file), {});
  const std::string& data = result.data_;
  Header header = {};
  if (data.size() < sizeof(header)) return result;
  memcpy(&header, data.data(), sizeof(header));
  const size_t types_end = size_t{header.header_bytes} + header.type_offset + header.type_bytes;
  result.strings_ = size_t{header.header_bytes} + header.string_offset;
  result.strings_end_ = result.strings_ + header.string_bytes;
  if (header.magic != kMagic || types_end > data.size() || result.strings_end_ > data.size()) {
    return result;
  }
  result.types_.push_back({});
  size_t at = size_t{header.header_bytes} + header.type_offset;
  while (at + 12 <= types_end) {
    const Type type = {ReadWord(data, at), ReadWord(data, at + 4), ReadWord(data, at + 8), at + 12};
    const int64_t trailing = TrailingBytes(type.info);
    result.highest_kind_ = std::max(result.highest_kind_, KindOf(type.info));
    if (trailing < 0 || type.trailing + static_cast<size_t>(trailing) > types_end) break;
    result.types_.push_back(type);
    at = type.trailing + static_cast<size_t>(trailing);
  }
  return result;
}

const char* KernelTypes::NameAt(uint32_t offset) const {
  // The section ends with a zero byte, so a string at any offset is terminated.
  return strings_ + offset < strings_end_ ? data_.data() + strings_ + offset : "";
}

uint32_t KernelTypes::Find(uint32_t kind, const std::string& name) const {
  for (uint32_t id = 1; id < types_.size(); ++id) {
    if (KindOf(types_[id].info) == kind && name == NameAt(types_[id].name)) return id;
  }
  return 0;
}

bool KernelTypes::StructHasMember(const std::string& structure, const std::string& member) const {
  const uint32_t id = Find(kStruct, structure);
  if (id == 0) return false;
  for (uint32_t i = 0; i < CountOf(types_[id].info); ++i) {
    if (member == NameAt(ReadWord(data_, types_[id].trailing + size_t{i} * 12))) return true;
  }
  return false;
}

int KernelTypes::TracepointParameters(const std::string& name) const {
  // typedef void (*btf_trace_NAME)(void *, parameters...)
  const uint32_t id = FindTypedef("btf_trace_" + name);
  if (id == 0 || types_[id].size >= types_.size()) return -1;
  const Type& pointer = types_[types_[id].size];
  if (KindOf(pointer.info) != kPointer || pointer.size >= types_.size()) return -1;
  return static_cast<int>(CountOf(types_[pointer.size].info)) - 1;
}

}  // namespace probe
