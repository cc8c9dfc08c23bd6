// SPDX-License-Identifier: BSD-2-Clause
// Finds the ends of records.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace fxt {

// `records` starts with a record. Returns the bytes of the whole records within its first `limit`
// bytes, by their size fields alone ("Record header", "Large record header"). Stops at a record of
// size zero.
size_t WholeRecordBytes(std::span<const std::byte> records, size_t limit);

// The size of the first record in bytes, which may exceed `records`; 0 without a header.
uint64_t FirstRecordBytes(std::span<const std::byte> records);

}  // namespace fxt
