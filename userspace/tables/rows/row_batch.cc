// SPDX-License-Identifier: BSD-2-Clause
#include "tables/rows/row_batch.h"

#include <algorithm>
#include <cstring>

#include "text/clean_text.h"

namespace tables {

RowBatch::RowBatch(Table table, uint64_t columns, const RowFilter& filter, TextBudget& texts)
    : table_(table), filter_(filter), texts_(texts) {
  slots_.fill(kNotWanted);
  const size_t numbers = kFirstGroup + GroupsOf(table).size();
  for (uint8_t column = 0; column < numbers; ++column) {
    const bool exists = column < InfoOf(table).columns.size() || column >= kFirstGroup;
    if (!exists || (columns >> column & 1) == 0) continue;
    slots_[column] = static_cast<uint8_t>(columns_.size());
    columns_.push_back(column);
  }
}

std::string_view RowBatch::Keep(std::string_view text) { return Copy(texts_.Fit(text)); }

std::string_view RowBatch::Copy(std::string_view text) {
  if (text.empty()) return "";
  if (!arena_) {
    memory_ = std::make_unique_for_overwrite<std::byte[]>(kArenaBytes);
    arena_ = std::make_unique<std::pmr::monotonic_buffer_resource>(memory_.get(), kArenaBytes);
  }
  auto* place = static_cast<char*>(arena_->allocate(text.size(), 1));
  std::memcpy(place, text.data(), text.size());
  kept_ += text.size();
  return {place, text.size()};
}

std::string_view RowBatch::KeepClean(std::string_view text) {
  text = texts_.Fit(text);
  const bool plain = std::all_of(text.begin(), text.end(), [](char c) {
    return static_cast<unsigned char>(c) >= 0x20 && static_cast<unsigned char>(c) < 0x7f;
  });
  return Copy(plain ? text : std::string_view(text::CleanText(text)));
}

void RowBatch::Grow() {
  ids_.resize(2 * ids_.size() + 1);
  cells_.resize(ids_.size() * columns_.size());
}

Cell* RowBatch::Extend(size_t rows) {
  while (ids_.size() < rows_ + rows) Grow();
  Cell* const first = cells_.data() + rows_ * columns_.size();
  for (size_t i = 0; i < rows; ++i) ids_[rows_++] = TakeId();
  return first;
}

void RowBatch::Clear() {
  rows_ = 0;
  details_.clear();
  // A batch that grew once does not stay large.
  if (cells_.size() * sizeof(Cell) > size_t{1} << 20) {
    ids_ = {};
    cells_ = {};
  }
  if (kept_ != 0) arena_->release();
  kept_ = 0;
}

}  // namespace tables
