// SPDX-License-Identifier: BSD-2-Clause
#include "capture/branch_recorder.h"

#include <utility>

namespace capture {

util::Result<std::unique_ptr<BranchRecorder>> BranchRecorder::Open(
    const perf::LbrOptions& options) {
  auto session = perf::LbrSession::Open(options);
  if (!session) return session.TakeError();
  return std::make_unique<BranchRecorder>(std::move(*session));
}

void BranchRecorder::Disable(uint64_t now) {
  // On failure the rings are drained all the same.
  (void)session_->Disable().ok();
  Collect(now);
  for (const auto& [cpu, count] : session_->CountUnreported()) {
    if (count > 0) queue().AddLoss(now, cpu, count);
  }
}

void BranchRecorder::Collect(uint64_t now) {
  std::string problem;
  session_->FollowCpus(*this, &problem);
  // The open is retried at each call.
  if (!problem.empty() && reported_problems_.insert(problem).second) problem_ = std::move(problem);
  session_->Drain(*this);
  ReportDamage(now);
}

void BranchRecorder::ReportDamage(uint64_t now) {
  for (const auto& [cpu, lost] : session_->lost()) {
    uint64_t& reported = reported_damage_[cpu];
    if (lost.undecodable == reported) continue;
    queue().AddLoss(now, cpu, lost.undecodable - reported);
    reported = lost.undecodable;
  }
}

void BranchRecorder::OnSample(const perf::BranchStackSample& sample) {
  last_time_ = sample.time;
  if (IsWanted(sample.tid, sample.pid)) queue().Add(sample.time, sample);
}

void BranchRecorder::OnRecord(unsigned cpu, const perf::Record& record) {
  TakeCommon(cpu, record, last_time_);
}

}  // namespace capture
