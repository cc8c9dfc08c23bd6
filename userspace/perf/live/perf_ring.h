// SPDX-License-Identifier: BSD-2-Clause
// The consumer's side of a perf ring: records out of memory that the kernel writes meanwhile.
// Protocol: "struct perf_event_mmap_page" in include/uapi/linux/perf_event.h.
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
  // `control` and `data` are the two parts of the mapping and must outlive the ring; the size of
  // `data` is a power of two. Whatever produces into them keeps to the kernel's protocol: bytes
  // first, then data_head.
  PerfRing(perf_event_mmap_page* control, std::span<std::byte> data);

  // `body` (the record without its header) is valid during the call alone.
  using Handler = std::function<void(const perf_event_header& header, util::Bytes body)>;

  // Hands out the records that are there, oldest first, and gives their room back to the producer;
  // stops after about `max_bytes`, so that one busy CPU does not starve the others. Returns the
  // bytes consumed. A record whose size cannot be is the end of what is there: everything up to
  // data_head is passed over and counted.
  size_t Drain(const Handler& handler, size_t max_bytes = SIZE_MAX);

  // Bytes that wait to be drained.
  size_t pending() const;

  // Bytes passed over because of a damaged record, and how often that happened.
  uint64_t corrupt_bytes() const { return corrupt_bytes_; }
  uint64_t corruptions() const { return corruptions_; }

 private:
  uint64_t LoadHead() const;
  // `size` bytes at position `at`, put together in scratch_ where they wrap around.
  util::Bytes View(uint64_t at, size_t size);

  perf_event_mmap_page* control_;
  std::span<std::byte> data_;
  std::vector<std::byte> scratch_;
  uint64_t corrupt_bytes_ = 0;
  uint64_t corruptions_ = 0;
};

}  // namespace perf
