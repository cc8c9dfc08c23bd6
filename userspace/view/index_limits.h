// SPDX-License-Identifier: BSD-2-Clause
// Limits of the memory of an index.
#pragma once

#include <cstddef>

namespace view {

// In bytes. Runs and waits may use the part of `all` that the others do not use.
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
