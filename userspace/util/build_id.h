// SPDX-License-Identifier: BSD-2-Clause
// The build id of an executable: the NT_GNU_BUILD_ID note that links code to its symbols.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace util {

struct BuildId {
  // The longest one in perf's records: a SHA-1.
  static constexpr size_t kMaxBytes = 20;

  std::array<std::byte, kMaxBytes> bytes{};
  uint8_t size = 0;  // 0: none

  // Bytes beyond the twentieth are cut off.
  static BuildId FromBytes(std::span<const std::byte> source) {
    BuildId id;
    id.size = static_cast<uint8_t>(std::min(source.size(), kMaxBytes));
    std::copy_n(source.begin(), id.size, id.bytes.begin());
    return id;
  }

  bool empty() const { return size == 0; }
  std::span<const std::byte> view() const { return {bytes.data(), size}; }
  // Lowercase hexadecimal.
  std::string ToHex() const {
    static constexpr char kDigits[] = "0123456789abcdef";
    std::string text;
    for (const std::byte b : view()) {
      text += kDigits[std::to_integer<unsigned>(b) >> 4];
      text += kDigits[std::to_integer<unsigned>(b) & 0xf];
    }
    return text;
  }

  friend bool operator==(const BuildId& a, const BuildId& b) {
    return a.size == b.size && a.bytes == b.bytes;
  }
};

}  // namespace util
