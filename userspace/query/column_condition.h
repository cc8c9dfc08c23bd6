// SPDX-License-Identifier: BSD-2-Clause
// A condition of one column that is evaluated on a whole block at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "columns/column_block.h"
#include "query/expression.h"
#include "tables/rows/schema.h"

namespace query {

struct ColumnCondition {
  // NULL meets only kIsNull.
  enum class Kind : uint8_t { kIsNull, kIsNotNull, kIn, kNotIn, kFromTo };

  Kind kind = Kind::kIsNull;
  uint8_t column = 0;
  bool is_text = false;  // the type of the column; else it is of whole numbers
  // For kIn and kNotIn: the list, by the type of the column.
  std::vector<int64_t> numbers = {};
  std::vector<std::string> texts = {};
  // For kFromTo; both are included.
  int64_t from = INT64_MIN;
  int64_t to = INT64_MAX;
};

// A condition on one column of a table; `scalars` are the values of Expression::Kind::kScalar.
// Empty: it is not such a condition.
std::optional<ColumnCondition> ConditionOf(const Expression& expression,
                                           const tables::TableInfo& info,
                                           std::span<const tables::Cell> scalars);

// True if no row of a block can meet it.
bool MeetsNone(const ColumnCondition& condition, const columns::BlockEntry& entry);

// Removes from `rows` those that do not meet it. False if there are values of another type; `rows`
// is then unchanged.
bool Choose(const ColumnCondition& condition, const columns::ColumnValues& values,
            std::vector<uint32_t>& rows);

}  // namespace query
