// SPDX-License-Identifier: BSD-2-Clause
// What an index may take.
#pragma once

#include <cstddef>

namespace view {

// In bytes. Runs and waits take what the others leave of `all`.
struct IndexLimits {
  size_t all = size_t{464} << 20;
  size_t events = size_t{192} << 20;
  size_t labels = size_t{48} << 20;
  // Bytes of the tables of threads and names.
  size_t tables = size_t{192} << 20;

  // The limits of each of two traces that are shown together.
  IndexLimits Half() const { return {all / 2, events / 2, labels / 2, tables / 2}; }
};

}  // namespace view
