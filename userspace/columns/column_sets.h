// SPDX-License-Identifier: BSD-2-Clause
// Sets of columns that are made together.
#pragma once

#include <cstdint>

#include "tables/rows/schema.h"

namespace columns {

// Each takes a pass over the trace. Columns that are expensive and rarely used are made at their
// first use; everything else at once.
enum class ColumnSet : uint8_t {
  kBase,
  kWaitParts,  // for waits: the other threads on the CPU, and the reasons
  kPaths,      // requests and their critical paths
};
inline constexpr unsigned kColumnSets = 3;

constexpr unsigned BitOf(ColumnSet set) { return 1U << static_cast<unsigned>(set); }

// Bits of the columns of a table that are in one of these sets (bits of ColumnSets).
constexpr uint64_t ColumnsIn(unsigned sets, tables::Table table) {
  constexpr uint64_t kParts = uint64_t{1} << tables::waits::kRtThrottled |
                              uint64_t{1} << tables::waits::kAffinity |
                              uint64_t{1} << tables::waits::kWeight;
  const auto if_wanted = [&](ColumnSet set, uint64_t columns) {
    return (sets & BitOf(set)) != 0 ? columns : 0;
  };
  switch (table) {
    case tables::Table::kRequests:
    case tables::Table::kPath:
      return if_wanted(ColumnSet::kPaths, tables::kAllColumns);
    case tables::Table::kWaits:
      return if_wanted(ColumnSet::kBase, tables::kAllColumns & ~kParts) |
             if_wanted(ColumnSet::kWaitParts, kParts);
    default:
      return if_wanted(ColumnSet::kBase, tables::kAllColumns);
  }
}

// Bits of the sets that have these columns; without columns, of the set with the rows of the table.
constexpr unsigned SetsOf(tables::Table table, uint64_t columns) {
  unsigned sets = 0;
  for (unsigned i = 0; i < kColumnSets; ++i) {
    const uint64_t in_set = ColumnsIn(1U << i, table);
    if ((columns & in_set) != 0) sets |= 1U << i;
    if (columns == 0 && in_set != 0) return 1U << i;
  }
  return sets;
}

}  // namespace columns
