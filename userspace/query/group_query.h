// SPDX-License-Identifier: BSD-2-Clause
// A SELECT with groups or aggregates, in a form that is computed from columns.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "query/expression.h"
#include "query/window_query.h"
#include "tables/rows/schema.h"

namespace query {

struct GroupValue {
  enum class Kind : uint8_t {
    kCount,  // of rows
    kCountOf,
    kCountDistinct,
    kSum,
    kMin,
    kMax,
    kMean,
    kQuantile,
    kConcurrency,
    kBeside,  // the value in the row of the smallest or largest value; without one, in the first
              // row
  };
  Kind kind = Kind::kCount;
  Expression of = {};                               // of all but kCount
  std::optional<Expression> filter = std::nullopt;  // rows that do not meet it are left out
  double q = 0;
  Expression lengths = {};  // of kConcurrency; `of` are the begins
  bool operator==(const GroupValue&) const = default;
};

struct RelationColumn {
  std::string name;  // in lower case
  std::string type;  // as it is declared; empty: none
};

struct OrderedSelect;

// A table or subquery of a FROM.
struct GroupRelation {
  std::optional<tables::Table> table = std::nullopt;  // of the trace
  std::string alias = {};
  // "WITH ... SELECT * FROM source AS alias" in parts: `before` the list of columns, and `from`
  // behind it.
  std::string before = {};
  std::string from = {};
  std::vector<RelationColumn> columns = {};  // 64 at most
  uint64_t used = 0;                         // bits of columns that the query reads
  // Conditions on only this relation, as written.
  std::vector<std::string> own = {};
  // LEFT JOIN: rows without a row that meets all conditions have NULL.
  bool is_left = false;
  std::vector<Expression> on = {};
  // The subquery, if its rows can be made without SQLite.
  std::shared_ptr<const OrderedSelect> ordered = nullptr;
};

struct GroupQuery {
  std::vector<GroupRelation> relations = {};
  std::vector<Expression> conditions = {};  // combined by AND
  std::vector<Expression> keys = {};        // none: one group of all rows
  std::vector<GroupValue> values = {};
  std::vector<std::string> scalars = {};  // statements for the values of Expression::Kind::kScalar
};

// "function(column) OVER (ORDER BY order)".
struct OrderedWindow {
  WindowKind kind = WindowKind::kLag;
  uint8_t column = 0;  // of kLag, kLead and kSum
  bool has_column() const { return kind != WindowKind::kCount && kind != WindowKind::kRowNumber; }
  bool operator==(const OrderedWindow&) const = default;
};

// A SELECT with window functions over all rows of a table or of a UNION ALL, in the order of one of
// its columns.
struct OrderedSelect {
  struct Part {
    // Its keys are the columns; none: SQLite answers `select`.
    std::optional<GroupQuery> query = std::nullopt;
    std::string select = {};
  };
  std::vector<Part> parts = {};
  size_t columns = 0;  // of each part
  uint64_t used = 0;   // bits of these
  uint8_t order = 0;   // the column that orders rows
  std::vector<OrderedWindow> windows = {};
  // The selected columns: expressions of the columns of the parts, and of windows, whose numbers go
  // on behind those.
  std::vector<Expression> items = {};
};

// A SELECT of groups in a statement, and the SELECT that reads the groups as rows of a table.
struct GroupSelect {
  GroupQuery query;
  size_t number = 0;  // of the table of its groups: kGroupTable with that behind
  size_t begin = 0;   // in the statement
  size_t end = 0;
  // The SELECT without its GROUP BY, which reads a table whose columns are named "#k0", ... for
  // keys and
  // "#v0", ... for values.
  std::string text;
};

inline constexpr std::string_view kGroupTable = "fxt_groups_";
std::string NameOfKey(size_t number);
std::string NameOfValue(size_t number);
// The type of its column if the expression is one, by which SQLite compares.
std::string TypeOf(const Expression& expression, const GroupQuery& query);

// A SELECT of the first rows of one table in the order of a column.
struct TopSelect {
  tables::Table table = tables::Table::kSlices;
  std::vector<Expression> conditions = {};
  uint8_t column = 0;
  bool is_descending = false;
  uint64_t rows = 0;  // those that are left out at the begin included
  // Position in the statement for a further condition, and the text before it.
  size_t at = 0;
  bool has_where = false;
  size_t where_begin = 0;
};

// The SELECTs of a statement whose rows are the first ones by a column, none within another one.
std::vector<TopSelect> FindTops(std::string_view statement);

// The columns that a SELECT has; none if SQLite does not understand it.
using Describe =
    std::function<std::optional<std::vector<RelationColumn>>(const std::string& select)>;

// The SELECTs of a statement that can be answered so and that `is_wanted` is true of, none within
// another one. SQLite runs statements that are not understood completely. `last` is the number of
// the last table, and becomes that. Without `describe` they read tables of the trace alone.
std::vector<GroupSelect> FindGroups(
    std::string_view statement, size_t& last, const Describe& describe = nullptr,
    const std::function<bool(const GroupSelect&)>& is_wanted = nullptr);

}  // namespace query
