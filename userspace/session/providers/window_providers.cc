// SPDX-License-Identifier: BSD-2-Clause
#include "session/providers/window_providers.h"

#include <algorithm>

namespace session {

WindowProviders::WindowProviders(const std::vector<std::unique_ptr<provider::RecordBatch>>& batches,
                                 uint64_t begin, uint64_t end)
    : batches_(batches) {
  for (const auto& batch : batches_) {
    for (const provider::RecordEntry& entry : batch->entries) {
      if (entry.time >= begin && entry.time <= end) waiting_.push_back({entry, batch.get()});
    }
  }
  std::stable_sort(waiting_.begin(), waiting_.end(),
                   [](const Waiting& a, const Waiting& b) { return a.entry.time < b.entry.time; });
}

void WindowProviders::WriteNext(provider::SectionWriter& writer) {
  const Waiting& waiting = waiting_[next_++];
  writer.Write(*waiting.batch, waiting.entry);
}

void WindowProviders::WriteLosses(uint64_t time, provider::SectionWriter& writer) const {
  for (const auto& batch : batches_) {
    if (batch->lost != 0 || batch->invalid != 0) writer.WriteLoss(*batch, time);
  }
}

}  // namespace session
