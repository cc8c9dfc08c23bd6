// SPDX-License-Identifier: BSD-2-Clause
// The consumer of the side ring, a BPF ring buffer (kernel/bpf/ringbuf.c: a consumer page, a
// producer page, and the data mapped twice). Queues its events in time order.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "fxt_record/event.h"
#include "util/result.h"
#include "util/unique_fd.h"

namespace capture {

class SideRing {
 public:
  // Maps the ring of a BPF_MAP_TYPE_RINGBUF map. `bytes` is its max_entries.
  static util::Result<SideRing> Map(int map_fd, size_t bytes);
  // A ring in ordinary memory, for tests. `data` is 2 * `bytes` long, the second half a copy of the
  // first.
  SideRing(unsigned long* consumer, const unsigned long* producer, const std::byte* data,
           size_t bytes)
      : consumer_(consumer), producer_(producer), data_(data), bytes_(bytes) {}
  SideRing(SideRing&& other) noexcept;
  SideRing& operator=(SideRing&&) = delete;
  ~SideRing();

  // Reads the producer position.
  void LoadHead();
  // Moves committed events into the queue. Returns false if an uncommitted event stopped it.
  bool Collect();

  // The earliest queued event, or null. Valid until the next Collect.
  const fxr_side_header* Front() const;
  void Pop();

  size_t capacity() const { return bytes_; }
  size_t pending() const { return head_ - position_; }
  // Collected events, without pokes.
  uint64_t collected() const { return collected_; }

 private:
  struct Waiting {
    uint64_t time;
    size_t offset;
  };
  void Enqueue(const std::byte* event, size_t size);

  unsigned long* consumer_ = nullptr;
  const unsigned long* producer_ = nullptr;
  const std::byte* data_ = nullptr;
  size_t bytes_ = 0;
  void* consumer_map_ = nullptr;
  void* producer_map_ = nullptr;
  size_t producer_map_bytes_ = 0;

  unsigned long head_ = 0;
  unsigned long position_ = 0;
  uint64_t collected_ = 0;
  std::vector<std::byte> arena_;
  std::vector<Waiting> queue_;  // by time, from first_ on
  size_t first_ = 0;
};

}  // namespace capture
