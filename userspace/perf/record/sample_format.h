// SPDX-License-Identifier: BSD-2-Clause
// Which fields the samples and the trailers of one perf event carry: the part of perf_event_attr
// that decides the layout of its records.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "util/byte_cursor.h"

struct perf_event_attr;  // <linux/perf_event.h>, which few users need

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
  // Bytes of the struct sample_id at the end of every record but samples; 0 without sample_id_all.
  size_t trailer_bytes() const;
  // Where the event's id stands in a sample's body (bytes from its start), if it has one.
  std::optional<size_t> id_offset() const;
  // Where it stands in other records, in bytes back from their end, if it does.
  std::optional<size_t> id_offset_from_end() const;

  friend bool operator==(const SampleFormat&, const SampleFormat&) = default;
};

// An attr as a file or a kernel of any age holds it: `bytes` of it, shorter than ours (the rest is
// zero) or longer (the end, which we have no names for, is not looked at). attr.size is the stored
// one. Empty when `bytes` is shorter than the first published attr.
std::optional<perf_event_attr> ReadAttr(util::Bytes bytes);

}  // namespace perf
