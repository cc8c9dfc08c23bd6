// SPDX-License-Identifier: BSD-2-Clause
#include "session/providers/window_providers.h"

#include <algorithm>
#include <memory>
#include <utility>

namespace session {
namespace {

// A copy of the batch with only the data that WriteLosses() needs.
std::shared_ptr<const provider::RecordBatch> LossesOf(const provider::RecordBatch& batch) {
  auto losses = std::make_shared<provider::RecordBatch>();
  losses->identity = batch.identity;
  losses->lost = batch.lost;
  losses->invalid = batch.invalid;
  return losses;
}

}  // namespace

WindowProviders::WindowProviders(provider::ProviderRecords records, uint64_t begin, uint64_t end)
    : records_(std::move(records)), end_(end) {
  const auto before = [begin](const auto& each) { return each.time < begin; };
  for (size_t batch = 0; batch < records_.batches.size(); ++batch) {
    const auto& entries = records_.batches[batch]->entries;
    const auto first = std::partition_point(entries.begin(), entries.end(), before);
    Push(batch, static_cast<size_t>(first - entries.begin()));
  }
  const auto& refusals = records_.refusals;
  const auto first = std::find_if_not(refusals.begin(), refusals.end(), before);
  Push(kRefusals, static_cast<size_t>(first - refusals.begin()));
}

bool WindowProviders::Push(size_t batch, size_t next) {
  const bool is_refusal = batch == kRefusals;
  const size_t size =
      is_refusal ? records_.refusals.size() : records_.batches[batch]->entries.size();
  if (next >= size) return false;
  const uint64_t time =
      is_refusal ? records_.refusals[next].time : records_.batches[batch]->entries[next].time;
  if (time > end_) return false;
  heap_.push_back({time, batch, next});
  std::push_heap(heap_.begin(), heap_.end(), IsLater);
  return true;
}

void WindowProviders::WriteNext(provider::SectionWriter& writer) {
  std::pop_heap(heap_.begin(), heap_.end(), IsLater);
  const Cursor cursor = heap_.back();
  heap_.pop_back();
  if (cursor.batch == kRefusals) {
    writer.WriteRefusal(records_.refusals[cursor.next]);
    Push(kRefusals, cursor.next + 1);
    return;
  }
  const provider::RecordBatch& batch = *records_.batches[cursor.batch];
  writer.Write(batch, batch.entries[cursor.next]);
  if (Push(cursor.batch, cursor.next + 1)) return;
  if (batch.last && batch.lost == 0) writer.EndSection(*batch.identity);
  records_.batches[cursor.batch] = LossesOf(batch);
}

void WindowProviders::WriteLosses(uint64_t time, provider::SectionWriter& writer) const {
  for (const auto& batch : records_.batches) {
    if (batch->lost != 0 || batch->invalid != 0) writer.WriteLoss(*batch, time);
  }
}

}  // namespace session
