// SPDX-License-Identifier: BSD-2-Clause
#include "query/column_scan.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace query {
namespace {

using tables::Cell;
using tables::Column;

constexpr size_t kRows = 1024;

}  // namespace

ColumnScan::ColumnScan(std::shared_ptr<const columns::ColumnFile> from, tables::Table table,
                       uint64_t columns, const tables::RowFilter& filter,
                       std::vector<ColumnCondition> conditions, std::string file,
                       tables::TextPool& texts)
    : from_(std::move(from)),
      file_(std::move(file)),
      texts_(texts),
      conditions_(std::move(conditions)),
      batch_(table, columns, filter, text_budget_),
      values_(batch_.columns().size()),
      kept_texts_(batch_.columns().size()) {
  text_budget_.OnRead(from_->trace_bytes());
  // Times, CPUs and threads of the filter are conditions, too.
  for (uint8_t column = 0; column < InfoOf(table).columns.size(); ++column) {
    if (!batch_.Wants(column)) continue;
    ColumnCondition condition{.column = column};
    switch (InfoOf(table).columns[column].role) {
      case Column::Role::kTime:
        if (filter.from == INT64_MIN && filter.to == INT64_MAX) continue;
        condition.kind = ColumnCondition::Kind::kFromTo;
        condition.from = filter.from;
        condition.to = filter.to;
        break;
      case Column::Role::kCpu:
        if (!filter.cpu) continue;
        condition.kind = ColumnCondition::Kind::kIn;
        condition.numbers = {*filter.cpu};
        break;
      case Column::Role::kTid:
        if (!filter.tid) continue;
        condition.kind = ColumnCondition::Kind::kIn;
        condition.numbers = {*filter.tid};
        break;
      case Column::Role::kPlain:
        continue;
    }
    conditions_.push_back(std::move(condition));
  }
}

bool ColumnScan::IsOutside(size_t block) const {
  return std::any_of(conditions_.begin(), conditions_.end(), [&](const ColumnCondition& condition) {
    return MeetsNone(condition, from_->entry(batch_.table(), block, condition.column));
  });
}

bool ColumnScan::ReadColumn(uint8_t column, columns::ColumnValues& values) {
  return from_->Read(batch_.table(), next_block_, column, values);
}

util::Result<bool> ColumnScan::NextBlock() {
  const columns::TableBlocks& table = from_->table(batch_.table());
  const auto& infos = InfoOf(batch_.table()).columns;
  const util::Error failed{"the cache was changed while it was read", "ask again"};
  std::vector<bool> is_read(values_.size());
  chosen_.clear();
  next_row_ = 0;
  for (; next_block_ < table.blocks(); next_begin_ += table.block_rows[next_block_++]) {
    if (IsOutside(next_block_)) continue;
    chosen_.resize(table.block_rows[next_block_]);
    std::iota(chosen_.begin(), chosen_.end(), 0);
    is_read.assign(values_.size(), false);
    for (const ColumnCondition& condition : conditions_) {
      const uint8_t slot = batch_.SlotOf(condition.column);
      if (!is_read[slot] && !ReadColumn(condition.column, values_[slot])) return failed;
      is_read[slot] = true;
      // SQLite checks values of another type.
      static_cast<void>(Choose(condition, values_[slot], chosen_));
      if (chosen_.empty()) break;
    }
    if (!chosen_.empty()) break;
  }
  if (chosen_.empty()) return false;
  for (size_t slot = 0; slot < values_.size(); ++slot) {
    const uint8_t column = batch_.columns()[slot];
    if (!is_read[slot] && !ReadColumn(column, values_[slot])) return failed;
    kept_texts_[slot].clear();
    if (!infos[column].repeats) continue;
    for (const std::string_view text : values_[slot].texts) {
      kept_texts_[slot].push_back(texts_.Add(text));
    }
  }
  block_begin_ = next_begin_;
  next_begin_ += table.block_rows[next_block_++];
  return true;
}

void ColumnScan::Fill(std::span<const uint32_t> rows) {
  const size_t width = values_.size();
  Cell* const cells = batch_.Extend(rows.size());
  for (size_t slot = 0; slot < width; ++slot) {
    const columns::ColumnValues& from = values_[slot];
    const auto& kept = kept_texts_[slot];
    Cell* cell = cells + slot;
    for (const uint32_t row : rows) {
      switch (from.KindOf(row)) {
        case Cell::Kind::kNull:
          cell->SetNull();
          break;
        case Cell::Kind::kText:
          if (kept.empty()) {
            cell->Set(from.texts[static_cast<size_t>(from.values[row])]);
          } else if (const std::string* text = kept[static_cast<size_t>(from.values[row])]) {
            cell->Set(text_budget_.Fit(*text));
          } else {
            cell->SetNull();
          }
          break;
        default:
          cell->kind = from.KindOf(row);
          cell->integer = from.values[row];
      }
      cell += width;
    }
  }
  if (batch_.table() == tables::Table::kCaptures && batch_.Wants(tables::captures::kFile)) {
    cells[batch_.SlotOf(tables::captures::kFile)].Set(batch_.KeepClean(file_));
  }
}

util::Result<bool> ColumnScan::Advance() {
  batch_.Clear();
  if (next_row_ == chosen_.size()) {
    auto more = NextBlock();
    if (!more || !*more) return more;
  }
  const size_t count = std::min(kRows, chosen_.size() - next_row_);
  filled_ = next_row_;
  Fill(std::span(chosen_).subspan(next_row_, count));
  next_row_ += count;
  return true;
}

}  // namespace query
