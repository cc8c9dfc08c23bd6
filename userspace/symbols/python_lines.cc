// SPDX-License-Identifier: BSD-2-Clause
#include "symbols/python_lines.h"

namespace symbols {
namespace {

constexpr uint32_t kInstructionBytes = 2;

uint32_t Valid(int64_t line) {
  return line > 0 && line <= INT32_MAX ? static_cast<uint32_t>(line) : 0;
}

// Pairs: bytes of code, lines. A pair's lines count from behind its bytes on.
uint32_t InLnotab(std::span<const std::byte> table, int64_t line, uint64_t byte) {
  uint64_t at = 0;
  for (size_t i = 0; i + 1 < table.size(); i += 2) {
    at += std::to_integer<uint8_t>(table[i]);
    if (at > byte) break;
    line += static_cast<int8_t>(table[i + 1]);
  }
  return Valid(line);
}

// Pairs: bytes of code, and how their line differs from the one before; -128: they have none.
uint32_t InLinetable(std::span<const std::byte> table, int64_t line, uint64_t byte) {
  constexpr int8_t kNoLine = -128;
  uint64_t end = 0;
  for (size_t i = 0; i + 1 < table.size(); i += 2) {
    end += std::to_integer<uint8_t>(table[i]);
    const auto delta = static_cast<int8_t>(table[i + 1]);
    if (delta != kNoLine) line += delta;
    if (byte < end) return delta == kNoLine ? 0 : Valid(line);
  }
  return 0;
}

// Entries of a first byte, with the highest bit, and bytes without (Objects/locations.md).
class LocationTable {
 public:
  explicit LocationTable(std::span<const std::byte> bytes) : bytes_(bytes) {}

  uint32_t Find(int64_t line, uint64_t instruction) {
    enum Form : uint8_t { kOneLine0 = 10, kOneLine2 = 12, kNoColumns = 13, kLong = 14, kNone = 15 };
    uint64_t end = 0;
    while (at_ < bytes_.size()) {
      const uint8_t first = Next();
      const auto form = static_cast<uint8_t>(first >> 3 & 0xf);
      end += (first & 7U) + 1;
      if (form == kNoColumns || form == kLong) {
        line += Signed();
      } else if (form >= kOneLine0 && form <= kOneLine2) {
        line += form - kOneLine0;
      }
      if (instruction < end) return form == kNone ? 0 : Valid(line);
      while (at_ < bytes_.size() && (std::to_integer<uint8_t>(bytes_[at_]) & 0x80) == 0) ++at_;
    }
    return 0;
  }

 private:
  uint8_t Next() {
    return at_ < bytes_.size() ? std::to_integer<uint8_t>(bytes_[at_++]) : uint8_t{0};
  }

  // Six bits a byte, lowest first; the lowest bit of the number is the sign.
  int64_t Signed() {
    constexpr unsigned kBits = 6;
    constexpr unsigned kMaxShift = 30;
    uint64_t value = 0;
    for (unsigned shift = 0; shift <= kMaxShift; shift += kBits) {
      const uint8_t byte = Next();
      value |= uint64_t{byte & 0x3fU} << shift;
      if ((byte & 0x40) == 0) break;
    }
    const auto size = static_cast<int64_t>(value >> 1);
    return (value & 1) != 0 ? -size : size;
  }

  std::span<const std::byte> bytes_;
  size_t at_ = 0;
};

}  // namespace

uint32_t PythonLine(uint32_t minor, std::span<const std::byte> table, uint32_t first_line,
                    uint32_t instruction) {
  constexpr uint32_t kPairsOfLines = 10;
  const uint64_t byte = uint64_t{instruction} * kInstructionBytes;
  if (minor < kPairsOfLines) return InLnotab(table, first_line, byte);
  if (minor == kPairsOfLines) return InLinetable(table, first_line, byte);
  return LocationTable(table).Find(first_line, instruction);
}

}  // namespace symbols
