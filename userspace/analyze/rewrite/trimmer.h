// SPDX-License-Identifier: BSD-2-Clause
// Writes a part of a trace as a valid trace.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "analyze/rewrite/record_filter.h"
#include "analyze/rewrite/trace_copier.h"
#include "facts/kernel_sections.h"
#include "facts/linux_state_tracker.h"
#include "facts/span_tracker.h"
#include "facts/task_names.h"
#include "facts/timeline/cpu_tracker.h"

namespace analyze {

struct TrimOptions {
  RecordFilter filter;  // by time, threads, processes and CPUs
  // The filters except time, as written by the user, for the instant "trimmed"; empty without any.
  std::string description;
};

// Keeps records in the time range that match, the recorder's own events about the recording, and
// attachments without a time. Keeps ends of durations, async operations and flows if their begin
// was kept. A recording of fxt-record gets an instant "trimmed" behind its session instant.
class Trimmer {
 public:
  Trimmer(fxt::ByteSink& sink, TrimOptions options) : options_(std::move(options)), copier_(sink) {}

  // Adds the reader's current record, in file order.
  void Add(const fxt::Reader& reader);
  // False when the sink failed.
  bool Finish() { return copier_.Finish(); }

  const TraceCopier& copier() const { return copier_; }
  uint64_t kept() const { return kept_; }  // timed records, the recorder's own not counted

 private:
  void AddSession(const fxt::Reader& reader, const fxt::Event& session);
  void AddSettings(const fxt::Reader& reader, const fxt::Event& settings);
  std::optional<fxt::Record> MovedToBegin(const fxt::Reader& reader);
  void AddTimed(const fxt::Reader& reader, uint64_t time);
  void AddUntimed(const fxt::Reader& reader);
  void WriteState(const fxt::Reader& reader);
  bool IsWanted(const fxt::Reader& reader, uint64_t time);

  TrimOptions options_;
  TraceCopier copier_;
  facts::KernelSections sections_;
  facts::TaskNames names_;
  facts::CpuTracker cpus_;
  facts::LinuxStateTracker states_in_;   // of the input
  facts::LinuxStateTracker states_out_;  // of the output
  facts::SpanTracker spans_;             // of kept records
  bool in_range_ = false;                // the last record with a time was in the time range
  std::optional<uint64_t> moved_time_;   // of the first record moved to the begin
  uint64_t moved_symbols_ = 0;
  bool filled_up_ = false;  // a provider event waits for its loss
  uint64_t kept_ = 0;
};

}  // namespace analyze
