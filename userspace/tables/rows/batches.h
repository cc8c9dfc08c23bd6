// SPDX-License-Identifier: BSD-2-Clause
// The rows that a scan makes, by table.
#pragma once

#include <array>
#include <cstddef>
#include <memory>

#include "tables/rows/row_batch.h"
#include "tables/rows/schema.h"

namespace tables {

class Batches {
 public:
  Batches() = default;
  Batches(const Batches&) = delete;
  Batches& operator=(const Batches&) = delete;

  void Want(Table table, uint64_t columns, const RowFilter& filter) {
    batches_[static_cast<size_t>(table)] =
        std::make_unique<RowBatch>(table, columns, filter, texts_);
  }
  // Null for a table without Want().
  RowBatch* of(Table table) const { return batches_[static_cast<size_t>(table)].get(); }

  TextBudget& texts() { return texts_; }
  const TextBudget& texts() const { return texts_; }

  void Clear() {
    for (const auto& batch : batches_) {
      if (batch) batch->Clear();
    }
  }
  // True if the batches are full.
  bool full() const {
    for (const auto& batch : batches_) {
      if (batch && (batch->size() >= kRows || batch->kept() >= kBytes)) return true;
    }
    return false;
  }

 private:
  // Size that fits the cache.
  static constexpr size_t kRows = 1024;
  static constexpr size_t kBytes = size_t{1} << 20;

  TextBudget texts_;
  std::array<std::unique_ptr<RowBatch>, kTables> batches_;
};

}  // namespace tables
