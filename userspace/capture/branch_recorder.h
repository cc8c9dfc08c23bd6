// SPDX-License-Identifier: BSD-2-Clause
// Branch stacks out of perf's rings.
//
// They come by perf's own rings and not by a BPF program on the perf event: the kernel stamps the
// sample in the interrupt, on the clock of everything else (CLOCK_MONOTONIC); the ring is written
// from a non-maskable interrupt, where a BPF ring buffer drops whatever finds its lock taken; LOST
// records say where samples are missing; and mappings and build ids come by the same way. The price
// is that a task filter has to be applied here.
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
  // Opens the hardware's event; an error says why there is none and how to come to one.
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
  std::map<unsigned, uint64_t> reported_damage_;  // records that could not be read, by CPU
  std::string problem_;
  std::set<std::string> reported_problems_;
};

}  // namespace capture
