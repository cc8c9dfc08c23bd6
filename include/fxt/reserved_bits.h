// SPDX-License-Identifier: BSD-2-Clause
// Which bits of a header word the format leaves unused ("all unused bits are reserved for future
// use and must be set to 0").
#pragma once

#include <cstddef>
#include <cstdint>

#include "fxt/format.h"

namespace fxt {

// Bits of a record header that must be zero, given the type and subtype it states. 0 for types and
// subtypes this library does not know.
uint64_t ReservedHeaderBits(uint64_t header);

// The same for the header of an argument; 0 for unknown types.
uint64_t ReservedArgumentBits(uint64_t header);

// The fewest words a record of this type and subtype has, its header included; 0 for unknown ones.
size_t MinimumRecordWords(uint64_t header);

}  // namespace fxt
