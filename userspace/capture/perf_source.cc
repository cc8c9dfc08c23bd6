// SPDX-License-Identifier: BSD-2-Clause
#include "capture/perf_source.h"

#include <algorithm>
#include <utility>

namespace capture {

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
    if (mapping->size != 0) queue_.Add(time, *mapping);
  } else if (const auto* comm = std::get_if<perf::CommRecord>(&record.body)) {
    if (comm->exec) queue_.Add(time, perf::MmapRecord::OfExec(comm->pid, comm->tid));
  } else if (const auto* lost = std::get_if<perf::LostRecord>(&record.body)) {
    queue_.AddLoss(time, cpu, lost->count);
  } else if (const auto* samples = std::get_if<perf::LostSamplesRecord>(&record.body)) {
    queue_.AddLoss(time, cpu, samples->count);
  }
}

}  // namespace capture
