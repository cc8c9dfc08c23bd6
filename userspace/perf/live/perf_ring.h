// SPDX-License-Identifier: BSD-2-Clause
// The consumer of a perf ring. Protocol: "struct perf_event_mmap_page" in
// include/uapi/linux/perf_event.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "perf/record/perf_abi.h"
#include "util/byte_cursor.h"

namespace perf {

class PerfRing {
 public:
  // `control` and `data` are the parts of the mapping and must outlive the ring; the size of `data`
  // is a power of two. The producer must follow the kernel's protocol: data first, then data_head.
  PerfRing(perf_event_mmap_page* control, std::span<std::byte> data);

  // `body` (the record without its header) is valid only during the call.
  using Handler = std::function<void(const perf_event_header& header, util::Bytes body)>;

  // Delivers the available records, oldest first, and releases their space. Stops after about
  // `max_bytes`, so that a busy CPU does not starve others. Returns the bytes consumed. A record
  // with an invalid size makes it skip and count everything up to data_head.
  size_t Drain(const Handler& handler, size_t max_bytes = SIZE_MAX);

  // Bytes to drain.
  size_t pending() const;

  // Bytes skipped because of invalid records, and the number of skips.
  uint64_t corrupt_bytes() const { return corrupt_bytes_; }
  uint64_t corruptions() const { return corruptions_; }

 private:
  uint64_t LoadHead() const;
  // `size` bytes at position `at`, copied to scratch_ if they wrap.
  util::Bytes View(uint64_t at, size_t size);

  perf_event_mmap_page* control_;
  std::span<std::byte> data_;
  std::vector<std::byte> scratch_;  // kMaxRecordBytes, from the first record that wraps
  uint64_t corrupt_bytes_ = 0;
  uint64_t corruptions_ = 0;
};

}  // namespace perf
