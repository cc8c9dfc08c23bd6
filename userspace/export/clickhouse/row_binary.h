// SPDX-License-Identifier: BSD-2-Clause
// Values as ClickHouse's RowBinary has them.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace exporting {

// The `bytes` low bytes of the number, least first: UInt8 to UInt64, Date as UInt16 days.
inline void AppendNumber(fmt::memory_buffer& out, uint64_t value, size_t bytes) {
  for (size_t i = 0; i < bytes; ++i) out.push_back(static_cast<char>(value >> (8 * i)));
}
// String: its length as LEB128, and its bytes.
inline void AppendString(fmt::memory_buffer& out, std::string_view text) {
  size_t size = text.size();
  for (; size >= 0x80; size >>= 7) out.push_back(static_cast<char>(size | 0x80));
  out.push_back(static_cast<char>(size));
  out.append(text);
}

}  // namespace exporting
