// SPDX-License-Identifier: BSD-2-Clause
#include "query/relation.h"

#include <algorithm>

namespace query {

using tables::Cell;

bool Relation::Add(std::span<const Cell> row) {
  if (rows_ == kMaxRows) return false;
  ++rows_;
  for (size_t i = 0; i < row.size(); ++i) {
    columns::ColumnValues& column = columns_[i];
    const Cell& cell = row[i];
    int64_t value = cell.is_null() ? 0 : cell.integer;
    if (cell.kind == Cell::Kind::kText) {
      auto found = texts_of_[i].find(cell.view());
      if (found == texts_of_[i].end()) {
        const std::string& kept = texts_.emplace_back(cell.view());
        bytes_ += sizeof(std::string) + 80 + kept.size();
        found = texts_of_[i].emplace(kept, static_cast<int64_t>(column.texts.size())).first;
        column.texts.push_back(kept);
      }
      value = found->second;
    }
    column.values.push_back(value);
    column.kinds.push_back(static_cast<uint8_t>(cell.kind));
    column.rows = rows_;
  }
  bytes_ += row.size() * (sizeof(int64_t) + 1);
  return bytes_ <= kMaxBytes;
}

void Relation::Seal() {
  for (columns::ColumnValues& column : columns_) {
    const auto is_other = [&](uint8_t kind) { return kind != column.kinds.front(); };
    if (column.kinds.empty() || std::any_of(column.kinds.begin(), column.kinds.end(), is_other))
      continue;
    column.kind = static_cast<Cell::Kind>(column.kinds.front());
    column.kinds.clear();
  }
}

bool Relation::OrderBy(size_t column) {
  const columns::ColumnValues& values = columns_[column];
  ordered_by_ = column;
  order_.clear();
  ordered_.clear();
  is_of_texts_ = !values.texts.empty();
  for (uint32_t row = 0; row < rows_; ++row) {
    const Cell::Kind kind = values.KindOf(row);
    if (kind == Cell::Kind::kNull) continue;
    if (kind != (is_of_texts_ ? Cell::Kind::kText : Cell::Kind::kInteger)) return false;
    order_.push_back(row);
  }
  std::stable_sort(order_.begin(), order_.end(),
                   [&](uint32_t a, uint32_t b) { return values.values[a] < values.values[b]; });
  for (const uint32_t row : order_) ordered_.push_back(values.values[row]);
  return true;
}

Relation::Range Relation::Equal(int64_t value) const { return Between(value, value); }

Relation::Range Relation::Between(int64_t from, int64_t to) const {
  const auto low = std::lower_bound(ordered_.begin(), ordered_.end(), from);
  const auto high = from > to ? low : std::upper_bound(low, ordered_.end(), to);
  return {static_cast<uint32_t>(low - ordered_.begin()),
          static_cast<uint32_t>(high - ordered_.begin())};
}

int64_t Relation::NumberOf(std::string_view text) const {
  const auto found = texts_of_[ordered_by_].find(text);
  return found == texts_of_[ordered_by_].end() ? -1 : found->second;
}

}  // namespace query
