// SPDX-License-Identifier: BSD-2-Clause
// How far the keys of a hash table collide.
#pragma once

#include <algorithm>
#include <cstddef>

namespace fxt::testing {

// Entries of the longest bucket of a std::unordered_map.
template <typename Map>
size_t LongestBucket(const Map& map) {
  size_t most = 0;
  for (size_t i = 0; i < map.bucket_count(); ++i) most = std::max(most, map.bucket_size(i));
  return most;
}

}  // namespace fxt::testing
