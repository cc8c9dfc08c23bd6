// SPDX-License-Identifier: BSD-2-Clause
// perf's events for category `stack`. They sample running threads (part `on`): each sample runs a
// BPF program, which sends the stack. Without that program (bpf/stack.bpf.c) samples
// come from perf's rings, unwound by frame pointers, and become the same long event. In both cases
// the rings report mappings, which name the addresses of all stacks.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "capture/bpf/program_options.h"
#include "capture/perf_source.h"
#include "perf/live/stack_session.h"
#include "perf/record/record_decoder.h"
#include "util/result.h"

namespace capture {

class StackSampler final : public PerfSource {
 public:
  // Opens sampling if `options.on`, and mappings in any case. `program` is the BPF program of
  // samples; -1: none.
  static util::Result<std::unique_ptr<StackSampler>> Open(const StackOptions& options, int program);
  explicit StackSampler(std::unique_ptr<perf::StackSession> session)
      : PerfSource(FXR_CATEGORY_STACK), session_(std::move(session)) {}

  // False if perf unwinds the samples.
  bool runs_program() const { return session_->runs_program(); }

  util::Status Enable() override { return session_->Enable(); }
  void Disable(uint64_t now) override;
  void Silence() override { (void)session_->Disable().ok(); }
  std::vector<int> fds() const override { return session_->fds(); }
  void Collect(uint64_t now) override;

  // Handles a record of the ring of `cpu`; public for tests.
  void OnRecord(unsigned cpu, const perf::Record& record, uint64_t now);

 private:
  void OnSample(unsigned cpu, const perf::Sample& sample, uint64_t time);

  std::unique_ptr<perf::StackSession> session_;
};

}  // namespace capture
