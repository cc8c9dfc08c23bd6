// SPDX-License-Identifier: BSD-2-Clause
// The kernel's perf interface: <linux/perf_event.h>, plus definitions of newer kernels and of the
// perf tool that are missing in the oldest supported header (Linux 6.1).
#pragma once

#include <linux/perf_event.h>

#include <bit>
#include <cstddef>
#include <cstdint>

namespace perf {

// perf files, perf rings and last-branch blobs are read in native byte order.
static_assert(std::endian::native == std::endian::little);

// attr.branch_sample_type, Linux 6.8: one word of event counts per branch, after all entries.
inline constexpr uint64_t kBranchSampleCounters = 1u << 19;
// The bits of attr.sample_type that this code can decode.
inline constexpr uint64_t kKnownSampleTypes = PERF_SAMPLE_MAX - 1;
// sizeof(struct perf_event_attr) of Linux 6.1, and the smallest a kernel or file may use.
inline constexpr uint32_t kAttrSizeSmallest = PERF_ATTR_SIZE_VER0;

// Record types that the perf tool writes into its files (tools/lib/perf/include/perf/event.h);
// those below 64 come from the kernel.
enum UserRecordType : uint32_t {
  kRecordHeaderAttr = 64,
  kRecordHeaderEventType = 65,
  kRecordHeaderTracingData = 66,
  kRecordHeaderBuildId = 67,
  kRecordFinishedRound = 68,
  kRecordIdIndex = 69,
  kRecordAuxtraceInfo = 70,
  kRecordAuxtrace = 71,
  kRecordEventUpdate = 78,
  kRecordTimeConv = 79,
  kRecordHeaderFeature = 80,
  kRecordCompressed = 81,
  kRecordFinishedInit = 82,
  kRecordCompressed2 = 83,
};

// perf_event_header.misc of a build id record: the length byte after the id is valid.
inline constexpr uint16_t kMiscBuildIdSize = 1u << 15;
// perf_event_header.misc of COMM: the name changed because of exec.
inline constexpr uint16_t kMiscCommExec = 1u << 13;
// perf_event_header.misc of MMAP (not MMAP2): not an executable mapping.
inline constexpr uint16_t kMiscMmapData = 1u << 13;

// A record's size field has 16 bits and counts its header.
inline constexpr size_t kRecordHeaderBytes = sizeof(perf_event_header);
inline constexpr size_t kMaxRecordBytes = 0xffff;

}  // namespace perf
