// SPDX-License-Identifier: BSD-2-Clause
#include "capture/perf_source.h"

#include <algorithm>
#include <utility>

namespace capture {
namespace {

CodeMapping CodeMappingOf(const perf::MmapRecord& record) {
  return {.tgid = record.pid,
          .start = record.address,
          .end = record.address + record.size,
          .offset = record.file_offset,
          .device = DeviceOf(record.device_major, record.device_minor),
          .inode = record.inode,
          .path = record.file};
}

}  // namespace

void PerfSource::SetFilter(const TaskFilter& filter, std::function<bool(uint32_t)> is_followed) {
  filter_ = filter;
  is_followed_ = std::move(is_followed);
}

bool PerfSource::IsWanted(uint32_t tid, uint32_t tgid) const {
  if (filter_.tids.empty() && filter_.tgids.empty() && !filter_.chosen) return true;
  return (filter_.follows() && is_followed_(tid)) ||
         std::ranges::find(filter_.tids, tid) != filter_.tids.end() ||
         std::ranges::find(filter_.tgids, tgid) != filter_.tgids.end();
}

void PerfSource::TakeCommon(unsigned cpu, const perf::Record& record, uint64_t time) {
  time = record.where.time.value_or(time);
  if (const auto* mapping = std::get_if<perf::MmapRecord>(&record.body)) {
    if (mapping->size == 0) return;
    perf::MmapRecord whole = *mapping;
    if (!whole.kernel) whole.build_id = build_ids_.Of(CodeMappingOf(whole));
    queue_.Add(time, whole);
  } else if (const auto* comm = std::get_if<perf::CommRecord>(&record.body)) {
    if (comm->exec) queue_.Add(time, perf::MmapRecord::OfExec(comm->pid, comm->tid));
  } else if (const auto* lost = std::get_if<perf::LostRecord>(&record.body)) {
    queue_.AddLoss(time, cpu, lost->count);
  } else if (const auto* samples = std::get_if<perf::LostSamplesRecord>(&record.body)) {
    queue_.AddLoss(time, cpu, samples->count);
  }
}

void PerfQueue::Add(Item item) {
  const bool in_order =
      sorted_ == items_.size() && (items_.empty() || items_.back().time <= item.time);
  items_.push_back(std::move(item));
  if (in_order) sorted_ = items_.size();
}

void PerfQueue::Add(uint64_t time, perf::BranchStackSample sample) {
  Add(Item{time, std::move(sample)});
}

void PerfQueue::Add(uint64_t time, Event event) { Add(Item{time, std::move(event)}); }

void PerfQueue::Add(uint64_t time, const perf::MmapRecord& mapping) {
  Add(Item{time, Mapping{mapping, std::string(mapping.file)}});
}

void PerfQueue::AddLoss(uint64_t time, unsigned cpu, uint64_t count) {
  Add(Item{time, Loss{cpu, count}});
}

// Rings are drained one after the other, so times go back between them.
void PerfQueue::Sort() {
  const auto earlier = [](const Item& a, const Item& b) { return a.time < b.time; };
  const auto fresh = items_.begin() + static_cast<ptrdiff_t>(sorted_);
  std::stable_sort(fresh, items_.end(), earlier);
  std::inplace_merge(items_.begin(), fresh, items_.end(), earlier);
  sorted_ = items_.size();
}

uint64_t PerfQueue::NextTime() {
  if (sorted_ != items_.size()) Sort();
  return items_.empty() ? UINT64_MAX : items_.front().time;
}

void PerfQueue::DeliverNext(EventHandler& handler) {
  if (NextTime() == UINT64_MAX) return;
  Item item = std::move(items_.front());
  items_.pop_front();
  --sorted_;
  if (const auto* sample = std::get_if<perf::BranchStackSample>(&item.what)) {
    handler.OnBranchSample(*sample);
  } else if (const auto* event = std::get_if<Event>(&item.what)) {
    handler.OnSideEvent(*reinterpret_cast<const fxr_side_header*>(event->data()));
  } else if (auto* mapping = std::get_if<Mapping>(&item.what)) {
    mapping->record.file = mapping->file;
    handler.OnMapping(item.time, mapping->record);
  } else if (const auto* loss = std::get_if<Loss>(&item.what)) {
    handler.OnLoss(static_cast<int32_t>(loss->cpu), item.time, category_, loss->count);
  }
}

}  // namespace capture
