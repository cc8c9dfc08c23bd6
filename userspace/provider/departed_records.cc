// SPDX-License-Identifier: BSD-2-Clause
#include "provider/departed_records.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace provider {

uint64_t DepartedRecords::Add(std::unique_ptr<RecordBatch> batch, size_t limit) {
  User& user = users_[batch->identity->user];
  // An allocator's overhead and the identity.
  constexpr size_t kOverhead = 256;
  const size_t bytes = Compact(*batch) + kOverhead;
  user.items.push_back({std::move(batch), bytes});
  user.bytes += bytes;
  bytes_ += bytes;
  uint64_t dropped = 0;
  while (bytes_ > limit) {
    const auto largest = std::max_element(
        users_.begin(), users_.end(),
        [](const auto& a, const auto& b) { return a.second.bytes < b.second.bytes; });
    dropped += DropOldestOf(largest->second);
  }
  return dropped;
}

uint64_t DepartedRecords::DropOldestOf(User& user) {
  const Item item = std::move(user.items.front());
  user.items.pop_front();
  user.bytes -= item.bytes;
  bytes_ -= item.bytes;
  NoteLoss(*item.batch, item.batch->entries.size() + item.batch->lost);
  return item.batch->entries.size();
}

void DepartedRecords::NoteLoss(const RecordBatch& batch, uint64_t count) {
  if (count == 0) return;
  const uint64_t time = batch.entries.empty() ? UINT64_MAX : batch.entries.back().time;
  const bool same = !losses_.empty() &&
                    losses_.back().batch->identity->name == batch.identity->name &&
                    losses_.back().batch->identity->user == batch.identity->user;
  if (!same && losses_.size() < kMaxLosses) {
    auto loss = std::make_shared<RecordBatch>();
    loss->identity = batch.identity;
    loss->strings = std::make_shared<StringTable>();
    losses_.push_back({time, std::move(loss)});
  }
  // Replaces the entry: a copy that a file holds must not change.
  Loss& last = losses_.back();
  if (last.batch.use_count() > 1) last.batch = std::make_shared<RecordBatch>(*last.batch);
  last.batch->lost += count;
  last.time = std::max(last.time, time);
}

void DepartedRecords::DropBefore(uint64_t edge) {
  for (auto each = users_.begin(); each != users_.end();) {
    User& user = each->second;
    while (!user.items.empty() && (user.items.front().batch->entries.empty() ||
                                   user.items.front().batch->entries.back().time < edge)) {
      user.bytes -= user.items.front().bytes;
      bytes_ -= user.items.front().bytes;
      user.items.pop_front();
    }
    each = user.items.empty() ? users_.erase(each) : std::next(each);
  }
  while (!losses_.empty() && losses_.front().time < edge) losses_.pop_front();
}

std::vector<std::shared_ptr<const RecordBatch>> DepartedRecords::Copy() const {
  std::vector<std::shared_ptr<const RecordBatch>> batches;
  for (const auto& [id, user] : users_) {
    for (const Item& item : user.items) batches.push_back(item.batch);
  }
  for (const Loss& loss : losses_) batches.push_back(loss.batch);
  return batches;
}

std::vector<std::shared_ptr<const RecordBatch>> DepartedRecords::Take() {
  auto batches = Copy();
  Clear();
  return batches;
}

void DepartedRecords::Clear() {
  users_.clear();
  losses_.clear();
  bytes_ = 0;
}

}  // namespace provider
