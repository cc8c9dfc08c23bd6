// SPDX-License-Identifier: BSD-2-Clause
#include "capture/capture_session.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>

namespace capture {
namespace {

// Readings of the clocks' distance differ by what the reading takes; a suspend takes longer.
constexpr int64_t kClockJump = 1'000'000;
// How often to look again at an event that a CPU is just writing, before other work is done first.
constexpr int kStallRetries = 200;
constexpr uint64_t kDrainsPerMissCheck = 16;

}  // namespace

util::Result<std::unique_ptr<CaptureSession>> CaptureSession::Initialize(
    const ProgramOptions& options, const KernelFeatures& features, ProcIdentity& proc) {
  auto programs = BpfPrograms::Load(options, features);
  if (!programs) return programs.TakeError();
  auto side_ring = SideRing::Map((*programs)->side_ring_fd(), (*programs)->side_ring_bytes());
  if (!side_ring) return side_ring.TakeError();
  return std::unique_ptr<CaptureSession>(
      new CaptureSession(options, std::move(*programs), std::move(*side_ring), proc));
}

CaptureSession::CaptureSession(const ProgramOptions& options, std::unique_ptr<BpfPrograms> programs,
                               SideRing side_ring, ProcIdentity& proc)
    : options_(options),
      programs_(std::move(programs)),
      clock_(programs_->clock()),
      identities_(programs_->tasks(), proc),
      side_ring_(std::move(side_ring)) {
  for (uint32_t cpu = 0; cpu < programs_->ring_count(); ++cpu) {
    merger_.AddRing(programs_->MakeSlotRing(cpu), cpu);
  }
}

util::Status CaptureSession::Start(fxt::ProviderWriter& writer,
                                   const translate::SessionInfo& info) {
  translate::TranslatorOptions options;
  options.record_task_events = options_.categories.test(FXR_CATEGORY_TASK);
  options.sees_switches = options_.sees_switches();
  options.branches = branches_ != nullptr;
  options.filtered = !options_.filter.empty();
  translator_.emplace(writer, identities_, options);
  const auto offset = clock_.MeasureBoottimeOffset(100);
  if (!offset) return offset.error();
  clock_offset_ = *offset;
  translator_->set_clock_offset(clock_offset_);
  translator_->BeginSession(clock_.monotonic(), info);
  // Identity before snapshot before events: every task that an event can name is known by then.
  if (util::Status status = programs_->AttachIdentity(); !status) return status;
  if (util::Status status = Snapshot(); !status) return status;
  if (util::Status status = programs_->AttachEvents(); !status) return status;
  return branches_ ? branches_->Enable() : util::Ok();
}

util::Status CaptureSession::Snapshot() {
  util::Status status = programs_->tasks().ForEach(
      [this](const fxr_walked_task& walked) { translator_->OnSnapshotTask(walked.task); });
  if (status) translator_->EndSnapshot();
  return status;
}

uint64_t CaptureSession::ReadClock() {
  // Where this fails once, the next drain does what this one cannot.
  if (!clock_.Read()) return clock_.monotonic();
  if (std::abs(clock_.boottime_offset() - clock_offset_) >= kClockJump) {
    if (const auto offset = clock_.MeasureBoottimeOffset(20)) {
      clock_offset_ = *offset;
      translator_->set_clock_offset(clock_offset_);
    }
  }
  return clock_.monotonic();
}

uint64_t CaptureSession::NextOtherTime() const {
  const fxr_side_header* front = side_ring_.Front();
  const uint64_t side = front ? front->time : UINT64_MAX;
  return branches_ ? std::min(side, branches_->NextTime()) : side;
}

// Events that do not come by the slot rings.
void CaptureSession::DeliverOthers(uint64_t until) {
  for (;;) {
    const fxr_side_header* event = side_ring_.Front();
    const uint64_t branch_time = branches_ ? branches_->NextTime() : UINT64_MAX;
    if (event && event->time <= branch_time) {
      if (event->time > until) return;
      translator_->OnSideEvent(*event);
      side_ring_.Pop();
    } else {
      if (branch_time == UINT64_MAX || branch_time > until) return;
      branches_->DeliverNext(*translator_);
    }
  }
}

bool CaptureSession::Deliver(uint64_t now, uint64_t horizon) {
  uint64_t next_other = NextOtherTime();
  return merger_.Deliver(horizon, now, [&](uint32_t cpu, const SlotEvent& event) {
    if (event.time >= next_other) [[unlikely]] {
      DeliverOthers(event.time);
      next_other = NextOtherTime();
    }
    translator_->OnSlot(cpu, event.time, event.commit, event.body);
  });
}

void CaptureSession::RecordBranches(std::unique_ptr<BranchRecorder> branches) {
  branches_ = std::move(branches);
  branches_->SetFilter(options_.filter);
}

bool CaptureSession::Drain() {
  ++drains_;
  // What is not claimed when the heads are looked at, after this, will be stamped later than this.
  const uint64_t now = ReadClock();
  merger_.Look();
  side_ring_.SeeHead();
  if (branches_) branches_->Collect(now);
  fullest_now_percent_ = static_cast<uint32_t>(side_ring_.pending() * 100 / side_ring_.capacity());
  for (size_t i = 0; i < merger_.ring_count(); ++i) {
    const SlotRing& ring = merger_.ring(i);
    fullest_now_percent_ = std::max(fullest_now_percent_,
                                    static_cast<uint32_t>(ring.pending() * 100 / ring.capacity()));
  }
  fullest_percent_ = std::max(fullest_percent_, fullest_now_percent_);
  bool whole = false;
  for (int retry = 0; retry < kStallRetries && !whole; ++retry) whole = side_ring_.Collect();
  // A side event in the making is later than the drain before this one, that is all that is known.
  if (whole) horizon_ = now;
  bool delivered = false;
  for (int retry = 0; retry < kStallRetries && !delivered; ++retry) {
    delivered = Deliver(now, horizon_);
  }
  if (delivered) DeliverOthers(horizon_);
  merger_.Release();
  if (!whole || !delivered) {
    ++stalls_;
    return false;
  }
  // Every program's count is a system call.
  if (drains_ % kDrainsPerMissCheck == 0) NoteRecursionMisses(now);
  translator_->Tick(now);
  return true;
}

void CaptureSession::NoteRecursionMisses(uint64_t now) {
  const auto misses = programs_->RecursionMisses();
  for (uint32_t category = 0; category < FXR_CATEGORIES; ++category) {
    uint64_t& told = told_misses_[category];
    if (misses[category] <= told) continue;
    translator_->OnLoss(-1, now, category, misses[category] - told);
    told = misses[category];
  }
}

void CaptureSession::TellUntoldLosses(uint64_t now) {
  for (uint32_t cpu = 0; cpu < programs_->control_count(); ++cpu) {
    const fxr_ring_control& control = programs_->control(cpu);
    for (uint32_t category = 0; category < FXR_CATEGORIES; ++category) {
      uint64_t count = __atomic_load_n(&control.pending[category], __ATOMIC_ACQUIRE);
      if (count > 0) translator_->OnLoss(static_cast<int32_t>(cpu), now, category, count);
    }
  }
}

void CaptureSession::Stop() {
  if (branches_) branches_->Disable(ReadClock());
  programs_->Detach();
  constexpr int kLastDrains = 100;
  for (int i = 0; i < kLastDrains; ++i) {
    bool empty = Drain() && side_ring_.Front() == nullptr && side_ring_.pending() == 0;
    for (size_t ring = 0; ring < merger_.ring_count(); ++ring) {
      if (merger_.ring(ring).pending() > 0) empty = false;
    }
    if (empty) break;
    usleep(1000);
  }
  const uint64_t now = ReadClock();
  NoteRecursionMisses(now);
  TellUntoldLosses(now);
  // What could not be asked is as it was told before.
  static_cast<void>(programs_->tasks().ForEach(
      [this](const fxr_walked_task& walked) { translator_->OnFinalTask(walked.task); }));
}

CaptureStats CaptureSession::stats() const {
  CaptureStats stats;
  for (size_t ring = 0; ring < merger_.ring_count(); ++ring) {
    stats.slots_consumed += merger_.ring(ring).consumed();
  }
  stats.loss_slots = translator_->stats().loss_slots;
  stats.side_events_consumed = side_ring_.collected();
  for (uint32_t cpu = 0; cpu < programs_->control_count(); ++cpu) {
    const fxr_ring_control& control = programs_->control(cpu);
    stats.side_events_emitted += control.side_events;
    for (uint32_t category = 0; category < FXR_CATEGORIES; ++category) {
      stats.dropped[category] += control.dropped[category];
    }
  }
  for (uint64_t misses : told_misses_) stats.recursion_misses += misses;
  stats.drains = drains_;
  stats.stalls = stalls_;
  stats.fullest_ring_percent = fullest_percent_;
  return stats;
}

}  // namespace capture
