// SPDX-License-Identifier: BSD-2-Clause
// The fields of the samples and trailers of one perf event: the part of perf_event_attr that
// determines the layout.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "util/byte_cursor.h"

struct perf_event_attr;  // from <linux/perf_event.h>, which few users need

namespace perf {

struct SampleFormat {
  uint64_t sample_type = 0;         // PERF_SAMPLE_*
  uint64_t read_format = 0;         // PERF_FORMAT_*
  uint64_t branch_sample_type = 0;  // PERF_SAMPLE_BRANCH_*
  uint64_t user_registers = 0;      // masks of the registers dumped
  uint64_t interrupt_registers = 0;
  bool sample_id_all = false;

  static SampleFormat FromAttr(const perf_event_attr& attr);

  bool has(uint64_t type) const { return (sample_type & type) == type; }
  // Size of the struct sample_id at the end of every record except samples; 0 without
  // sample_id_all.
  size_t trailer_bytes() const;
  // Offset of the event's id in a sample's body, if it has one.
  std::optional<size_t> id_offset() const;
  // Its distance from the end of other records, if they have one.
  std::optional<size_t> id_offset_from_end() const;

  friend bool operator==(const SampleFormat&, const SampleFormat&) = default;
};

// Reads an attr of any kernel version. A shorter one is zero-extended, a longer one truncated;
// attr.size is the stored value. Empty if `bytes` is shorter than the first published attr.
std::optional<perf_event_attr> ReadAttr(util::Bytes bytes);

}  // namespace perf
