// SPDX-License-Identifier: BSD-2-Clause
#include "perf/record/sample_format.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "perf/record/perf_abi.h"

namespace perf {

namespace {

// The possible fields of a trailer, eight bytes each.
constexpr uint64_t kTrailerTypes = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID |
                                   PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER;

}  // namespace

SampleFormat SampleFormat::FromAttr(const perf_event_attr& attr) {
  SampleFormat format;
  format.sample_type = attr.sample_type;
  format.read_format = attr.read_format;
  format.branch_sample_type = attr.branch_sample_type;
  format.user_registers = attr.sample_regs_user;
  format.interrupt_registers = attr.sample_regs_intr;
  format.sample_id_all = attr.sample_id_all;
  return format;
}

size_t SampleFormat::trailer_bytes() const {
  return sample_id_all ? 8 * std::popcount(sample_type & kTrailerTypes) : 0;
}

std::optional<size_t> SampleFormat::id_offset() const {
  if (has(PERF_SAMPLE_IDENTIFIER)) return 0;
  if (!has(PERF_SAMPLE_ID)) return std::nullopt;
  constexpr uint64_t kBeforeId =
      PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR;
  return 8 * std::popcount(sample_type & kBeforeId);
}

std::optional<size_t> SampleFormat::id_offset_from_end() const {
  if (!sample_id_all) return std::nullopt;
  if (has(PERF_SAMPLE_IDENTIFIER)) return 8;
  if (!has(PERF_SAMPLE_ID)) return std::nullopt;
  return 8 + 8 * std::popcount(sample_type & (PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU));
}

std::optional<perf_event_attr> ReadAttr(util::Bytes bytes) {
  if (bytes.size() < kAttrSizeSmallest) return std::nullopt;
  perf_event_attr attr;
  std::memset(&attr, 0, sizeof(attr));
  std::memcpy(&attr, bytes.data(), std::min(bytes.size(), sizeof(attr)));
  return attr;
}

}  // namespace perf
