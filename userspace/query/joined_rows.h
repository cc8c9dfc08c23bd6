// SPDX-License-Identifier: BSD-2-Clause
// The rows that a GroupQuery groups: those of one table of the cache, joined with rows of small
// relations.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "columns/column_file.h"
#include "query/column_condition.h"
#include "query/expression_values.h"
#include "query/group_query.h"
#include "query/relation.h"
#include "query/row_blocks.h"

namespace query {

// The source of rows. If a function fails, SQLite answers the statement.
struct GroupInput {
  // The cache, after verifying these columns (bits) of a table; null: they cannot be read.
  std::function<std::shared_ptr<const columns::ColumnFile>(tables::Table, uint64_t columns)> table;
  // The windows of the statement; may be null.
  const StatementWindows* windows = nullptr;
  // Adds the rows of a SELECT. False: there is no room, or it fails.
  std::function<bool(const std::string& select, Relation& to)> load;
  // True cancels. May be null.
  std::function<bool()> cancelled;
};

class JoinedRows {
 public:
  // Rows of a batch, at most.
  static constexpr size_t kBatchRows = columns::kBlockRows;

  // Both must outlive it.
  JoinedRows(const GroupQuery& query, const GroupInput& input);
  ~JoinedRows();
  JoinedRows(const JoinedRows&) = delete;
  JoinedRows& operator=(const JoinedRows&) = delete;

  // False: SQLite has to answer.
  bool Prepare();
  // After Prepare(): the values of Expression::Kind::kScalar.
  std::span<const tables::Cell> scalars() const { return scalars_; }
  // Rows of the table.
  uint64_t table_rows() const { return table_rows_; }
  // Calls `each` with batches of rows, in the order of the table. False if `each` returns false, or
  // if SQLite has to answer.
  bool ForEachBatch(const std::function<bool(ExpressionRows&)>& each);

 private:
  class Batch;
  // The lookup of rows of a further relation for the rows so far.
  struct Step {
    size_t relation = 0;
    bool is_left = false;
    // Rows whose ordering column equals `low`, or is from `low` to `high` if there is one; empty:
    // all rows.
    std::unique_ptr<ExpressionValues> low;
    std::unique_ptr<ExpressionValues> high;
    int64_t above_low = 0;   // 1: `low` itself is excluded
    int64_t below_high = 0;  // 1: `high` itself is excluded
    bool is_range = false;
    std::vector<ExpressionValues> conditions;  // on the relations up to this step
  };
  struct Bound {
    uint8_t column = 0;
    const Expression* value = nullptr;
    Expression::Kind kind = Expression::Kind::kEqual;  // of the column on the left side
    const Expression* term = nullptr;
  };

  bool LoadScalars();
  bool LoadOthers(size_t base);
  bool Load(size_t relation);
  bool Plan(size_t base);
  // Replaces columns of relations with one row, and expressions of these, by their values.
  void Fold(Expression& expression);
  bool AddStep(uint64_t& there, std::vector<const Expression*>& terms);
  // The bounds of a relation's columns by those `terms` whose other relations are in `there`.
  std::vector<Bound> BoundsOf(size_t relation, uint64_t there,
                              const std::vector<const Expression*>& terms) const;
  void TakeConditions(uint64_t there, std::vector<const Expression*>& terms, Step& step);
  bool AddBlock();
  const columns::ColumnValues* SourceOf(ColumnRef column);
  bool Join(size_t level);
  bool Flush(size_t level);
  bool Filter(Batch& batch, std::vector<ExpressionValues>& conditions);
  bool FindRange(Step& step, ExpressionRows& rows);

  const GroupQuery& query_;
  const GroupInput& input_;
  std::vector<tables::Cell> scalars_;
  std::vector<std::unique_ptr<Relation>> scalar_rows_;
  std::vector<std::unique_ptr<Relation>> relations_;  // by number; null: the base, or none yet
  std::vector<bool> has_failed_;

  size_t base_ = 0;
  std::unique_ptr<RowBlocks> blocks_;  // of the base
  uint64_t table_rows_ = 0;
  std::vector<Expression> conditions_;
  std::vector<ColumnCondition> block_conditions_;
  std::vector<Step> steps_;  // the first one: the base
  std::vector<std::unique_ptr<Batch>> batches_;
  const std::function<bool(ExpressionRows&)>* each_ = nullptr;

  std::vector<columns::ColumnValues> values_;         // of columns of the block
  uint64_t loaded_ = 0;                               // bits of these
  std::vector<std::vector<Relation::Range>> ranges_;  // by level
};

}  // namespace query
