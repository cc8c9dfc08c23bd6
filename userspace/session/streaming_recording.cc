// SPDX-License-Identifier: BSD-2-Clause
#include "session/streaming_recording.h"

#include <chrono>
#include <utility>

#include "schema/names.h"
#include "session/capture_setup.h"
#include "session/process_time.h"
#include "session/window_writer.h"
#include "sink/open_sink.h"
#include "util/clock.h"
#include "util/machine_info.h"

namespace session {
namespace {

constexpr int kStreamingTurnMs = 100;
constexpr int kQuietTurnMs = 250;
// The interval of flushes, ns. A killed recorder loses at most the events of this time.
constexpr uint64_t kFlushInterval = 400'000'000;
// The interval at which the settings of processes that have run are requested, ns.
constexpr uint64_t kSettingsInterval = 250'000'000;
// The longest time that the end of a recording waits for the last settings, ns.
constexpr uint64_t kLastSettings = 300'000'000;

}  // namespace

StreamingRecording::File::File(Destination destination, model::TaskTracker& tasks,
                               const translate::TranslatorOptions& options)
    : name(destination.output.name()),
      entry(destination.output.file()),
      sink(sink::MakeSink(
          std::move(destination.output),
          {.path = "", .gzip = destination.gzip, .gzip_effort = {.may_fall = true}})),
      archive(*sink),
      writer(archive, schema::kRecorderName),
      translator(writer, tasks, options),
      sections(archive, translator) {}

util::Result<std::unique_ptr<Recording>> StreamingRecording::Make(
    RecordingConfig config, const capture::KernelFeatures& features) {
  if (!config.output && !config.next_file) {
    return util::Error{"a streaming recording needs an output", ""};
  }
  config.programs.ring_use = capture::RingUse::kDrained;
  auto proc = std::make_unique<capture::ProcIdentity>();
  auto session = capture::CaptureSession::Initialize(config.programs, features, *proc);
  if (!session) return session.TakeError();
  auto sources = AddSources(config, **session);
  if (!sources) return sources.TakeError();
  return std::unique_ptr<Recording>(new StreamingRecording(
      std::move(config), std::move(proc), std::move(*session), std::move(*sources)));
}

StreamingRecording::StreamingRecording(RecordingConfig config,
                                       std::unique_ptr<capture::ProcIdentity> proc,
                                       std::unique_ptr<capture::CaptureSession> session,
                                       capture::PerfSources sources)
    : config_(std::move(config)),
      providers_(config_.providers, config_.provider_session, FXT_MODE_STREAMING),
      proc_(std::move(proc)),
      session_(std::move(session)),
      settings_(*session_, false),
      sources_(std::move(sources)),
      tasks_(session_->identities(), session_->options().sees_switches()) {
  if (providers_.set() == nullptr) return;
  provider_stream_.emplace(*providers_.set());
  session_->SetProviders(&*provider_stream_);
}

StreamingRecording::~StreamingRecording() {
  session_->StopEvents();
  if (file_) static_cast<void>(Close());
}

util::Status StreamingRecording::OpenFile() {
  std::optional<Destination> destination = std::exchange(config_.output, std::nullopt);
  if (config_.next_file) {
    auto next = config_.next_file(files_ + 1);
    if (!next) return next.TakeError();
    destination.emplace(std::move(*next));
  }
  if (!destination) return util::Error{"the file was closed already", ""};
  destination->output.WaitWhile([this, keep_waiting = std::move(destination->keep_waiting)] {
    return !abandoned_ && (!keep_waiting || keep_waiting());
  });
  file_ =
      std::make_unique<File>(std::move(*destination), tasks_, TranslationOf(*session_, sources_));
  file_->number = ++files_;
  if (provider_stream_) provider_stream_->set_writer(&file_->sections);
  file_->translator.OnClockOffset(clock_offset_);
  return util::Ok();
}

void StreamingRecording::BeginFile(uint64_t time) {
  file_->begin = time;
  translate::SessionInfo info = config_.info;
  info.start_time = util::WallClockNow();
  info.ring_bytes = session_->ring_bytes();
  translate::TakeClocks(info);
  file_->translator.set_session_info(std::move(info));
  file_->translator.OnStart(time);
}

void StreamingRecording::OnClockOffset(int64_t offset) {
  clock_offset_ = offset;
  file_->translator.OnClockOffset(offset);
}

void StreamingRecording::OnSnapshotTask(const fxr_task& task) {
  file_->translator.OnSnapshotTask(task);
}

void StreamingRecording::OnStart(uint64_t time) { BeginFile(time); }

bool StreamingRecording::OnSlots(capture::SlotStream& slots) {
  translate::Translator& translator = file_->translator;
  if (!was_stopped_) {
    return slots.ForEach([&translator](uint32_t cpu, const capture::SlotEvent& event) {
      translator.OnSlot(cpu, event.time, event.commit, event.body);
    });
  }
  return slots.ForEach([&translator, stop = stop_time_, start = start_time_](
                           uint32_t cpu, const capture::SlotEvent& event) {
    if (event.time > stop && event.time < start) return;
    translator.OnSlot(cpu, event.time, event.commit, event.body);
  });
}

void StreamingRecording::OnSideEvent(const fxr_side_header& event) {
  settings_.OnSideEvent(event);
  if (config_.next_file) settings_history_.OnSideEvent(event);
  if (!IsBetween(event.time)) return file_->translator.OnSideEvent(event);
  ApplyToTasks(event, clock_offset_, tasks_);
}

void StreamingRecording::OnGap(uint32_t cpu, uint64_t time) {
  if (!IsBetween(time)) file_->translator.OnGap(cpu, time);
}

void StreamingRecording::OnBranchSample(const perf::BranchStackSample& sample) {
  if (!IsBetween(sample.time)) file_->translator.OnBranchSample(sample);
}

void StreamingRecording::OnMapping(uint64_t time, const perf::MmapRecord& record) {
  file_->translator.OnMapping(time, record);
}

void StreamingRecording::OnLoss(int32_t cpu, uint64_t time, uint32_t category, uint64_t count) {
  file_->translator.OnLoss(cpu, time, category, count);
}

// The events up to `time` have been delivered.
void StreamingRecording::OnTick(uint64_t time) {
  file_->translator.OnTick(time);
  for (const TriggerFired& fired : std::exchange(marks_, {})) {
    MarkTrigger(fired, time, file_->translator);
  }
  if (started_) {
    // Later settings may belong to a program whose exec event has not been delivered yet.
    WriteSettings(settings_.Take(time));
    AskForRunProcesses(time);
    if (IsRotationDue(time)) Rotate(time);
  }
}

void StreamingRecording::WriteSettings(std::vector<settings::ReadSettings> read) {
  for (settings::ReadSettings& each : read) {
    file_->translator.OnSettings(each.settings);
    if (config_.next_file) settings_history_.Add(each.time, std::move(each.settings));
  }
  settings_history_.Trim(UINT64_MAX);
}

void StreamingRecording::AskForRunProcesses(uint64_t time) {
  if (!settings_.wanted() || time < settings_look_) return;
  settings_look_ = time + kSettingsInterval;
  file_->translator.ForEachRunProcess([this](uint32_t tgid) { settings_.Ask(tgid); });
}

bool StreamingRecording::IsRotationDue(uint64_t time) const {
  if (!config_.next_file || failed_) return false;
  return (config_.rotate_time != 0 && time >= file_->begin + config_.rotate_time) ||
         (config_.rotate_bytes != 0 && file_->sink->bytes_on_disk() >= config_.rotate_bytes);
}

void StreamingRecording::Rotate(uint64_t time) {
  std::vector<std::optional<uint32_t>> running;
  for (uint32_t cpu = 0; cpu < session_->ring_count(); ++cpu) {
    running.push_back(file_->translator.RunningOn(cpu));
  }
  // Opens the next file first. If that fails, the current file continues.
  std::unique_ptr<File> before = std::move(file_);
  if (util::Status status = OpenFile(); !status) {
    failed_ = status.TakeError();
    file_ = std::move(before);
    if (provider_stream_) provider_stream_->set_writer(&file_->sections);
    return;
  }
  std::swap(before, file_);
  std::unique_ptr<File> next = std::move(before);
  FinishFile(time);
  file_ = std::move(next);
  if (provider_stream_) provider_stream_->set_writer(&file_->sections);
  BeginFile(time);
  for (uint32_t cpu = 0; cpu < running.size(); ++cpu) {
    if (running[cpu]) file_->translator.OnRunning(cpu, time, *running[cpu]);
  }
  for (const TimedSettings& each : settings_history_.All()) {
    file_->translator.OnSettings(*each.settings);
  }
  if (util::Status status = Publish(); !status) failed_ = status.TakeError();
  // Flushes, so that the file has its first records even if the recorder is killed.
  if (file_->archive.Flush()) file_->sink->Flush();
}

util::Status StreamingRecording::Publish() {
  const auto entry = std::exchange(file_->entry, nullptr);
  return entry ? entry->Publish() : util::Ok();
}

CategoryTotals StreamingRecording::Totals() const {
  CategoryTotals totals = finished_;
  if (!file_) return totals;
  const translate::TranslationStats stats = file_->translator.stats();
  for (uint32_t category = 0; category < FXR_CATEGORY_COUNTS; ++category) {
    totals.events[category] += stats.events[category];
    totals.lost[category] += stats.lost[category];
  }
  return totals;
}

void StreamingRecording::FinishFile(uint64_t end) {
  finished_ = Totals();
  finished_providers_.records += file_->sections.stats().records;
  finished_providers_.lost += file_->sections.stats().lost;
  const translate::TranslationStats stats = file_->translator.stats();
  SnapshotResult written;
  written.number = file_->number;
  written.name = file_->name;
  written.trace.covered = end - file_->begin;
  for (const uint64_t recorded : stats.recorded) written.trace.events += recorded;
  for (const uint64_t lost : stats.lost) written.lost += lost;
  written.trace.events += file_->sections.stats().records;
  written.lost += file_->sections.stats().lost;
  FileTotals totals{.translation = stats,
                    .lost = file_->translator.losses().totals(),
                    .start_bytes = file_->start_bytes,
                    .refused_records = file_->translator.refused_records(),
                    .thread_tables = file_->writer.thread_stats().tables_opened,
                    .threads_alive = file_->translator.task_table().thread_count()};
  const bool flushed = file_->archive.Flush();
  totals.record_bytes = file_->archive.bytes();
  written.totals = std::move(totals);
  std::shared_ptr<sink::Sink> sink = std::move(file_->sink);
  if (provider_stream_) provider_stream_->set_writer(nullptr);
  file_.reset();
  const uint64_t begin = util::MonotonicNow();
  finishing_.push_back(
      std::async(std::launch::async, [written, sink = std::move(sink), flushed, begin]() mutable {
        written.status = sink->Close();
        if (written.status && !flushed) {
          written.status = util::Error{"cannot write " + written.name, ""};
        }
        written.trace.bytes = sink->bytes_on_disk();
        written.totals->accepted_bytes = sink->bytes_accepted();
        written.took = util::MonotonicNow() - begin;
        return written;
      }));
}

util::Status StreamingRecording::Start(request::BufferDisposition) {
  if (started_) return util::Error{"the recording has started already", ""};
  if (begun_) {
    drained_ = session_->Drain();
    providers_.Start(true);
    const auto resumed = session_->Resume();
    if (!resumed) return resumed.error();
    start_time_ = *resumed;
    started_ = true;
    file_->translator.OnMark(start_time_, schema::event::kStarted, {});
    return util::Ok();
  }
  if (util::Status status = OpenFile(); !status) return status;
  providers_.Start(true);
  settings_.Start(config_.info.command_pid);
  if (util::Status status = session_->Start(*this); !status) return status;
  NoteSkippedProbes(config_, *session_);
  settings_.OnStarted();
  file_->start_bytes = file_->archive.bytes();
  if (config_.started) {
    if (util::Status status = config_.started(); !status) return status;
  }
  if (util::Status status = Publish(); !status) return status;
  if (file_->archive.Flush()) file_->sink->Flush();
  begun_ = started_ = true;
  first_start_ = start_time_ = session_->start_time();
  flush_at_ = util::MonotonicNow() + kFlushInterval;
  return util::Ok();
}

util::Status StreamingRecording::Stop() {
  if (!started_) return util::Ok();
  started_ = false;
  providers_.Stop();
  stop_time_ = session_->Pause();
  start_time_ = UINT64_MAX;
  was_stopped_ = true;
  for (int i = 0; i < 100 && !session_->Drain(); ++i) continue;
  for (uint32_t cpu = 0; cpu < session_->ring_count(); ++cpu) {
    file_->translator.OnPause(cpu, stop_time_);
  }
  file_->translator.OnMark(stop_time_, schema::event::kStopped, {});
  if (file_->archive.Flush()) file_->sink->Flush();
  return util::Ok();
}

void StreamingRecording::AddPollFds(std::vector<pollfd>& fds) const {
  if (!drained_ || !begun_) return;
  fds.push_back({session_->wakeup_fd(), POLLIN, 0});
  for (const int fd : session_->perf_fds()) fds.push_back({fd, POLLIN, 0});
}

int StreamingRecording::TimeoutMs() const {
  if (!drained_) return kUnfinishedMs;
  return session_->is_quiet() && !provider_stream_ ? kQuietTurnMs : kStreamingTurnMs;
}

util::Status StreamingRecording::Turn() {
  if (!begun_ || !file_) return util::Ok();
  drained_ = session_->Drain();
  NoteProblems(config_, *session_);
  const uint64_t now = util::MonotonicNow();
  if (now >= flush_at_) {
    flush_at_ = now + kFlushInterval;
    if (file_->archive.Flush()) file_->sink->Flush();
  }
  if (failed_) return *failed_;
  if (!file_->archive.failed()) return util::Ok();
  if (util::Status closed = file_->sink->Close(); !closed) return closed;
  return util::Error{"cannot write " + file_->name, ""};
}

util::Result<uint64_t> StreamingRecording::Snapshot(SnapshotRequest) {
  return util::Error{"there is no buffer: a streaming recording writes into its file",
                     "begin one with --circular"};
}

std::vector<SnapshotResult> StreamingRecording::TakeWritten() {
  std::vector<SnapshotResult> written;
  std::erase_if(finishing_, [&](std::future<SnapshotResult>& each) {
    if (each.wait_for(std::chrono::seconds(0)) != std::future_status::ready) return false;
    written.push_back(each.get());
    return true;
  });
  return written;
}

util::Result<SnapshotResult> StreamingRecording::Close() {
  if (!file_) return util::Error{"the file was closed already", ""};
  if (!begun_) {
    file_.reset();
    return util::Error{"nothing was recorded yet", ""};
  }
  providers_.Stop();
  if (settings_.wanted()) {
    session_->StopEvents();
    static_cast<void>(session_->Drain());
    settings_look_ = 0;
    AskForRunProcesses(session_->Now());
    WriteSettings(settings_.Refresh(kLastSettings));
  }
  const uint64_t stopped = session_->Stop();
  started_ = false;
  FinishFile(was_stopped_ && stop_time_ > start_time_ ? stop_time_ : stopped);
  SnapshotResult last = finishing_.back().get();
  finishing_.pop_back();
  return last;
}

RecordingStatus StreamingRecording::status() const {
  RecordingStatus status;
  status.started = started_;
  status.mode = request::BufferingMode::kStreaming;
  if (begun_ && file_) {
    status.covered = (started_ ? session_->Now() : stop_time_) - first_start_;
  }
  const CategoryTotals totals = Totals();
  for (const uint64_t events : totals.events) status.events += events;
  for (const uint64_t lost : totals.lost) status.lost += lost;
  status.events += finished_providers_.records;
  status.lost += finished_providers_.lost;
  if (file_) {
    status.record_bytes = file_->archive.bytes();
    status.events += file_->sections.stats().records;
    status.lost += file_->sections.stats().lost;
  }
  status.fullest_percent = session_->fullest_ring_percent();
  status.cpu_time = ProcessTime();
  status.ring_bytes = session_->ring_bytes();
  status.buffer_bytes = session_->ring_bytes() * session_->ring_count();
  status.snapshots = files_ == 0 ? 0 : files_ - (file_ ? 1 : 0);
  status.writing = !finishing_.empty();
  return status;
}

}  // namespace session
