// SPDX-License-Identifier: BSD-2-Clause
// Category `stack`, what comes by perf's rings and not by BPF programs: samples of what runs (part
// `on`), which a non-maskable interrupt may take, where a BPF ring buffer would drop them; and the
// mappings that all stacks' addresses are named by. A sample becomes the same long event that the
// programs send of other stacks.
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
  // Samples where `options.on`, mappings in any case. An error says why not.
  static util::Result<std::unique_ptr<StackSampler>> Open(const StackOptions& options);
  explicit StackSampler(std::unique_ptr<perf::StackSession> session)
      : PerfSource(FXR_CATEGORY_STACK), session_(std::move(session)) {}

  util::Status Enable() override { return session_->Enable(); }
  void Disable(uint64_t now) override;
  void Silence() override { (void)session_->Disable().ok(); }
  std::vector<int> fds() const override { return session_->fds(); }
  void Collect(uint64_t now) override;

  // A record of the ring of `cpu`; public for tests.
  void OnRecord(unsigned cpu, const perf::Record& record, uint64_t now);

 private:
  void OnSample(unsigned cpu, const perf::Sample& sample, uint64_t time);

  std::unique_ptr<perf::StackSession> session_;
};

}  // namespace capture
