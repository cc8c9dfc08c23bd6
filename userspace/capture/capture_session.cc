// SPDX-License-Identifier: BSD-2-Clause
#include "capture/capture_session.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>

#include "util/clock.h"

namespace capture {
namespace {

// Readings of the offset differ by the time of a reading; a suspend takes longer.
constexpr int64_t kClockJump = 1'000'000;
// Retries of an uncommitted event before other work is done.
constexpr int kStallRetries = 200;
constexpr uint64_t kDrainsPerMissCheck = 16;
// ns of event time. The events of the same time must fit the side ring.
constexpr uint64_t kSlice = 20'000'000;

}  // namespace

util::Result<std::unique_ptr<CaptureSession>> CaptureSession::Initialize(
    const ProgramOptions& options, const KernelFeatures& features, ProcIdentity& proc) {
  // Before memory is mapped that others share.
  std::shared_ptr<unwind::TableMaker> table_maker = options.stack.table_maker;
  if (options.wants_stacks() && !table_maker) {
    auto maker = unwind::TableMaker::Start();
    if (!maker) return maker.TakeError();
    table_maker = std::move(*maker);
  }
  std::unique_ptr<util::IsolatedWorker> context_reader;
  if (options.categories.test(FXR_CATEGORY_REQUEST)) {
    auto reader = ThreadContextLoader::StartReader();
    if (!reader) return reader.TakeError();
    context_reader = std::move(*reader);
  }
  auto programs = BpfPrograms::Load(options, features);
  if (!programs) return programs.TakeError();
  auto side_ring = SideRing::Map((*programs)->side_ring_fd(), (*programs)->side_ring_bytes());
  if (!side_ring) return side_ring.TakeError();
  std::unique_ptr<CaptureSession> session(
      new CaptureSession(options, std::move(*programs), std::move(*side_ring), proc));
  session->table_maker_ = std::move(table_maker);
  session->context_reader_ = std::move(context_reader);
  return session;
}

CaptureSession::CaptureSession(const ProgramOptions& options, std::unique_ptr<BpfPrograms> programs,
                               SideRing side_ring, ProcIdentity& proc)
    : options_(options),
      programs_(std::move(programs)),
      clock_(programs_->clock()),
      identities_(programs_->tasks(), proc, programs_->symbols()),
      side_ring_(std::move(side_ring)),
      python_(identities_.script_functions()) {
  for (uint32_t cpu = 0; cpu < programs_->ring_count(); ++cpu) {
    merger_.AddRing(programs_->MakeSlotRing(cpu), cpu);
  }
}

util::Status CaptureSession::Start(EventHandler& handler) {
  const auto offset = clock_.MeasureBoottimeOffset(100);
  if (!offset) return offset.error();
  handler_ = &handler;
  clock_offset_ = *offset;
  handler_->OnClockOffset(clock_offset_);
  if (util::Status status = StartUnwinder(); !status) return status;
  StartContexts();
  // On a busy machine the kernel takes seconds for it. The side ring is not read meanwhile.
  if (util::Status status = programs_->Attach(); !status) return status;
  // Identity before snapshot before events: every task that an event can name is known by then.
  programs_->SetPhase(FXR_PHASE_NAMES);
  if (util::Status status = Snapshot(); !status) return status;
  // The clock is read after all programs emit, so that nothing is missing from then on.
  programs_->SetPhase(FXR_PHASE_ALL);
  start_time_ = delivered_ = ReadClock();
  kernel_ahead_ = start_time_ - util::MonotonicNow();
  if (!in_place()) DropEventsBefore(start_time_);
  handler_->OnStart(start_time_);
  for (const auto& source : perf_sources_) {
    if (util::Status status = source->Enable(); !status) return status;
  }
  return util::Ok();
}

util::Status CaptureSession::StartUnwinder() {
  // In a pid namespace perf does not report ids of the initial one, which the programs use.
  if (programs_->unwind().empty() || in_process_namespace() || !table_maker_) return util::Ok();
  UnwindLoader::Filter is_wanted = [this](uint32_t tgid) {
    const TaskFilter& filter = programs_->filter();
    // Wakers are recorded whether the filter selects them or not. Names, cgroups and threads are
    // not looked up here.
    return options_.stack.wake || filter.empty() || !filter.tids.empty() || !filter.comms.empty() ||
           !filter.cgroups.empty() || std::ranges::find(filter.tgids, tgid) != filter.tgids.end() ||
           programs_->IsFollowed(tgid);
  };
  unwind_ = std::make_unique<UnwindLoader>(programs_->unwind(), std::move(table_maker_),
                                           std::move(is_wanted));
  return unwind_->Start(options_.stack.program);
}

void CaptureSession::StartContexts() {
  // As above.
  if (programs_->contexts().empty() || in_process_namespace() || !context_reader_) return;
  ThreadContextLoader::Filter is_wanted = [this](uint32_t tgid) {
    const TaskFilter& filter = programs_->filter();
    return filter.empty() || !filter.tids.empty() || !filter.comms.empty() ||
           !filter.cgroups.empty() || std::ranges::find(filter.tgids, tgid) != filter.tgids.end() ||
           programs_->IsFollowed(tgid);
  };
  contexts_ = std::make_unique<ThreadContextLoader>(
      programs_->contexts(), std::move(context_reader_), std::move(is_wanted));
  contexts_->Start();
}

std::optional<UnwindStats> CaptureSession::unwind_stats() const {
  return unwind_ ? std::optional(unwind_->stats()) : std::nullopt;
}

void CaptureSession::DropEventsBefore(uint64_t time) {
  merger_.LoadHeads();
  for (int retry = 0; retry < kStallRetries; ++retry) {
    if (merger_.Deliver(time - 1, time, [](uint32_t, const SlotEvent&) {})) break;
  }
  merger_.Release();
}

uint64_t CaptureSession::Pause() {
  // Read first, for the reason given in Stop().
  const uint64_t time = ReadClock();
  programs_->SetPhase(FXR_PHASE_NAMES);
  for (const auto& source : perf_sources_) source->Silence();
  return time;
}

util::Result<uint64_t> CaptureSession::Resume() {
  for (const auto& source : perf_sources_) {
    if (util::Status status = source->Enable(); !status) return status.TakeError();
  }
  programs_->SetPhase(FXR_PHASE_ALL);
  return ReadClock();
}

void CaptureSession::Follow(uint32_t pid) {
  if (const auto tid = MachinePid(pid)) programs_->Follow(*tid);
}

std::optional<uint32_t> CaptureSession::MachinePid(uint32_t pid) const {
  if (!in_process_namespace()) return pid;
  const auto task = programs_->tasks().FindByOwnId(pid);
  return task ? std::optional(task->task.tid) : std::nullopt;
}

void CaptureSession::CollectSideEvents() {
  side_ring_.LoadHead();
  side_ring_.Collect();
}

void CaptureSession::OnSnapshotTask(const fxr_task& task) {
  handler_->OnSnapshotTask(task);
  const TaskFilter& filter = programs_->filter();
  if (filter.empty()) return;
  const bool needs_path = !filter.cgroups.empty() && task.cgroup != 0;
  filter_matches_.OnTask(task, needs_path ? identities_.CgroupPath(task.cgroup) : "");
}

util::Status CaptureSession::Snapshot() {
  const TaskFilter& filter = programs_->filter();
  std::vector<std::string> cgroups;
  for (uint64_t id : filter.cgroups) cgroups.push_back(identities_.CgroupPath(id));
  filter_matches_ = FilterMatches(filter, std::move(cgroups));
  return ForEachTask([this](const fxr_task& task) { OnSnapshotTask(task); });
}

uint64_t CaptureSession::ReadClock() {
  // If this read fails, the next drain catches up.
  if (!clock_.Read()) return clock_.monotonic();
  if (std::abs(clock_.boottime_offset() - clock_offset_) >= kClockJump) {
    if (const auto offset = clock_.MeasureBoottimeOffset(20)) {
      clock_offset_ = *offset;
      handler_->OnClockOffset(clock_offset_);
    }
  }
  return clock_.monotonic();
}

PerfSource* CaptureSession::EarliestSource() const {
  PerfSource* earliest = nullptr;
  uint64_t least = UINT64_MAX;
  for (const auto& source : perf_sources_) {
    const uint64_t time = source->NextTime();
    if (time >= least) continue;
    least = time;
    earliest = source.get();
  }
  return earliest;
}

uint64_t CaptureSession::NextTime() const {
  const fxr_side_header* front = side_ring_.Front();
  uint64_t next = front ? front->time : UINT64_MAX;
  next = std::min(next, gaps_.NextTime());
  if (providers_ != nullptr) next = std::min(next, providers_->NextTime());
  PerfSource* source = EarliestSource();
  return source ? std::min(next, source->NextTime()) : next;
}

void CaptureSession::DeliverUpTo(uint64_t time) {
  for (;;) {
    const fxr_side_header* event = side_ring_.Front();
    PerfSource* source = EarliestSource();
    const uint64_t other = std::min(event ? uint64_t{event->time} : UINT64_MAX,
                                    source ? source->NextTime() : UINT64_MAX);
    if (gaps_.NextTime() <= std::min(time, other)) {
      const GapTracker::Gap gap = gaps_.Pop();
      handler_->OnGap(gap.cpu, gap.since);
      continue;
    }
    if (const uint64_t next = providers_ != nullptr ? providers_->NextTime() : UINT64_MAX;
        next <= time && next < other) {
      providers_->DeliverNext();
      continue;
    }
    if (event && (!source || event->time <= source->NextTime())) {
      if (event->time > time) return;
      if (const fxr_side_header* taken = python_.Take(*event)) {
        handler_->OnSideEvent(stack_cache_.Complete(*taken));
      }
      if (python_.BeginGeneration()) programs_->BeginPythonGeneration();
      if (stack_cache_.BeginGeneration()) programs_->BeginStackGeneration();
      side_ring_.Pop();
    } else {
      if (!source || source->NextTime() > time) return;
      ++perf_events_;
      source->DeliverNext(*handler_);
    }
  }
}

void CaptureSession::UpdateGaps() {
  if (in_place()) return;
  for (uint32_t cpu = 0; cpu < programs_->ring_count(); ++cpu) {
    gaps_.Update(cpu, programs_->control(cpu));
  }
}

bool CaptureSession::Deliver(uint64_t now, uint64_t horizon) {
  SlotStream slots(merger_, *this, horizon, now);
  return handler_->OnSlots(slots);
}

// Delivers a long backlog in slices, and empties the small side ring in between.
bool CaptureSession::DeliverInSlices(uint64_t now, uint64_t horizon) {
  if (in_place()) return true;
  for (;;) {
    const uint64_t until = std::min(delivered_ + kSlice, horizon);
    bool delivered = false;
    for (int retry = 0; retry < kStallRetries && !delivered; ++retry) {
      delivered = Deliver(now, until);
    }
    if (!delivered) return false;
    if (until == horizon) break;
    delivered_ = until;
    CollectSideEvents();
  }
  delivered_ = std::max(delivered_, horizon);
  return true;
}

void CaptureSession::AddSource(std::unique_ptr<PerfSource> source) {
  source->SetFilter(programs_->filter(),
                    [this](uint32_t tid) { return programs_->IsFollowed(tid); });
  perf_sources_.push_back(std::move(source));
}

std::vector<int> CaptureSession::perf_fds() const {
  std::vector<int> fds;
  for (const auto& source : perf_sources_) {
    std::ranges::copy(source->fds(), std::back_inserter(fds));
  }
  return fds;
}

std::string CaptureSession::TakePerfProblem() {
  for (const auto& source : perf_sources_) {
    if (std::string problem = source->TakeProblem(); !problem.empty()) return problem;
  }
  return "";
}

bool CaptureSession::Drain() {
  ++drains_;
  // An event claimed after the heads are read below has a later time than this.
  const uint64_t now = ReadClock();
  merger_.LoadHeads();
  UpdateGaps();
  side_ring_.LoadHead();
  for (const auto& source : perf_sources_) source->Collect(now);
  if (providers_ != nullptr) providers_->Collect();
  fullest_now_percent_ = static_cast<uint32_t>(side_ring_.pending() * 100 / side_ring_.capacity());
  for (size_t i = 0; i < merger_.ring_count() && !in_place(); ++i) {
    const SlotRing& ring = merger_.ring(i);
    fullest_now_percent_ = std::max(fullest_now_percent_,
                                    static_cast<uint32_t>(ring.pending() * 100 / ring.capacity()));
  }
  fullest_percent_ = std::max(fullest_percent_, fullest_now_percent_);
  bool whole = false;
  for (int retry = 0; retry < kStallRetries && !whole; ++retry) whole = side_ring_.Collect();
  // An uncommitted side event is known only to be later than the previous drain.
  if (whole) horizon_ = std::min(now, end_time_.load());
  const bool delivered = DeliverInSlices(now, horizon_);
  if (delivered) DeliverUpTo(horizon_);
  if (!in_place()) merger_.Release();
  if (!whole || !delivered) {
    ++stalls_;
    return false;
  }
  // Each program's count costs a system call.
  if (drains_ % kDrainsPerMissCheck == 0 && end_time_ == UINT64_MAX) {
    ReportMisses(now, programs_->RecursionMisses());
  }
  if (options_.categories.test(FXR_CATEGORY_REQUEST) && now - announced_ >= kAnnounceInterval) {
    announced_ = now;
    programs_->AnnounceConnections();
  }
  handler_->OnTick(now);
  return true;
}

void CaptureSession::ReportMisses(uint64_t now, const CategoryCounts& misses) {
  for (uint32_t category = 0; category < FXR_CATEGORIES; ++category) {
    uint64_t& reported = reported_misses_[category];
    if (misses[category] <= reported) continue;
    handler_->OnLoss(-1, now, category, misses[category] - reported);
    reported = misses[category];
  }
}

void CaptureSession::ReportPendingLosses() {
  for (uint32_t cpu = 0; cpu < programs_->control_count(); ++cpu) {
    const fxr_ring_control& control = programs_->control(cpu);
    for (uint32_t category = 0; category < FXR_CATEGORIES; ++category) {
      uint64_t count = __atomic_load_n(&control.pending[category], __ATOMIC_ACQUIRE);
      if (count == 0) continue;
      if (control.pending_since[category] > end_time_) {
        dropped_after_end_[category] += count;
      } else {
        handler_->OnLoss(static_cast<int32_t>(cpu), end_time_, category, count);
      }
    }
  }
}

void CaptureSession::StopEvents() {
  uint64_t never = UINT64_MAX;
  end_time_.compare_exchange_strong(never, util::MonotonicNow() + kernel_ahead_);
  programs_->SetPhase(FXR_PHASE_NONE);
}

uint64_t CaptureSession::Stop() {
  if (start_time_ == 0) {
    programs_->Detach();
    return 0;
  }
  // The clock is read while all programs emit, so that nothing up to then is missing. Events
  // emitted until the phase changes are later and stay in the rings.
  uint64_t never = UINT64_MAX;
  end_time_.compare_exchange_strong(never, ReadClock());
  programs_->SetPhase(FXR_PHASE_NONE);
  for (const auto& source : perf_sources_) source->Disable(end_time_);
  CategoryCounts misses = programs_->RecursionMisses();
  constexpr int kLastDrains = 100;
  for (int i = 0; i < kLastDrains && !Drain(); ++i) usleep(1000);
  programs_->Detach();
  // A stand-in program may make up for a miss later.
  misses[FXR_CATEGORY_TASK] = programs_->RecursionMisses()[FXR_CATEGORY_TASK];
  ReportMisses(end_time_, misses);
  ReportPendingLosses();
  // On failure the last known identities stand.
  static_cast<void>(programs_->tasks().ForEach(
      [this](const fxr_walked_task& walked) { handler_->OnFinalTask(walked.task); }));
  return end_time_;
}

uint64_t CaptureSession::LostTaskEvents() const {
  uint64_t lost = reported_misses_[FXR_CATEGORY_TASK];
  for (uint32_t cpu = 0; cpu < programs_->control_count(); ++cpu) {
    lost += __atomic_load_n(&programs_->control(cpu).dropped[FXR_CATEGORY_TASK], __ATOMIC_RELAXED);
  }
  return lost;
}

CaptureStats CaptureSession::stats() const {
  CaptureStats stats;
  for (size_t ring = 0; ring < merger_.ring_count(); ++ring) {
    stats.slots_consumed += merger_.ring(ring).consumed();
  }
  stats.side_events_consumed = side_ring_.collected();
  for (uint32_t cpu = 0; cpu < programs_->control_count(); ++cpu) {
    const fxr_ring_control& control = programs_->control(cpu);
    stats.side_events_emitted += control.side_events;
    for (uint32_t category = 0; category < FXR_CATEGORIES; ++category) {
      stats.dropped[category] += control.dropped[category];
    }
  }
  for (uint32_t category = 0; category < FXR_CATEGORIES; ++category) {
    stats.dropped[category] -= std::min(stats.dropped[category], dropped_after_end_[category]);
  }
  stats.unended_sleeps = programs_->unended_sleeps();
  for (uint64_t misses : reported_misses_) stats.recursion_misses += misses;
  stats.perf_events = perf_events_;
  stats.drains = drains_;
  stats.stalls = stalls_;
  stats.fullest_ring_percent = fullest_percent_;
  return stats;
}

}  // namespace capture
