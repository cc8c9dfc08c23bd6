// SPDX-License-Identifier: BSD-2-Clause
// Category `tracepoint`: records arbitrary tracepoints through perf's rings, as long events with
// the kernel's own records. perf offers the kernel's filters and every tracepoint of tracefs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "capture/perf_source.h"
#include "perf/live/tracepoint_session.h"
#include "perf/record/record_decoder.h"
#include "request/trace_config.h"
#include "schema/tracepoint_format.h"
#include "util/result.h"

namespace capture {

class TracepointRecorder final : public PerfSource {
 public:
  // Limit of matched tracepoints; each takes a descriptor per CPU.
  static constexpr size_t kMaxTracepoints = 1000;

  // If several patterns match a tracepoint, the last filter applies. A tracepoint that cannot be
  // opened is left out, with a line in `notes`, if its pattern has wildcards. Errors: a pattern
  // without a match (with the nearest names), a filter that the kernel refuses, or no tracepoint
  // that could be opened.
  static util::Result<std::unique_ptr<TracepointRecorder>> Open(
      const std::vector<request::Tracepoint>& requests, size_t ring_bytes,
      std::vector<std::string>* notes);
  // `session` already has the tracepoints of `formats`.
  TracepointRecorder(std::unique_ptr<perf::TracepointSession> session,
                     std::vector<schema::TracepointFormat> formats);

  util::Status Enable() override { return session_->Enable(); }
  void Disable(uint64_t now) override;
  void Silence() override { session_->Disable(); }
  std::vector<int> fds() const override { return session_->fds(); }
  void Collect(uint64_t now) override;

  // The formats, indexed by the events' numbers.
  const std::vector<schema::TracepointFormat>& formats() const { return formats_; }

  // Handles a record of the ring of `cpu`; public for tests.
  void OnRecord(unsigned cpu, const perf::Record& record, uint64_t now);

 private:
  void OnSample(unsigned cpu, const perf::Sample& sample, uint64_t time);

  std::unique_ptr<perf::TracepointSession> session_;
  std::vector<schema::TracepointFormat> formats_;
  std::unordered_map<uint32_t, uint32_t> numbers_;  // by the kernel's id
};

}  // namespace capture
