// SPDX-License-Identifier: BSD-2-Clause
#include "session/providers/provider_stream.h"

#include <algorithm>
#include <utility>

#include "util/clock.h"

namespace session {

void ProviderStream::Add(std::shared_ptr<const provider::RecordBatch> records, uint64_t now) {
  if (writer_ != nullptr && (records->lost != 0 || records->invalid != 0)) {
    writer_->WriteLoss(*records, now);
  }
  for (const provider::Alert& alert : records->alerts) {
    if (alerts_.size() < provider::kMaxAlerts) alerts_.push_back(alert);
  }
  if (records->entries.empty() && !records->last) return;
  Batch& batch = *batches_.emplace_back(std::make_unique<Batch>());
  batch.records = std::move(records);
  batch.left = batch.records->entries.size();
  for (const provider::RecordEntry& entry : batch.records->entries) {
    waiting_.push_back({entry, &batch});
  }
  if (!batch.records->last) return;
  // Later than every record that the provider may have written.
  waiting_.push_back({{.time = now + provider::ProviderSet::kToleranceNs, .offset = kEnd}, &batch});
  ++batch.left;
}

void ProviderStream::Collect() {
  waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<ptrdiff_t>(next_));
  next_ = 0;
  std::erase_if(batches_, [](const auto& batch) { return batch->left == 0; });
  const size_t before = waiting_.size();
  provider::ProviderRecords collected = providers_.Collect();
  const uint64_t now = util::MonotonicNow() + util::KernelMonotonicAhead();
  for (auto& records : collected.batches) Add(std::move(records), now);
  std::sort(collected.refusals.begin(), collected.refusals.end(),
            [](const auto& a, const auto& b) { return a.time < b.time; });
  for (provider::Refusal& refusal : collected.refusals) {
    waiting_.push_back({{.time = refusal.time}, nullptr});
    refusals_.push_back(std::move(refusal));
  }
  const auto earlier = [](const WaitingItem& a, const WaitingItem& b) {
    return a.entry.time < b.entry.time;
  };
  const auto middle = waiting_.begin() + static_cast<ptrdiff_t>(before);
  std::stable_sort(middle, waiting_.end(), earlier);
  std::inplace_merge(waiting_.begin(), middle, waiting_.end(), earlier);
}

void ProviderStream::DeliverNext() {
  const WaitingItem& item = waiting_[next_++];
  if (item.batch == nullptr) {
    writer_->WriteRefusal(refusals_.front());
    refusals_.pop_front();
    return;
  }
  const provider::RecordBatch& records = *item.batch->records;
  if (item.entry.offset == kEnd) {
    writer_->EndSection(*records.identity);
  } else {
    writer_->Write(records, item.entry);
  }
  --item.batch->left;
}

}  // namespace session
