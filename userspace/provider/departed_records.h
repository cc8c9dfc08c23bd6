// SPDX-License-Identifier: BSD-2-Clause
// Keeps the batches of disconnected providers and of marks until a file takes them. At the memory
// limit it drops the oldest batch of the user with the most bytes, and counts its records as lost.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <vector>

#include "provider/record_batch.h"

namespace provider {

class DepartedRecords {
 public:
  // A snapshot that is being written may hold as much again.
  static constexpr size_t kMaxBytes = size_t{8} << 20;

  // Compacts the batch. `limit`: bytes, at least kMaxBytes. Returns the records dropped.
  uint64_t Add(std::unique_ptr<RecordBatch> batch, size_t limit = kMaxBytes);
  // Drops batches whose records are all before `edge`, ns.
  void DropBefore(uint64_t edge);
  // All batches; losses are batches without entries.
  std::vector<std::shared_ptr<const RecordBatch>> Copy() const;
  std::vector<std::shared_ptr<const RecordBatch>> Take();
  void Clear();
  size_t bytes() const { return bytes_; }

 private:
  static constexpr size_t kMaxLosses = 256;

  struct Item {
    std::shared_ptr<const RecordBatch> batch;
    size_t bytes;
  };
  struct User {
    std::deque<Item> items;
    size_t bytes = 0;
  };
  struct Loss {
    uint64_t time;  // of the last record, ns
    std::shared_ptr<RecordBatch> batch;
  };

  uint64_t DropOldestOf(User& user);
  void NoteLoss(const RecordBatch& batch, uint64_t count);

  std::map<uid_t, User> users_;
  std::deque<Loss> losses_;
  size_t bytes_ = 0;
};

}  // namespace provider
