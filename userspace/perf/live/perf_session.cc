// SPDX-License-Identifier: BSD-2-Clause
#include "perf/live/perf_session.h"

#include <fmt/core.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <utility>

namespace perf {

PerfSession::PerfSession(PerfSyscalls& kernel, size_t ring_bytes)
    : kernel_(kernel), page_bytes_(static_cast<size_t>(sysconf(_SC_PAGESIZE))) {
  // At least two pages, so that the watermark and the largest record fit.
  constexpr size_t kSmallest = 2 * (kMaxRecordBytes + 1);
  ring_bytes_ = std::bit_ceil(std::max({ring_bytes, kSmallest, page_bytes_}));
}

PerfSession::~PerfSession() {
  for (auto& [number, cpu] : cpus_) Close(cpu);
}

void PerfSession::Close(Cpu& cpu) {
  cpu.ring.reset();
  if (cpu.mapping != nullptr) kernel_.Unmap(cpu.mapping, page_bytes_ + ring_bytes_);
  cpu.mapping = nullptr;
  cpu.fd.reset();
}

int PerfSession::Add(const Target& target, bool* mapping_failed) {
  *mapping_failed = false;
  if (cpus_.count(target.cpu) != 0) return 0;
  OpenedEvent event = kernel_.Open(target.attr, static_cast<int>(target.cpu));
  if (!event.fd) return event.error;
  Cpu cpu;
  int error = target.program < 0 ? 0 : kernel_.SetProgram(event.fd.get(), target.program);
  if (error != 0) return error;
  cpu.mapping = kernel_.Map(event.fd.get(), page_bytes_ + ring_bytes_, &error);
  if (cpu.mapping == nullptr) {
    *mapping_failed = true;
    return error;
  }
  cpu.ring = std::make_unique<PerfRing>(
      static_cast<perf_event_mmap_page*>(cpu.mapping),
      std::span<std::byte>(static_cast<std::byte*>(cpu.mapping) + page_bytes_, ring_bytes_));
  cpu.format = SampleFormat::FromAttr(target.attr);
  cpu.counts_lost = (target.attr.read_format & PERF_FORMAT_LOST) != 0;
  cpu.fd = std::move(event.fd);
  if (enabled_) error = kernel_.Enable(cpu.fd.get());
  if (error != 0) {
    Close(cpu);
    return error;
  }
  lost_[target.cpu];
  cpus_.emplace(target.cpu, std::move(cpu));
  return 0;
}

void PerfSession::Remove(unsigned number, const Handler& handler) {
  const auto found = cpus_.find(number);
  if (found == cpus_.end()) return;
  DrainCpu(number, found->second, handler, SIZE_MAX);
  Close(found->second);
  cpus_.erase(found);
}

util::Status PerfSession::Enable() {
  for (auto& [number, cpu] : cpus_) {
    if (const int error = kernel_.Enable(cpu.fd.get()); error != 0) {
      return util::Error{
          fmt::format("cannot start the event of CPU {}: {}", number, strerror(error)), ""};
    }
  }
  enabled_ = true;
  return util::Ok();
}

util::Status PerfSession::Disable() {
  enabled_ = false;
  for (auto& [number, cpu] : cpus_) {
    if (const int error = kernel_.Disable(cpu.fd.get()); error != 0) {
      return util::Error{
          fmt::format("cannot stop the event of CPU {}: {}", number, strerror(error)), ""};
    }
  }
  return util::Ok();
}

std::vector<int> PerfSession::fds() const {
  std::vector<int> fds;
  for (const auto& [number, cpu] : cpus_) fds.push_back(cpu.fd.get());
  return fds;
}

std::vector<unsigned> PerfSession::cpus() const {
  std::vector<unsigned> numbers;
  for (const auto& [number, cpu] : cpus_) numbers.push_back(number);
  return numbers;
}

void PerfSession::DrainCpu(unsigned number, Cpu& cpu, const Handler& handler, size_t max_bytes) {
  Lost& lost = lost_[number];
  const uint64_t corruptions = cpu.ring->corruptions();
  cpu.ring->Drain(
      [&](const perf_event_header& header, util::Bytes body) {
        util::Result<Record> record = DecodeRecord(header, body, cpu.format);
        if (!record) {
          ++lost.undecodable;
          return;
        }
        if (auto* ring_full = std::get_if<LostRecord>(&record->body)) {
          const uint64_t known = std::min(ring_full->count, cpu.counted_ahead);
          cpu.counted_ahead -= known;
          ring_full->count -= known;
          if (ring_full->count == 0) return;
          lost.records += ring_full->count;
        } else if (const auto* dropped = std::get_if<LostSamplesRecord>(&record->body)) {
          lost.samples += dropped->count;
        } else if (const auto* throttle = std::get_if<ThrottleRecord>(&record->body)) {
          lost.throttled += throttle->throttled;
        }
        handler(number, *record);
      },
      max_bytes);
  // The number of records in skipped bytes is unknown; at least one.
  lost.undecodable += cpu.ring->corruptions() - corruptions;
}

bool PerfSession::Drain(const Handler& handler, size_t max_bytes) {
  bool left = false;
  for (auto& [number, cpu] : cpus_) {
    DrainCpu(number, cpu, handler, max_bytes);
    left |= max_bytes != SIZE_MAX && cpu.ring->pending() >= max_bytes;
  }
  return left;
}

std::map<unsigned, uint64_t> PerfSession::CountUnreported() {
  std::map<unsigned, uint64_t> unreported;
  for (auto& [number, cpu] : cpus_) {
    uint64_t total = 0;
    if (!cpu.counts_lost || !kernel_.ReadLost(cpu.fd.get(), &total)) continue;
    Lost& lost = lost_[number];
    if (total <= lost.records) continue;
    const uint64_t added = total - lost.records;
    unreported[number] = added;
    cpu.counted_ahead += added;
    lost.records += added;
  }
  return unreported;
}

perf_event_attr MakeRingAttr(size_t ring_bytes) {
  perf_event_attr attr;
  std::memset(&attr, 0, sizeof(attr));
  attr.size = sizeof(attr);
  attr.sample_id_all = 1;
  attr.disabled = 1;
  attr.use_clockid = 1;
  attr.clockid = CLOCK_MONOTONIC;
  attr.watermark = 1;
  attr.wakeup_watermark = static_cast<uint32_t>(std::min<size_t>(ring_bytes / 4, 1 << 30));
  return attr;
}

void AddMappings(perf_event_attr* attr) {
  attr->mmap = 1;
  attr->mmap2 = 1;
  attr->comm = 1;
  attr->comm_exec = 1;
}

}  // namespace perf
