// SPDX-License-Identifier: BSD-2-Clause
// Hash tables whose keys come from files or from other processes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <unordered_set>

#include "fxt/hash_factor.h"

namespace fxt {

// The hash of a koid or of another 64-bit id. A file cannot choose ids that collide: the hash
// differs between runs. So does the order of the entries, which must not show in any output; a
// table that is walked in its order is a std::map.
class IdHash {
 public:
  size_t operator()(uint64_t id) const noexcept {
    // std::unordered_map takes the remainder by a prime number, so all bits have to depend on all
    // bits of the id: the upper half of the product does.
    const uint64_t product = id * factor_;
    return product ^ product >> 32;
  }

 private:
  uint64_t factor_ = HashFactor();
};

template <typename Value>
using IdMap = std::unordered_map<uint64_t, Value, IdHash>;
using IdSet = std::unordered_set<uint64_t, IdHash>;

}  // namespace fxt
