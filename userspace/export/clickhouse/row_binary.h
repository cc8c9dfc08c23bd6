// SPDX-License-Identifier: BSD-2-Clause
// Writes values in ClickHouse's format RowBinary.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace exporting {

// Appends the `bytes` low bytes, little-endian: UInt8 to UInt64, Date as days in a UInt16.
inline void AppendNumber(fmt::memory_buffer& out, uint64_t value, size_t bytes) {
  for (size_t i = 0; i < bytes; ++i) out.push_back(static_cast<char>(value >> (8 * i)));
}
// Overwrites `bytes` bytes at `to` in the same format.
inline void StoreNumber(char* to, uint64_t value, size_t bytes) {
  for (size_t i = 0; i < bytes; ++i) to[i] = static_cast<char>(value >> (8 * i));
}
// Appends the size of a String or an Array in LEB128.
inline void AppendSize(fmt::memory_buffer& out, size_t size) {
  for (; size >= 0x80; size >>= 7) out.push_back(static_cast<char>(size | 0x80));
  out.push_back(static_cast<char>(size));
}
inline void AppendString(fmt::memory_buffer& out, std::string_view text) {
  AppendSize(out, text.size());
  out.append(text);
}
// Appends an Array(UInt64).
inline void AppendNumbers(fmt::memory_buffer& out, std::span<const uint64_t> numbers) {
  AppendSize(out, numbers.size());
  for (const uint64_t number : numbers) AppendNumber(out, number, sizeof number);
}

}  // namespace exporting
