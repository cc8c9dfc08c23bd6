// SPDX-License-Identifier: BSD-2-Clause
#include "perf/live/perf_ring.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstring>

namespace perf {

PerfRing::PerfRing(perf_event_mmap_page* control, std::span<std::byte> data)
    : control_(control), data_(data) {
  assert(std::has_single_bit(data.size()));
}

uint64_t PerfRing::LoadHead() const {
  // Pairs with the kernel's barrier between the data and the head.
  const __u64* head = &control_->data_head;
  return __atomic_load_n(head, __ATOMIC_ACQUIRE);
}

size_t PerfRing::pending() const { return LoadHead() - control_->data_tail; }

util::Bytes PerfRing::View(uint64_t at, size_t size) {
  const size_t begin = at & (data_.size() - 1);
  const size_t first = std::min(size, data_.size() - begin);
  if (first == size) return data_.subspan(begin, size);
  if (scratch_.empty()) scratch_.resize(kMaxRecordBytes);
  std::memcpy(scratch_.data(), data_.data() + begin, first);
  std::memcpy(scratch_.data() + first, data_.data(), size - first);
  return util::Bytes(scratch_).first(size);
}

size_t PerfRing::Drain(const Handler& handler, size_t max_bytes) {
  const uint64_t head = LoadHead();
  uint64_t tail = control_->data_tail;
  const uint64_t start = tail;
  while (tail != head && tail - start < max_bytes) {
    const uint64_t there = head - tail;
    perf_event_header header{};
    if (there >= sizeof(header)) {
      // Records are 8-byte aligned, so a header never wraps.
      const util::Bytes bytes = View(tail, sizeof(header));
      std::memcpy(&header, bytes.data(), sizeof(header));
    }
    if (header.size < sizeof(header) || header.size > there || there > data_.size()) {
      corrupt_bytes_ += there;
      ++corruptions_;
      tail = head;
      break;
    }
    handler(header, View(tail, header.size).subspan(sizeof(header)));
    tail += header.size;
  }
  // All data is read before its space is released.
  __u64* shared_tail = &control_->data_tail;
  __atomic_store_n(shared_tail, tail, __ATOMIC_RELEASE);
  return tail - start;
}

}  // namespace perf
