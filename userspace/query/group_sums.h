// SPDX-License-Identifier: BSD-2-Clause
// Computes the groups of a GroupQuery from columns.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "columns/column_file.h"
#include "query/group_query.h"
#include "query/joined_rows.h"
#include "tables/rows/cell.h"

namespace query {

struct Groups {
  size_t width = 0;                 // cells of a group: its keys, then its values
  std::vector<tables::Cell> cells;  // ascending by the keys, as SQLite orders them
  std::deque<std::string> texts;    // of the cells
};

// None where SQLite has to answer: too many groups for memory, numbers beyond 64 bits, values that
// are of another type, columns that cannot be read.
std::optional<Groups> SumGroups(const GroupQuery& query, const GroupInput& input);

// The value of the last of the rows, so that no row beyond it is one of them. None where SQLite has
// to look at all rows, as for SumGroups(), or where there are fewer. `cancelled` may be null.
std::optional<int64_t> LastOfTop(const TopSelect& top, const columns::ColumnFile& columns,
                                 const std::function<bool()>& cancelled);

}  // namespace query
