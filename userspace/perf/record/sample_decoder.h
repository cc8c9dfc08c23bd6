// SPDX-License-Identifier: BSD-2-Clause
// Decodes PERF_RECORD_SAMPLE bodies and the trailers of other records, for files and live rings.
// Layouts: include/uapi/linux/perf_event.h.
#pragma once

#include <cstdint>
#include <optional>

#include "perf/record/branch_entry.h"
#include "perf/record/sample_format.h"
#include "util/byte_cursor.h"
#include "util/result.h"

namespace perf {

// CPU, thread and time of a record. Only the fields of the event's sample_type are set.
struct SampleId {
  std::optional<uint32_t> pid;  // thread group id
  std::optional<uint32_t> tid;
  std::optional<uint64_t> time;  // ns of the event's clock
  std::optional<uint64_t> id;
  std::optional<uint64_t> stream_id;
  std::optional<uint32_t> cpu;
};

struct BranchStack {
  // Index of the newest entry in the hardware's ring; -1 if the CPU has none.
  std::optional<uint64_t> hw_idx;
  util::PackedView<BranchEntry> entries;  // newest first
  util::PackedView<uint64_t> counters;    // empty, or one word per entry
};

struct RegisterDump {
  uint64_t abi = 0;  // PERF_SAMPLE_REGS_ABI_*
  util::PackedView<uint64_t> values;
};

// One counter of a PERF_SAMPLE_READ group.
struct ReadValue {
  uint64_t value = 0;
  std::optional<uint64_t> id;
  std::optional<uint64_t> lost;
};

// PERF_SAMPLE_READ. The words per counter depend on the read format: see ReadCounter().
struct ReadValues {
  std::optional<uint64_t> time_enabled;  // ns
  std::optional<uint64_t> time_running;  // ns
  util::PackedView<uint64_t> words;
  size_t words_per_counter = 1;
  uint64_t read_format = 0;

  size_t size() const { return words.size() / words_per_counter; }
  ReadValue ReadCounter(size_t i) const;
};

// A sample. Views refer to the decoded bytes. Fields outside the event's sample_type are empty.
struct Sample {
  SampleId where;
  std::optional<uint64_t> ip;
  std::optional<uint64_t> address;
  std::optional<uint64_t> period;
  std::optional<ReadValues> read;
  std::optional<util::PackedView<uint64_t>> callchain;  // with PERF_CONTEXT_* marks
  std::optional<util::Bytes> raw;
  std::optional<BranchStack> branches;
  std::optional<RegisterDump> user_registers;
  std::optional<util::Bytes> user_stack;  // the whole area; `user_stack_used` bytes are valid
  uint64_t user_stack_used = 0;
  std::optional<uint64_t> weight;  // three numbers with PERF_SAMPLE_WEIGHT_STRUCT
  std::optional<uint64_t> data_source;
  std::optional<uint64_t> transaction;
  std::optional<RegisterDump> interrupt_registers;
  std::optional<uint64_t> physical_address;
  std::optional<uint64_t> cgroup;
  std::optional<uint64_t> data_page_size;
  std::optional<uint64_t> code_page_size;
  std::optional<util::Bytes> aux;
  // Bytes after the last known field.
  util::Bytes trailing;
};

// Decodes the body of a sample (the record without its header). An error if a field does not fit.
//
// Two fields depend on the record's size and not only on the attr. A stack without entries may lack
// the hw_idx word (perf_output_sample() writes only the zero count). The counter words are absent
// if the hardware counted none.
util::Result<Sample> DecodeSample(const SampleFormat& format, util::Bytes body);

// Decodes the struct sample_id at the end of `body` (a record without its header), present with
// sample_id_all; without it all fields are empty. An error if the body is too short.
util::Result<SampleId> DecodeTrailer(const SampleFormat& format, util::Bytes body);

}  // namespace perf
