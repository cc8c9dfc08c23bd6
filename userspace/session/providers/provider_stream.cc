// SPDX-License-Identifier: BSD-2-Clause
#include "session/providers/provider_stream.h"

#include <algorithm>
#include <utility>

#include "util/clock.h"

namespace session {
void ProviderStream::Collect() {
  waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<ptrdiff_t>(next_));
  next_ = 0;
  std::erase_if(batches_, [](const auto& batch) { return batch->left == 0; });
  const size_t before = waiting_.size();
  for (auto& records : providers_.Collect()) {
    if (writer_ != nullptr && (records->lost != 0 || records->invalid != 0)) {
      writer_->WriteLoss(*records, util::MonotonicNow() + util::KernelMonotonicAhead());
    }
    if (alerts_.size() < provider::kMaxAlerts) {
      alerts_.insert(alerts_.end(), records->alerts.begin(), records->alerts.end());
    }
    if (records->entries.empty()) continue;
    Batch& batch = *batches_.emplace_back(std::make_unique<Batch>());
    batch.records = std::move(records);
    batch.left = batch.records->entries.size();
    for (const provider::RecordEntry& entry : batch.records->entries) {
      waiting_.push_back({entry, &batch});
    }
  }
  const auto earlier = [](const Waiting& a, const Waiting& b) {
    return a.entry.time < b.entry.time;
  };
  const auto middle = waiting_.begin() + static_cast<ptrdiff_t>(before);
  std::stable_sort(middle, waiting_.end(), earlier);
  std::inplace_merge(waiting_.begin(), middle, waiting_.end(), earlier);
}

void ProviderStream::DeliverNext() {
  const Waiting& waiting = waiting_[next_++];
  writer_->Write(*waiting.batch->records, waiting.entry);
  --waiting.batch->left;
}

}  // namespace session
