// SPDX-License-Identifier: BSD-2-Clause
// The kernel's perf records as structs, decoded for files and live rings. Layouts: enum
// perf_event_type in include/uapi/linux/perf_event.h. Texts are views of the record.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>

#include "perf/record/sample_decoder.h"
#include "util/build_id.h"
#include "util/byte_cursor.h"
#include "util/result.h"

struct perf_event_header;  // from <linux/perf_event.h>, which few users need

namespace perf {

// PERF_RECORD_COMM.
struct CommRecord {
  uint32_t pid = 0;
  uint32_t tid = 0;
  std::string_view name;
  bool exec = false;
};

// PERF_RECORD_FORK.
struct ForkRecord {
  uint32_t pid = 0;
  uint32_t parent_pid = 0;
  uint32_t tid = 0;
  uint32_t parent_tid = 0;
  uint64_t time = 0;
};

// PERF_RECORD_EXIT.
struct ExitRecord {
  uint32_t pid = 0;
  uint32_t tid = 0;
  uint64_t time = 0;
};

// PERF_RECORD_MMAP and PERF_RECORD_MMAP2.
struct MmapRecord {
  // The pid of a mapping of the kernel.
  static constexpr uint32_t kKernelPid = UINT32_MAX;

  uint32_t pid = 0;
  uint32_t tid = 0;
  uint64_t address = 0;
  uint64_t size = 0;         // bytes
  uint64_t file_offset = 0;  // bytes; for the kernel's text the address of a reference symbol
  uint32_t protection = 0;   // PROT_*; MMAP records only distinguish executable
  // Of the file, in MMAP2 records. In those with a build id, these are its bytes.
  uint32_t device_major = 0;
  uint32_t device_minor = 0;
  uint64_t inode = 0;
  uint64_t inode_generation = 0;
  util::BuildId build_id;
  std::string_view file;
  bool kernel = false;

  // An exec, represented as a mapping of size 0, which the kernel never reports. The process loses
  // its mappings; those of the new program follow.
  static MmapRecord OfExec(uint32_t pid, uint32_t tid) {
    MmapRecord record;
    record.pid = pid;
    record.tid = tid;
    return record;
  }
  bool is_exec() const { return size == 0 && !kernel; }
};

// PERF_RECORD_LOST: events that did not fit the ring.
struct LostRecord {
  uint64_t id = 0;
  uint64_t count = 0;
};

// PERF_RECORD_LOST_SAMPLES: samples dropped by the hardware or its driver.
struct LostSamplesRecord {
  uint64_t count = 0;
};

// PERF_RECORD_THROTTLE and UNTHROTTLE: the kernel stopped and resumed an event that took too much
// time.
struct ThrottleRecord {
  uint64_t time = 0;
  bool throttled = false;
};

// A record of a type that has no struct here.
struct OtherRecord {};

struct Record {
  uint32_t type = 0;  // PERF_RECORD_*
  uint16_t misc = 0;
  // From the sample or the trailer; fields outside the event's sample_type are empty.
  SampleId where;
  std::variant<OtherRecord, Sample, CommRecord, ForkRecord, ExitRecord, MmapRecord, LostRecord,
               LostSamplesRecord, ThrottleRecord>
      body;
};

// `body` is the record without its header. An error if a field does not fit.
util::Result<Record> DecodeRecord(const perf_event_header& header, util::Bytes body,
                                  const SampleFormat& format);

// "SAMPLE", "MMAP2", ...; "type 99" for an unknown type.
std::string RecordTypeName(uint32_t type);

}  // namespace perf
