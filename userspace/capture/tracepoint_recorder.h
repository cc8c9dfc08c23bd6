// SPDX-License-Identifier: BSD-2-Clause
// Category `tracepoint`: events of any tracepoints out of perf's rings, as long events that hold
// the kernel's own records. perf has the kernel's filters, and takes every tracepoint that tracefs
// shows.
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
  // A pattern that matches more than this in all is refused: each takes a descriptor per CPU.
  static constexpr size_t kMaxTracepoints = 1000;

  // A tracepoint that several patterns match has the filter of the last one. Those that the kernel
  // does not hand out are left out where a pattern with others matches them, and named in `notes`.
  // Error: a pattern that nothing matches (with the nearest names), a filter that the kernel does
  // not take, or none could be opened.
  static util::Result<std::unique_ptr<TracepointRecorder>> Open(
      const std::vector<request::Tracepoint>& requests, size_t ring_bytes,
      std::vector<std::string>* notes);
  // `session` has been given the tracepoints of `formats`.
  TracepointRecorder(std::unique_ptr<perf::TracepointSession> session,
                     std::vector<schema::TracepointFormat> formats);

  util::Status Enable() override { return session_->Enable(); }
  void Disable(uint64_t now) override;
  void Silence() override { session_->Disable(); }
  std::vector<int> fds() const override { return session_->fds(); }
  void Collect(uint64_t now) override;

  // What the events are, by the number that they bear.
  const std::vector<schema::TracepointFormat>& formats() const { return formats_; }

  // A record of the ring of `cpu`; public for tests.
  void OnRecord(unsigned cpu, const perf::Record& record, uint64_t now);

 private:
  void OnSample(unsigned cpu, const perf::Sample& sample, uint64_t time);

  std::unique_ptr<perf::TracepointSession> session_;
  std::vector<schema::TracepointFormat> formats_;
  std::unordered_map<uint32_t, uint32_t> numbers_;  // by the kernel's id
};

}  // namespace capture
