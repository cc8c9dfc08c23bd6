// SPDX-License-Identifier: BSD-2-Clause
// Fields of a record's header, as the format document gives them.
#pragma once

#include <cstdint>

namespace fxt {

// Bits `first` to `last`, both included, 0 the lowest.
constexpr uint64_t Bits(uint64_t word, unsigned first, unsigned last) {
  return (word >> first) & (~uint64_t{0} >> (63 - (last - first)));
}

}  // namespace fxt
