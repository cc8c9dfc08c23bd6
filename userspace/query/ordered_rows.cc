// SPDX-License-Identifier: BSD-2-Clause
#include "query/ordered_rows.h"

#include <algorithm>
#include <utility>

#include "query/time_sort.h"

namespace query {

using columns::ColumnValues;
using tables::Cell;

// The columns of the source and the windows of a block.
class OrderedRows::Block final : public ExpressionRows {
 public:
  explicit Block(OrderedRows& of) : of_(of) {}
  size_t size() const override { return of_.rows(); }
  const ColumnValues* Column(ColumnRef column) override {
    ColumnValues& values = of_.values_[column.column];
    if ((of_.filled_ >> column.column & 1) != 0) return &values;
    values.rows = size();
    values.kind = Cell::Kind::kInteger;
    values.kinds.clear();
    values.values.resize(size());
    const size_t source_columns = of_.select_.columns;
    if (column.column >= source_columns) {
      if (!of_.FillWindow(column.column - source_columns, values)) return nullptr;
    } else {
      for (size_t row = 0; row < size(); ++row)
        values.values[row] = of_.ValueOf(of_.begin_ + row, column.column);
    }
    of_.filled_ |= uint64_t{1} << column.column;
    return &values;
  }

 private:
  OrderedRows& of_;
};

bool OrderedRows::Prepare() {
  if (select_.parts.size() > kMaxParts) return false;
  for (const OrderedSelect::Part& part : select_.parts) {
    constants_.emplace_back(select_.columns);
    if (!AddPart(part)) return false;
  }
  SortTimes(rows_);
  for (const Expression& item : select_.items) columns_.emplace_back(item, scalars_);
  values_.resize(select_.columns + select_.windows.size());
  sums_.resize(select_.windows.size());
  return true;
}

bool OrderedRows::AddPart(const OrderedSelect::Part& part) {
  if (part.query) {
    JoinedRows rows(*part.query, input_);
    if (!rows.Prepare()) return false;
    rows_.reserve(std::min<size_t>(kMaxRows, rows_.size() + rows.table_rows()));
    std::vector<ExpressionValues> items;
    for (const Expression& key : part.query->keys) items.emplace_back(key, rows.scalars());
    return rows.ForEachBatch([&](ExpressionRows& batch) {
      for (size_t i = 0; i < items.size(); ++i) {
        if ((select_.used >> i & 1) == 0) continue;
        const ColumnValues* values = items[i].Of(batch);
        if (values == nullptr || !(i == select_.order ? AddRows(*values, batch.size())
                                                      : AddConstant(i, *values, batch.size()))) {
          return false;
        }
      }
      return true;
    });
  }
  Relation rows(select_.columns);
  if (!input_.load(part.select, rows)) return false;
  rows.Seal();
  for (size_t i = 0; i < select_.columns; ++i) {
    if ((select_.used >> i & 1) == 0) continue;
    const ColumnValues& values = rows.column(i);
    if (!(i == select_.order ? AddRows(values, rows.rows()) : AddConstant(i, values, rows.rows())))
      return false;
  }
  return true;
}

bool OrderedRows::AddRows(const ColumnValues& times, size_t rows) {
  const auto part = static_cast<int64_t>(constants_.size() - 1);
  constexpr int64_t kMost = int64_t{1} << (62 - kPartBits);
  if (rows > kMaxRows - rows_.size()) return false;
  for (size_t i = 0; i < rows; ++i) {
    const int64_t time = times.values[i];
    if (times.KindOf(i) != Cell::Kind::kInteger || time < -kMost || time > kMost) return false;
    rows_.push_back(time * static_cast<int64_t>(kMaxParts) + part);
  }
  return true;
}

bool OrderedRows::AddConstant(size_t column, const ColumnValues& values, size_t rows) {
  std::optional<int64_t>& constant = constants_.back()[column];
  for (size_t i = 0; i < rows; ++i) {
    if (values.KindOf(i) != Cell::Kind::kInteger ||
        constant.value_or(values.values[i]) != values.values[i])
      return false;
    constant = values.values[i];
  }
  return true;
}

bool OrderedRows::Next() {
  begin_ = end_;
  end_ = std::min(rows_.size(), begin_ + columns::kBlockRows);
  filled_ = 0;
  return begin_ != end_;
}

bool OrderedRows::Read(uint8_t column, ColumnValues& values) {
  Block block(*this);
  // Sums continue from block to block.
  for (size_t i = 0; i < select_.windows.size(); ++i) {
    if (block.Column({.column = static_cast<uint8_t>(select_.columns + i)}) == nullptr)
      return false;
  }
  const ColumnValues* made = columns_[column].Of(block);
  if (made != nullptr) values = *made;
  return made != nullptr;
}

bool OrderedRows::FillWindow(size_t number, ColumnValues& values) {
  const OrderedWindow& window = select_.windows[number];
  Sum& sum = sums_[number];
  const auto set_null = [&](size_t row) {
    values.kinds.resize(rows(), static_cast<uint8_t>(Cell::Kind::kInteger));
    values.kinds[row] = static_cast<uint8_t>(Cell::Kind::kNull);
  };
  for (size_t row = begin_; row < end_; ++row) {
    int64_t& value = values.values[row - begin_];
    switch (window.kind) {
      case WindowKind::kLead:
        if (row + 1 == rows_.size()) set_null(row - begin_);
        value = row + 1 == rows_.size() ? 0 : ValueOf(row + 1, window.column);
        break;
      case WindowKind::kLag:
        if (row == 0) set_null(0);
        value = row == 0 ? 0 : ValueOf(row - 1, window.column);
        break;
      case WindowKind::kRowNumber:
        value = static_cast<int64_t>(row + 1);
        break;
      case WindowKind::kCount:
      case WindowKind::kSum:
        // The sum of a row includes all rows of the same time.
        for (; sum.next <= row || (sum.next < rows_.size() && TimeOf(sum.next) == TimeOf(row));
             ++sum.next) {
          const int64_t step =
              window.kind == WindowKind::kCount ? 1 : ValueOf(sum.next, window.column);
          if (__builtin_add_overflow(sum.sum, step, &sum.sum)) return false;
        }
        value = sum.sum;
        break;
    }
  }
  return true;
}

}  // namespace query
