// SPDX-License-Identifier: BSD-2-Clause
// The tables of a trace as tables of SQLite, with which answers from columns are compared.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "query/aggregates.h"
#include "query/group_sums.h"
#include "query/joined_rows.h"
#include "query/sqlite_api.h"
#include "unit/columns/columns_of.h"

namespace query::testing {

class SqliteCopy {
 public:
  // Without a file there are no tables.
  explicit SqliteCopy(const columns::ColumnFile* file = nullptr) : file_(file) {
    sqlite3* opened = nullptr;
    EXPECT_EQ(sqlite3_open(":memory:", &opened), SQLITE_OK);
    database_.reset(opened);
    EXPECT_EQ(RegisterAggregates(opened), SQLITE_OK);
    if (file == nullptr) return;
    for (const tables::TableInfo& info : tables::Tables()) {
      std::string columns;
      for (const tables::Column& column : info.columns) {
        static constexpr const char* kTypes[] = {"INTEGER", "REAL", "TEXT"};
        columns += std::string(columns.empty() ? "" : ", ") + std::string(column.name) + " " +
                   kTypes[static_cast<size_t>(column.type)];
      }
      Run("CREATE TABLE " + std::string(info.name) + "(" + columns + ")");
      for (const auto& row : columns::testing::RowsOfFile(*file, info.table)) {
        std::string values;
        for (const std::string& value : row) values += (values.empty() ? "" : ", ") + value;
        Run("INSERT INTO " + std::string(info.name) + " VALUES(" + values + ")");
      }
    }
  }

  void Run(const std::string& statement) {
    EXPECT_EQ(sqlite3_exec(database_.get(), statement.c_str(), nullptr, nullptr, nullptr),
              SQLITE_OK)
        << statement << ": " << sqlite3_errmsg(database_.get());
  }

  // The rows of a statement; none if it is wrong. `to` may be null.
  std::optional<columns::testing::TextRows> Ask(const std::string& statement,
                                                Relation* to = nullptr) const {
    sqlite3_stmt* prepared = nullptr;
    const int code = sqlite3_prepare_v2(database_.get(), statement.c_str(), -1, &prepared, nullptr);
    const std::unique_ptr<sqlite3_stmt, int (*)(sqlite3_stmt*)> owner(prepared, sqlite3_finalize);
    if (code != SQLITE_OK) return std::nullopt;
    columns::testing::TextRows rows;
    int step = 0;
    while ((step = sqlite3_step(prepared)) == SQLITE_ROW) {
      std::vector<tables::Cell> cells(static_cast<size_t>(sqlite3_column_count(prepared)));
      auto& row = rows.emplace_back();
      for (int i = 0; i < sqlite3_column_count(prepared); ++i) {
        tables::Cell& cell = cells[static_cast<size_t>(i)];
        const int type = sqlite3_column_type(prepared, i);
        if (type == SQLITE_INTEGER) cell.Set(int64_t{sqlite3_column_int64(prepared, i)});
        if (type == SQLITE_FLOAT) cell.Set(sqlite3_column_double(prepared, i));
        if (type == SQLITE_TEXT)
          cell.Set(
              std::string_view(reinterpret_cast<const char*>(sqlite3_column_text(prepared, i))));
        row.push_back(columns::testing::TextOf(cell));
      }
      if (to != nullptr && !to->Add(cells)) return std::nullopt;
    }
    return step == SQLITE_DONE ? std::optional(rows) : std::nullopt;
  }

  // The groups that columns make of the one SELECT in a statement, as rows of keys and values; none
  // if SQLite has to answer.
  std::optional<columns::testing::TextRows> Summed(const std::string& statement) const {
    size_t last = 0;
    const auto selects = FindGroups(statement, last, describe());
    if (selects.size() != 1) return std::nullopt;
    const auto groups = SumGroups(selects[0].query, input());
    if (!groups) return std::nullopt;
    columns::testing::TextRows rows;
    for (size_t at = 0; at < groups->cells.size(); at += groups->width) {
      auto& row = rows.emplace_back();
      for (size_t i = 0; i < groups->width; ++i)
        row.push_back(columns::testing::TextOf(groups->cells[at + i]));
    }
    return rows;
  }

  Describe describe() const {
    return [this](const std::string& select) -> std::optional<std::vector<RelationColumn>> {
      sqlite3_stmt* prepared = nullptr;
      const int code = sqlite3_prepare_v2(database_.get(), select.c_str(), -1, &prepared, nullptr);
      const std::unique_ptr<sqlite3_stmt, int (*)(sqlite3_stmt*)> owner(prepared, sqlite3_finalize);
      if (code != SQLITE_OK) return std::nullopt;
      std::vector<RelationColumn> columns;
      for (int i = 0; i < sqlite3_column_count(prepared); ++i) {
        const char* const type = sqlite3_column_decltype(prepared, i);
        columns.push_back({sqlite3_column_name(prepared, i), type == nullptr ? "" : type});
      }
      return columns;
    };
  }

  GroupInput input() const {
    return {.table =
                [this](tables::Table, uint64_t) {
                  return std::shared_ptr<const columns::ColumnFile>(std::shared_ptr<void>(), file_);
                },
            .load = [this](const std::string& select,
                           Relation& to) { return Ask(select, &to).has_value(); },
            .cancelled = nullptr};
  }

 private:
  struct Close {
    void operator()(sqlite3* database) const { sqlite3_close(database); }
  };
  const columns::ColumnFile* file_;
  std::unique_ptr<sqlite3, Close> database_;
};

}  // namespace query::testing
