// SPDX-License-Identifier: BSD-2-Clause
// The file of columns: a header, blocks, and the directory of these. Numbers are those of the
// machine: the file is no format of exchange, and one of another machine has another magic number.
#pragma once

#include <cstddef>
#include <cstdint>

#include "columns/column_file.h"

namespace columns {

inline constexpr uint64_t kMagic = 0x314c4f4354584603;
inline constexpr size_t kMaxDirectoryBytes = size_t{64} << 20;

struct Header {
  uint64_t magic = kMagic;
  uint64_t schema = 0;  // SchemaHash()
  TraceKey trace;
  uint64_t directory_offset = 0;
  uint64_t directory_bytes = 0;
  uint64_t directory_hash = 0;
  uint64_t header_hash = 0;  // of what is before
};
static_assert(sizeof(Header) == 72);

// The header of the directory.
struct DirectoryHead {
  uint64_t malformed = 0;
  uint64_t dropped_names = 0;
  uint64_t cut_texts = 0;
  uint64_t paths_left_out = 0;
  uint32_t error_bytes = 0;  // of the text behind
  uint8_t is_cut_short = 0;
  uint8_t is_incomplete = 0;
  uint16_t sets = 0;
};
static_assert(sizeof(DirectoryHead) == 40);

// Differs if tables, columns or the version of the program differ.
uint64_t SchemaHash();
uint64_t HashOf(const Header& header);

util::Status WriteAll(int fd, std::span<const std::byte> bytes, uint64_t offset);

}  // namespace columns
