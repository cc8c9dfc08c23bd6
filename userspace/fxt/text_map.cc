// SPDX-License-Identifier: BSD-2-Clause
#include "fxt/text_map.h"

#include <cstdint>
#include <cstring>

#include "fxt/hash_factor.h"

namespace fxt {

size_t TextHash::operator()(std::string_view text) const noexcept {
  const uint64_t factor = HashFactor();
  uint64_t hash = AddToHash(factor, text.size(), factor);
  while (!text.empty()) {
    uint64_t word = 0;
    const size_t bytes = text.size() < sizeof(word) ? text.size() : sizeof(word);
    std::memcpy(&word, text.data(), bytes);
    hash = AddToHash(hash, word, factor);
    text.remove_prefix(bytes);
  }
  return hash;
}

}  // namespace fxt
