// SPDX-License-Identifier: BSD-2-Clause
#include "capture/btf/type_subset.h"

#include <cstdint>
#include <cstring>
#include <unordered_map>
#include <vector>

#include "capture/btf/btf_layout.h"

namespace capture {
namespace {

class Subset {
 public:
  explicit Subset(const KernelTypes& types) : types_(types) {
    // As much as the recorder's programs need.
    constexpr size_t kTypes = 4096;
    constexpr size_t kMembers = 16384;
    constexpr size_t kMemberBytes = 12;
    constexpr size_t kNameBytes = 16;
    ids_.reserve(kTypes);
    wanted_.reserve(kTypes);
    names_.reserve(kMembers);
    records_.reserve(kMembers * kMemberBytes);
    strings_.reserve(kMembers * kNameBytes);
  }

  // Returns the id in the subset. Its contents are copied later.
  uint32_t Add(uint32_t id) {
    if (id == 0) return 0;
    const auto [known, is_new] = ids_.try_emplace(id, static_cast<uint32_t>(wanted_.size() + 1));
    if (is_new) wanted_.push_back(id);
    return known->second;
  }

  std::string Finish() {
    // The list grows during the loop.
    for (size_t i = 0; i < wanted_.size(); ++i) Copy(types_.Record(wanted_[i]));
    BtfHeader header{};
    header.magic = kBtfMagic;
    header.version = kBtfVersion;
    header.header_bytes = sizeof(header);
    header.type_bytes = static_cast<uint32_t>(records_.size());
    header.string_offset = header.type_bytes;
    header.string_bytes = static_cast<uint32_t>(strings_.size());
    std::string all(reinterpret_cast<const char*>(&header), sizeof(header));
    return all += records_ + strings_;
  }

 private:
  void Put(uint32_t word) { records_.append(reinterpret_cast<const char*>(&word), sizeof(word)); }
  void Put(const BtfType& type) {
    Put(type.name);
    Put(type.info);
    Put(type.size_or_type);
  }

  uint32_t Name(uint32_t old) {
    if (old == 0) return 0;
    const auto [known, is_new] = names_.try_emplace(old, static_cast<uint32_t>(strings_.size()));
    if (is_new) {
      strings_ += types_.NameAt(old);
      strings_ += '\0';
    }
    return known->second;
  }

  void Copy(std::span<const std::byte> record) {
    BtfType type{};
    std::memcpy(&type, record.data(), sizeof(type));
    const auto members = record.subspan(sizeof(type));
    const auto word = [&](size_t index) {
      uint32_t value = 0;
      std::memcpy(&value, members.data() + index * sizeof(value), sizeof(value));
      return value;
    };
    type.name = Name(type.name);
    switch (type.kind()) {
      case BtfKind::kInteger:
        Put(type);
        return Put(word(0));
      case BtfKind::kArray:
        Put(type);
        Put(Add(word(0)));
        Put(Add(word(1)));
        return Put(word(2));
      case BtfKind::kStruct:
      case BtfKind::kUnion:
        Put(type);
        for (size_t i = 0; i < type.count(); ++i) {
          Put(Name(word(3 * i)));
          Put(Add(word(3 * i + 1)));
          Put(word(3 * i + 2));
        }
        return;
      case BtfKind::kEnum:
      case BtfKind::kEnum64:
        type.info &= ~uint32_t{0xffff};
        return Put(type);
      case BtfKind::kTypedef:
      case BtfKind::kVolatile:
      case BtfKind::kConst:
      case BtfKind::kRestrict:
      case BtfKind::kTypeTag:
        type.size_or_type = Add(type.size_or_type);
        return Put(type);
      case BtfKind::kForward:
      case BtfKind::kFloat:
        return Put(type);
      default:
        // A pointer, or a kind that cannot be a member.
        return Put({0, static_cast<uint32_t>(BtfKind::kPointer) << 24, 0});
    }
  }

  const KernelTypes& types_;
  std::unordered_map<uint32_t, uint32_t> ids_;    // source id to subset id
  std::unordered_map<uint32_t, uint32_t> names_;  // source offset to subset offset
  std::vector<uint32_t> wanted_;                  // source ids in the order of the subset
  std::string records_;
  std::string strings_ = std::string(1, '\0');
};

}  // namespace

std::string SubsetOfTypes(const KernelTypes& types,
                          const std::unordered_set<std::string_view>& names) {
  Subset subset(types);
  for (const uint32_t id : types.FindAll(names)) subset.Add(id);
  return subset.Finish();
}

}  // namespace capture
