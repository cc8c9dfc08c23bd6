// SPDX-License-Identifier: BSD-2-Clause
// A SELECT that puts rows of one table together, in a form that columns can be summed up by.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "query/column_condition.h"
#include "tables/rows/schema.h"

namespace query {

// A whole number made of a column, as SQLite computes it; steps apply to a stack.
struct KeyStep {
  enum class Kind : uint8_t { kNumber, kColumn, kBegin, kEnd, kAdd, kSubtract, kMultiply, kDivide, kModulo };
  Kind kind = Kind::kNumber;
  int64_t number = 0;  // of kNumber
};

struct GroupKey {
  uint8_t column = 0;
  std::vector<KeyStep> steps = {};  // empty: the column itself
};

struct GroupValue {
  enum class Kind : uint8_t { kCount, kCountOf, kSum, kMin, kMax, kMean, kQuantile, kConcurrency };
  Kind kind = Kind::kCount;
  uint8_t column = 0;  // of all but kCount
  double q = 0;
  uint8_t lengths = 0;  // of kConcurrency: the column of lengths; `column` is that of begins
  bool operator==(const GroupValue&) const = default;
};

struct GroupQuery {
  tables::Table table = tables::Table::kSlices;
  std::vector<GroupKey> keys;  // none: one group of all rows
  std::vector<GroupValue> values;
  std::vector<ColumnCondition> conditions;  // all of these hold
};

// Such a SELECT in a statement, and what it reads once its groups are rows of a table.
struct GroupSelect {
  GroupQuery query;
  size_t begin = 0;  // in the statement
  size_t end = 0;
  // The SELECT without its GROUP BY, which reads `table`. Columns of that are named "#k0", ... for
  // keys that are expressions, by their own names for other ones, and "#v0", ... for values.
  std::string text;
};

inline constexpr std::string_view kGroupTable = "fxt_groups_";
std::string NameOf(const GroupKey& key, const tables::TableInfo& info, size_t number);
std::string NameOfValue(size_t number);

// A SELECT of the first rows of one table in the order of a column.
struct TopSelect {
  tables::Table table = tables::Table::kSlices;
  std::vector<ColumnCondition> conditions = {};
  uint8_t column = 0;
  bool is_descending = false;
  uint64_t rows = 0;  // those that are left out at the begin included
  // Of the statement: where a further condition can be put, and what is before it.
  size_t at = 0;
  bool has_where = false;
  size_t where_begin = 0;
};

// The SELECTs of a statement whose rows are the first ones by a column, none within another one.
std::vector<TopSelect> FindTops(std::string_view statement);

// The SELECTs of a statement that can be answered so, none within another one. `number` is that of
// the first table for their groups: kGroupTable with the number behind. What is not understood in
// all its parts is left to SQLite.
std::vector<GroupSelect> FindGroups(std::string_view statement, size_t number);

}  // namespace query
