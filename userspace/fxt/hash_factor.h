// SPDX-License-Identifier: BSD-2-Clause
// The factor of hash tables whose keys come from files.
#pragma once

#include <cstdint>

namespace fxt {

// An odd number that differs between runs. The upper bits of a product with it are the hash of a
// key: a file cannot choose keys that all have one hash, with which each lookup would take as long
// as a search of the whole table. Order of entries must not show in any output.
uint64_t HashFactor();

}  // namespace fxt
