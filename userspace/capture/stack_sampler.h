// SPDX-License-Identifier: BSD-2-Clause
// Category `stack`, the part that comes from perf's rings. Samples of running threads (part `on`)
// may be taken in an NMI, where a BPF ring buffer would drop them. Mappings are recorded too,
// because they name the addresses of all stacks. A sample becomes the same long event that the BPF
// programs send for other stacks.
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
  // Opens sampling if `options.on`, and mappings in any case.
  static util::Result<std::unique_ptr<StackSampler>> Open(const StackOptions& options);
  explicit StackSampler(std::unique_ptr<perf::StackSession> session)
      : PerfSource(FXR_CATEGORY_STACK), session_(std::move(session)) {}

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
