// SPDX-License-Identifier: BSD-2-Clause
// Knows the reserved bits of header words ("all unused bits are reserved for future use and must be
// set to 0").
#pragma once

#include <cstddef>
#include <cstdint>

#include "fxt/format.h"

namespace fxt {

// Bits that must be zero in a record header of this type and subtype; 0 for unknown ones.
uint64_t ReservedHeaderBits(uint64_t header);

// The same for the header of an argument; 0 for unknown types.
uint64_t ReservedArgumentBits(uint64_t header);

// The fewest words of a record of this type and subtype, header included; 0 for unknown ones.
size_t MinimumRecordWords(uint64_t header);

}  // namespace fxt
