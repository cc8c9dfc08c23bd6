// SPDX-License-Identifier: BSD-2-Clause
#include "capture/branch_recorder.h"

#include <algorithm>
#include <utility>

namespace capture {

util::Result<std::unique_ptr<BranchRecorder>> BranchRecorder::Open(
    const perf::LbrOptions& options) {
  auto session = perf::LbrSession::Open(options);
  if (!session) return session.TakeError();
  return std::make_unique<BranchRecorder>(std::move(*session));
}

void BranchRecorder::Disable(uint64_t now) {
  // Nothing is to be done about a failure: the rings are drained all the same.
  (void)session_->Disable().ok();
  Collect(now);
  for (const auto& [cpu, count] : session_->CountUnreported()) {
    if (count > 0) Enqueue({now, Loss{cpu, count}});
  }
}

void BranchRecorder::Collect(uint64_t now) {
  std::string problem;
  session_->FollowCpus(*this, &problem);
  // It is tried again each time.
  if (!problem.empty() && told_problems_.insert(problem).second) problem_ = std::move(problem);
  session_->Drain(*this);
  NoteDamage(now);
}

void BranchRecorder::NoteDamage(uint64_t now) {
  for (const auto& [cpu, lost] : session_->lost()) {
    uint64_t& told = told_damage_[cpu];
    if (lost.undecodable == told) continue;
    Enqueue({now, Loss{cpu, lost.undecodable - told}});
    told = lost.undecodable;
  }
}

void BranchRecorder::Enqueue(Item item) {
  // Rings are drained one after the other, so times go back between them.
  auto place = std::upper_bound(queue_.begin(), queue_.end(), item.time,
                                [](uint64_t time, const Item& other) { return time < other.time; });
  queue_.insert(place, std::move(item));
}

void BranchRecorder::OnSample(const perf::BranchStackSample& sample) {
  last_time_ = sample.time;
  if (!filter_.tids.empty() || !filter_.tgids.empty() || filter_.chosen) {
    const bool wanted =
        (filter_.follows() && is_followed_(sample.tid)) ||
        std::find(filter_.tids.begin(), filter_.tids.end(), sample.tid) != filter_.tids.end() ||
        std::find(filter_.tgids.begin(), filter_.tgids.end(), sample.pid) != filter_.tgids.end();
    if (!wanted) return;
  }
  Enqueue({sample.time, sample});
}

void BranchRecorder::OnRecord(unsigned cpu, const perf::Record& record) {
  const uint64_t time = record.where.time.value_or(last_time_);
  if (const auto* mapping = std::get_if<perf::MmapRecord>(&record.body)) {
    Enqueue({time, Mapping{*mapping, std::string(mapping->file)}});
  } else if (const auto* lost = std::get_if<perf::LostRecord>(&record.body)) {
    Enqueue({time, Loss{cpu, lost->count}});
  } else if (const auto* samples = std::get_if<perf::LostSamplesRecord>(&record.body)) {
    Enqueue({time, Loss{cpu, samples->count}});
  }
}

void BranchRecorder::DeliverNext(EventHandler& handler) {
  Item item = std::move(queue_.front());
  queue_.pop_front();
  if (const auto* sample = std::get_if<perf::BranchStackSample>(&item.what)) {
    handler.OnBranchSample(*sample);
  } else if (auto* mapping = std::get_if<Mapping>(&item.what)) {
    mapping->record.file = mapping->file;
    handler.OnMapping(item.time, mapping->record);
  } else if (const auto* loss = std::get_if<Loss>(&item.what)) {
    handler.OnLoss(static_cast<int32_t>(loss->cpu), item.time, FXR_CATEGORY_LBR, loss->count);
  }
}

}  // namespace capture
