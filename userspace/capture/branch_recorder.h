// SPDX-License-Identifier: BSD-2-Clause
// Records branch stacks from perf's rings. perf's own rings are used instead of a BPF program on
// the perf event for these reasons:
// - The kernel stamps the sample in the interrupt, on CLOCK_MONOTONIC.
// - The ring is writable from an NMI, where a BPF ring buffer drops events if its lock is taken.
// - LOST records report missing samples.
// - Mappings and build ids arrive on the same path.
// The task filter must therefore be applied here.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "capture/perf_source.h"
#include "perf/live/lbr_session.h"
#include "perf/record/branch_stack_sample.h"
#include "perf/record/record_decoder.h"
#include "util/result.h"

namespace capture {

class BranchRecorder final : public PerfSource, private perf::LbrHandler {
 public:
  // Opens the hardware event. The error gives the reason and a remedy.
  static util::Result<std::unique_ptr<BranchRecorder>> Open(const perf::LbrOptions& options);
  explicit BranchRecorder(std::unique_ptr<perf::LbrSession> session)
      : PerfSource(FXR_CATEGORY_LBR), session_(std::move(session)) {}

  util::Status Enable() override { return session_->Enable(); }
  void Disable(uint64_t now) override;
  void Silence() override { (void)session_->Disable().ok(); }
  std::vector<int> fds() const override { return session_->fds(); }
  void Collect(uint64_t now) override;
  std::string TakeProblem() override { return std::exchange(problem_, std::string()); }

 private:
  void OnSample(const perf::BranchStackSample& sample) override;
  void OnRecord(unsigned cpu, const perf::Record& record) override;
  void ReportDamage(uint64_t now);

  std::unique_ptr<perf::LbrSession> session_;
  uint64_t last_time_ = 0;
  std::map<unsigned, uint64_t> reported_damage_;  // unreadable records by CPU
  std::string problem_;
  std::set<std::string> reported_problems_;
};

}  // namespace capture
