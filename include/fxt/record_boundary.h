// SPDX-License-Identifier: BSD-2-Clause
// Where records end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace fxt {

// `records` starts with a record. The bytes of the whole records that lie within its first `limit`
// bytes, by their size fields alone ("Record header", "Large record header"). Stops at a record of
// size zero.
size_t WholeRecordBytes(std::span<const std::byte> records, size_t limit);

// The bytes of the first record, all of which need not be there; 0 without a header.
uint64_t FirstRecordBytes(std::span<const std::byte> records);

}  // namespace fxt
