// SPDX-License-Identifier: BSD-2-Clause
// Window functions that one pass over columns computes, without sorting.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "columns/column_file.h"
#include "query/sql_tokens.h"
#include "tables/rows/cell.h"
#include "tables/rows/schema.h"

namespace query {

enum class WindowKind : uint8_t { kLag, kLead, kRowNumber, kCount, kSum };
// Empty if the token is not such a function.
std::optional<WindowKind> WindowKindOf(const SqlToken& token);

// "function(column) OVER (PARTITION BY partition ORDER BY order)" over all rows of a table.
struct WindowQuery {
  WindowKind kind = WindowKind::kLag;
  tables::Table table = tables::Table::kSlices;
  std::optional<uint8_t> column = std::nullopt;  // none: of rows
  uint8_t partition = 0;
  uint8_t order = 0;

  uint64_t columns() const {
    return uint64_t{1} << partition | uint64_t{1} << order | (column ? uint64_t{1} << *column : 0);
  }
};

// A window function in a statement.
struct WindowUse {
  WindowQuery query;
  size_t begin = 0;  // in the statement
  size_t end = 0;
};

// Window functions of a statement, in SELECTs that read one table and have neither WHERE nor GROUP
// BY. Empty if the statement joins tables: rows with such values are not kept for a second scan.
std::vector<WindowUse> FindWindows(std::string_view statement);

// A value for each row of a table.
class WindowValues {
 public:
  // Largest number of bytes of the values of a statement.
  static constexpr size_t kMaxBytes = size_t{256} << 20;

  // Empty if rows of a partition are not in the requested order, or their values would take more
  // than `max_bytes`: SQLite then computes them. `cancelled` may be null.
  static std::optional<WindowValues> Of(const WindowQuery& query, const columns::ColumnFile& file,
                                        size_t max_bytes, const std::function<bool()>& cancelled);
  size_t bytes() const { return values_.size() * kBytesOfRow; }

  tables::Table table() const { return table_; }
  void Put(uint64_t row, tables::Cell& cell) const {
    if (row >= values_.size() || is_null_[row]) return cell.SetNull();
    cell.Set(values_[row]);
  }

 private:
  static constexpr size_t kBytesOfRow = sizeof(int64_t) + 1;

  tables::Table table_ = tables::Table::kSlices;
  std::vector<int64_t> values_;
  std::vector<bool> is_null_;
};

// The name of a hidden column.
inline std::string NameOfWindow(size_t number) { return "#w" + std::to_string(number); }

// The windows of the statement that runs: hidden columns of the tables of its database.
struct StatementWindows {
  static constexpr size_t kMost = 4;
  std::vector<WindowValues> values;  // kMost at most
};

}  // namespace query
