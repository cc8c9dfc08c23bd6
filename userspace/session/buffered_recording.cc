// SPDX-License-Identifier: BSD-2-Clause
#include "session/buffered_recording.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "capture/bpf/ring_sizes.h"
#include "capture/rings/oldest_time.h"
#include "session/capture_setup.h"
#include "session/journal.h"
#include "session/process_time.h"
#include "util/clock.h"
#include "util/machine_info.h"

namespace session {
namespace {

constexpr int kBufferedTurnMs = 1000;
// The interval of turns if mappings are recorded. It is short because a process's mappings can be
// read only while the process lives.
constexpr int kMappingsTurnMs = 100;
// Limit of pending snapshots.
constexpr size_t kMaxWaiting = 16;
constexpr size_t kLeastJournalBytes = size_t{8} << 20;
// The longest time that a snapshot waits for changed settings, ns.
constexpr uint64_t kSettingsTimeout = 100'000'000;
// The step by which a window is shortened, ns.
constexpr uint64_t kWindowStep = 20'000'000;

}  // namespace

util::Result<std::unique_ptr<Recording>> BufferedRecording::Make(
    RecordingConfig config, const capture::KernelFeatures& features) {
  const uint64_t for_slots = HasLongEvents(config) ? config.buffer_bytes / 2 : config.buffer_bytes;
  const auto ring_bytes = capture::RingBytesOf(for_slots);
  if (!ring_bytes) return ring_bytes.error();
  config.programs.ring_bytes = *ring_bytes;
  config.programs.ring_use = config.mode == request::BufferingMode::kOneshot
                                 ? capture::RingUse::kFilledOnce
                                 : capture::RingUse::kOverwritten;
  auto proc = std::make_unique<capture::ProcIdentity>();
  auto session = capture::CaptureSession::Initialize(config.programs, features, *proc);
  if (!session) return session.TakeError();
  auto sources = AddSources(config, **session);
  if (!sources) return sources.TakeError();
  return std::unique_ptr<Recording>(new BufferedRecording(
      std::move(config), std::move(proc), std::move(*session), std::move(*sources)));
}

BufferedRecording::BufferedRecording(RecordingConfig config,
                                     std::unique_ptr<capture::ProcIdentity> proc,
                                     std::unique_ptr<capture::CaptureSession> session,
                                     capture::PerfSources sources)
    : config_(std::move(config)),
      providers_(
          config_.providers, config_.provider_session,
          config_.mode == request::BufferingMode::kOneshot ? FXT_MODE_ONESHOT : FXT_MODE_CIRCULAR),
      journal_limit_(kLeastJournalBytes + config_.buffer_bytes / (HasLongEvents(config_) ? 2 : 8)),
      proc_(std::move(proc)),
      session_(std::move(session)),
      sources_(std::move(sources)),
      durable_(session_->identities()),
      mappings_(journal_, session_->identities(),
                sources_.branches || config_.programs.categories.test(FXR_CATEGORY_STACK)),
      settings_(*session_, true) {
  config_.output.reset();
  for (uint32_t cpu = 0; cpu < session_->ring_count(); ++cpu) {
    rings_.push_back(session_->ring(cpu));
  }
  floors_.resize(rings_.size());
}

BufferedRecording::~BufferedRecording() {
  // Stops the BPF programs before the members are destroyed, which waits for the last file.
  session_->StopEvents();
}

void BufferedRecording::OnClockOffset(int64_t offset) {
  if (!begun_) {
    durable_.set_clock_offset(offset);
  } else {
    journal_.AppendItem(kJournalClock, util::MonotonicNow(), JournalClock{{}, offset});
  }
}

void BufferedRecording::OnStart(uint64_t time) {
  durable_.EndSnapshot();
  floor_time_ = time;
}

void BufferedRecording::OnSideEvent(const fxr_side_header& event) {
  settings_.OnSideEvent(event);
  settings_history_.OnSideEvent(event);
  const bool while_stopped = IsBetween(event.time);
  // Long events carry no identities of tasks.
  if (while_stopped && event.type == FXR_SIDE_LONG) return;
  if (started_) slot_counts_.Count(event);
  // The journal is full. The next start reads the tasks again.
  if (while_stopped && !started_ && journal_.bytes() >= journal_limit_) {
    read_again_ = true;
    return;
  }
  mappings_.OnSideEvent(event);
  durable_.identities().Keep(event);
  fxr_side_header& kept = journal_.Append(event);
  if (while_stopped) kept.flags |= FXR_SIDE_NAMES_ONLY;
}

void BufferedRecording::OnBranchSample(const perf::BranchStackSample& sample) {
  if (IsBetween(sample.time)) return;
  mappings_.OnBranchSample(sample);
  AppendBranches(sample, journal_);
}

void BufferedRecording::OnLoss(int32_t cpu, uint64_t time, uint32_t category, uint64_t count) {
  // Other losses are counted by the BPF programs.
  if (cpu >= 0) lost_by_perf_ += count;
  journal_.AppendItem(kJournalLoss, time, JournalLoss{{}, cpu, category, count});
}

util::Status BufferedRecording::Start(request::BufferDisposition disposition) {
  if (started_) return util::Error{"the recording has started already", ""};
  if (begun_) return StartAgain(disposition);
  providers_.Start(false);
  settings_.Start(config_.info.command_pid);
  if (util::Status status = session_->Start(*this); !status) return status;
  NoteSkippedProbes(config_, *session_);
  settings_.OnStarted();
  begun_ = started_ = true;
  start_time_ = session_->start_time();
  NoteHeads();
  return config_.started ? config_.started() : util::Ok();
}

util::Status BufferedRecording::StartAgain(request::BufferDisposition disposition) {
  drained_ = session_->Drain();
  if (disposition == request::BufferDisposition::kRetain) {
    if (read_again_) ReadTasksAgain();
  } else {
    // A new window begins.
    journal_.Take(UINT64_MAX, [this](const fxr_side_header& event) { durable_.Apply(event); });
    const bool ask = disposition == request::BufferDisposition::kClearAll || read_again_;
    if (ask) {
      durable_.Clear();
      util::Status asked =
          session_->ForEachTask([this](const fxr_task& task) { durable_.OnSnapshotTask(task); });
      if (!asked) return asked;
      durable_.EndSnapshot();
    }
    for (size_t i = 0; i < rings_.size(); ++i) {
      floors_[i] = rings_[i].LiveHead();
      rings_[i].SkipTo(floors_[i]);
      rings_[i].Release();
    }
    full_ = false;
    durable_.set_stopped(false);
  }
  read_again_ = false;
  providers_.Start(disposition == request::BufferDisposition::kRetain);
  // New mappings were not reported while the recording was stopped.
  mappings_.ReadAgain();
  const auto resumed = session_->Resume();
  if (!resumed) return resumed.error();
  start_time_ = *resumed;
  started_ = true;
  if (disposition == request::BufferDisposition::kRetain) {
    journal_.AppendMark(kJournalStarted, start_time_);
  } else {
    floor_time_ = start_time_;
  }
  NoteHeads();
  return util::Ok();
}

util::Status BufferedRecording::Stop() {
  if (started_) StopAt(session_->Pause());
  return util::Ok();
}

void BufferedRecording::StopAt(uint64_t time) {
  started_ = false;
  providers_.Stop();
  stop_time_ = end_time_ = time;
  start_time_ = UINT64_MAX;
  for (int i = 0; i < 100 && !session_->Drain(); ++i) continue;
  journal_.AppendMark(kJournalStopped, time);
  NoteHeads();
}

// One full ring ends the recording on all CPUs. Otherwise the file would show CPUs that end earlier
// as idle.
void BufferedRecording::StopWhenFull() {
  const bool full = journal_.bytes() > journal_limit_ ||
                    std::any_of(rings_.begin(), rings_.end(), [](const capture::SlotRing& ring) {
                      return ring.LiveHead() - ring.consumed() >= ring.capacity() - FXR_RING_SLACK;
                    });
  if (!full) return;
  uint64_t end = session_->Pause();
  for (const capture::SlotRing& ring : rings_) {
    for (uint32_t category = 0; category < FXR_CATEGORIES; ++category) {
      if (__atomic_load_n(&ring.control().pending[category], __ATOMIC_ACQUIRE) == 0) continue;
      const uint64_t since = ring.control().pending_since[category];
      if (since > start_time_) end = std::min(end, since - 1);
    }
  }
  full_ = true;
  StopAt(end);
}

void BufferedRecording::NoteHeads() {
  capture::HeadHistory::Sample note;
  note.time = session_->Now();
  for (const capture::SlotRing& ring : rings_) note.heads.push_back(ring.LiveHead());
  notes_.Add(std::move(note));
}

uint64_t BufferedRecording::LeftEdge() const {
  const uint64_t now = session_->Now();
  uint64_t edge = floor_time_;
  for (size_t i = 0; i < rings_.size(); ++i) {
    const auto time = capture::OldestTime(rings_[i], i, floors_[i], notes_, now);
    if (time) edge = std::max(edge, *time);
  }
  return edge;
}

void BufferedRecording::Trim() {
  const uint64_t now = session_->Now();
  const uint64_t edge = std::min(LeftEdge(), now);
  KeepSettings(settings_.Take());
  settings_history_.Trim(edge);
  if (edge > floor_time_) {
    journal_.Take(edge - 1, [this](const fxr_side_header& event) { durable_.Apply(event); });
  }
  // Many forks can fill the journal before the rings wrap around. Shortens the window.
  while (started_ && journal_.bytes() > journal_limit_) {
    const uint64_t until = journal_.Front()->time + kWindowStep;
    journal_.Take(until, [this](const fxr_side_header& event) { durable_.Apply(event); });
    floor_time_ = std::max(floor_time_, until + 1);
  }
  durable_.Sweep(std::max(edge, floor_time_));
  durable_.identities().Trim();
  std::vector<uint64_t> oldest;
  for (const capture::SlotRing& ring : rings_) {
    const uint64_t head = ring.LiveHead();
    oldest.push_back(head > ring.capacity() ? head - ring.capacity() : 0);
  }
  notes_.Prune(oldest);
}

void BufferedRecording::KeepSettings(std::vector<settings::ReadSettings> read) {
  for (settings::ReadSettings& each : read) {
    settings_history_.Add(each.time, std::move(each.settings));
  }
}

void BufferedRecording::ReadTasksAgain() {
  const uint64_t now = session_->Now();
  static_cast<void>(session_->ForEachTask([&](const fxr_task& task) {
    durable_.identities().Keep(AppendKnownTask(now, task, journal_));
  }));
}

void BufferedRecording::AddPollFds(std::vector<pollfd>& fds) const {
  // See CaptureSession::Drain.
  if (drained_) {
    fds.push_back({session_->wakeup_fd(), POLLIN, 0});
    for (const int fd : session_->perf_fds()) fds.push_back({fd, POLLIN, 0});
  }
  fds.push_back({thread_.fd(), POLLIN, 0});
}

int BufferedRecording::TimeoutMs() const {
  if (!drained_) return kUnfinishedMs;
  return mappings_.is_wanted() ? kMappingsTurnMs : kBufferedTurnMs;
}

util::Status BufferedRecording::Turn() {
  if (!begun_) return util::Ok();
  drained_ = session_->Drain();
  NoteProblems(config_, *session_);
  if (config_.mode == request::BufferingMode::kOneshot && started_) StopWhenFull();
  if (notes_.IsDue(session_->Now())) NoteHeads();
  const uint64_t lost_tasks = session_->LostTaskEvents();
  if (lost_tasks > std::exchange(lost_tasks_, lost_tasks) && started_) ReadTasksAgain();
  Trim();
  providers_.Scan(std::min(LeftEdge(), session_->Now()));
  if (auto done = thread_.TakeDone()) {
    if (done->status.ok()) ++snapshots_;
    written_.push_back(std::move(*done));
  }
  BeginNextSnapshot();
  return util::Ok();
}

util::Result<uint64_t> BufferedRecording::Snapshot(SnapshotRequest request) {
  if (!begun_) return util::Error{"nothing was recorded yet", ""};
  if (waiting_.size() >= kMaxWaiting) {
    return util::Error{"too many snapshots are pending", "try again later"};
  }
  const auto place = request.of_member
                         ? waiting_.end()
                         : std::find_if(waiting_.begin(), waiting_.end(),
                                        [](const Waiting& each) { return each.request.of_member; });
  waiting_.insert(place, {next_number_, util::MonotonicNow(), std::move(request)});
  BeginNextSnapshot();
  return next_number_++;
}

util::Result<Window> BufferedRecording::TakeWindow(const SnapshotRequest& request) {
  // Moves the side events up to now into the journal.
  for (int i = 0; i < 100 && !session_->Drain(); ++i) continue;
  const uint64_t now = session_->Now();
  uint64_t end = started_ ? now : end_time_;
  if (request.until != 0) end = std::min(end, request.until);
  capture::RingImageOptions options;
  options.now = now;
  options.since = request.last != 0 && request.last < end ? end - request.last : 0;
  options.floors = floors_;
  options.between = [this] { session_->CollectSideEvents(); };
  auto image = capture::RingImage::Copy(rings_, notes_, options);
  if (!image) return image.TakeError();
  // Waits only now: the events are copied and cannot be overwritten any more.
  KeepSettings(settings_.Refresh(kSettingsTimeout));
  const uint64_t begin =
      std::min(end, std::max({image->complete_from(), floor_time_, options.since}));
  Window window{.slots = std::move(*image),
                .identities = durable_.identities().Copy(),
                .tasks = nullptr,
                .journal = journal_.Share(),
                .clock_offset = durable_.clock_offset(),
                .stopped = durable_.stopped(),
                .begin = begin,
                .end = end,
                .final_tasks = {},
                .provider_records = providers_.Copy(),
                .settings = settings_history_.All()};
  window.tasks = std::make_unique<model::TaskTracker>(*window.identities, false);
  window.tasks->CopyTasks(durable_.tasks());
  // Reads the users of the processes, because no event reports a change of user.
  static_cast<void>(session_->ForEachTask([&](const fxr_task& task) {
    if (task.tid == task.tgid) window.final_tasks.push_back(task);
  }));
  return window;
}

void BufferedRecording::BeginNextSnapshot() {
  if (waiting_.empty() || thread_.busy()) return;
  Waiting next = std::move(waiting_.front());
  waiting_.pop_front();
  auto window = TakeWindow(next.request);
  if (!window) {
    return Fail(next, window.TakeError());
  }
  WindowWriterOptions options;
  options.info = config_.info;
  options.info.ring_bytes = session_->ring_bytes();
  options.info.start_time = util::WallClockBefore(session_->Now() - window->begin);
  translate::TakeClocks(options.info);
  options.translator = TranslationOf(*session_, sources_);
  options.sees_switches = session_->options().sees_switches();
  options.fired = std::move(next.request.fired);
  thread_.Begin({std::move(*window), std::move(options), std::move(next.request.destination),
                 next.number, next.asked_at});
}

std::optional<fxr_task> BufferedRecording::FindTask(uint32_t tid) {
  if (const auto task = session_->identities().LookUp(tid)) return task;
  // The task has ended. The journal or the tasks at its left edge may have it.
  return durable_.Find(tid, journal_.Share());
}

void BufferedRecording::Abandon() {
  thread_.Abandon();
  for (const Waiting& each : waiting_) Fail(each, {"given up", ""});
  waiting_.clear();
}

void BufferedRecording::Fail(const Waiting& snapshot, util::Error why) {
  SnapshotResult failed;
  failed.number = snapshot.number;
  failed.status = std::move(why);
  failed.name = snapshot.request.destination.output.name();
  written_.push_back(std::move(failed));
}

RecordingStatus BufferedRecording::status() const {
  RecordingStatus status;
  status.started = started_;
  status.mode = config_.mode;
  status.buffer_full = full_;
  if (begun_) {
    const uint64_t end = started_ ? session_->Now() : end_time_;
    status.covered = end - std::min(end, LeftEdge());
  }
  const capture::CaptureStats stats = session_->stats();
  for (const capture::SlotRing& ring : rings_) status.events += ring.LiveHead();
  status.events += stats.side_events_consumed + stats.perf_events + providers_.records();
  for (const uint64_t dropped : stats.dropped) status.lost += dropped;
  status.lost += stats.recursion_misses + lost_by_perf_ + providers_.lost();
  status.fullest_percent = session_->fullest_ring_percent();
  status.cpu_time = ProcessTime();
  status.ring_bytes = session_->ring_bytes();
  status.buffer_bytes = session_->ring_bytes() * rings_.size();
  status.journal_bytes = journal_.bytes();
  status.snapshots = snapshots_;
  status.writing = thread_.busy() || !waiting_.empty();
  return status;
}

CategoryTotals BufferedRecording::CountCategories() {
  slot_counts_.Update(rings_);
  CategoryTotals totals;
  const capture::CaptureStats stats = session_->stats();
  for (uint32_t category = 0; category < FXR_CATEGORIES; ++category) {
    totals.events[category] = slot_counts_.counts()[category];
    totals.lost[category] = stats.dropped[category];
  }
  return totals;
}

}  // namespace session
