// SPDX-License-Identifier: BSD-2-Clause
// Values as ClickHouse's RowBinary has them.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace exporting {

// The `bytes` low bytes of the number, least first: UInt8 to UInt64, Date as UInt16 days.
inline void AppendNumber(fmt::memory_buffer& out, uint64_t value, size_t bytes) {
  for (size_t i = 0; i < bytes; ++i) out.push_back(static_cast<char>(value >> (8 * i)));
}
// The same, over what is there.
inline void StoreNumber(char* to, uint64_t value, size_t bytes) {
  for (size_t i = 0; i < bytes; ++i) to[i] = static_cast<char>(value >> (8 * i));
}
// LEB128: what a String and an Array begin with.
inline void AppendSize(fmt::memory_buffer& out, size_t size) {
  for (; size >= 0x80; size >>= 7) out.push_back(static_cast<char>(size | 0x80));
  out.push_back(static_cast<char>(size));
}
inline void AppendString(fmt::memory_buffer& out, std::string_view text) {
  AppendSize(out, text.size());
  out.append(text);
}
// Array(UInt64).
inline void AppendNumbers(fmt::memory_buffer& out, std::span<const uint64_t> numbers) {
  AppendSize(out, numbers.size());
  for (const uint64_t number : numbers) AppendNumber(out, number, sizeof number);
}

}  // namespace exporting
