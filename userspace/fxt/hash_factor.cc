// SPDX-License-Identifier: BSD-2-Clause
#include "fxt/hash_factor.h"

#include <random>

namespace fxt {

uint64_t HashFactor() {
  static const uint64_t factor = [] {
    std::random_device random;
    return uint64_t{random()} << 32 | random() | 1;
  }();
  return factor;
}

}  // namespace fxt
