// SPDX-License-Identifier: BSD-2-Clause
// The factor of hash tables whose keys come from files.
#pragma once

#include <cstdint>

namespace fxt {

// An odd number that differs between runs. The upper bits of a product with it are the hash of a
// key: a file cannot choose keys that all have one hash, with which each lookup would take as long
// as a search of the whole table. Order of entries must not show in any output.
uint64_t HashFactor();

// The hash of a key of several numbers whose first ones have the hash `hash`; that of none is
// `factor`, HashFactor(). Both halves of the product are in it: with the lower one alone, a change
// of the uppermost bit of one number would undo that of the next, whatever the factor is.
inline uint64_t AddToHash(uint64_t hash, uint64_t number, uint64_t factor) {
  const auto product = static_cast<unsigned __int128>(hash ^ number) * factor;
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

template <typename... Numbers>
uint64_t HashOf(Numbers... numbers) {
  const uint64_t factor = HashFactor();
  uint64_t hash = factor;
  ((hash = AddToHash(hash, static_cast<uint64_t>(numbers), factor)), ...);
  return hash;
}

}  // namespace fxt
