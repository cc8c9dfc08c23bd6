// SPDX-License-Identifier: BSD-2-Clause
// A part of a trace as a valid trace of its own.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "analyze/rewrite/record_filter.h"
#include "analyze/rewrite/trace_copier.h"
#include "facts/kernel_sections.h"
#include "facts/linux_state_tracker.h"
#include "facts/object_names.h"
#include "facts/span_tracker.h"
#include "facts/timeline/cpu_tracker.h"

namespace analyze {

struct TrimOptions {
  RecordFilter filter;  // time, threads, processes and CPUs are looked at
  // The filters but for the time, as the user wrote them, for the mark that trimming leaves; empty
  // without any.
  std::string description;
};

// Kept are: records in the time range that match; the recorder's own events about the recording;
// attachments without a time. Ends of durations, async operations and flows
// are kept when their begin was. A recording of fxt-record
// gets an instant "trimmed" behind its session instant.
class Trimmer {
 public:
  Trimmer(fxt::ByteSink& sink, TrimOptions options) : options_(std::move(options)), copier_(sink) {}

  // The record that `reader` stands at, in the order of the file.
  void Add(const fxt::Reader& reader);
  // False when the sink failed.
  bool Finish() { return copier_.Finish(); }

  const TraceCopier& copier() const { return copier_; }
  uint64_t kept() const { return kept_; }  // timed records, the recorder's own not counted

 private:
  void AddSession(const fxt::Reader& reader, const fxt::Event& session);
  std::optional<fxt::Record> MovedToBegin(const fxt::Reader& reader) const;
  void AddTimed(const fxt::Reader& reader, uint64_t time);
  void AddUntimed(const fxt::Reader& reader);
  void TellState(const fxt::Reader& reader);
  bool IsWanted(const fxt::Reader& reader, uint64_t time);

  TrimOptions options_;
  TraceCopier copier_;
  facts::KernelSections sections_;
  facts::ObjectNames names_;
  facts::CpuTracker cpus_;
  facts::LinuxStateTracker states_in_;   // as the trace tells them
  facts::LinuxStateTracker states_out_;  // as the smaller one does
  facts::SpanTracker spans_;             // of what was kept
  bool in_range_ = false;                // the last timed record was in the time range
  bool filled_up_ = false;               // a provider event waits for its loss
  uint64_t kept_ = 0;
};

}  // namespace analyze
