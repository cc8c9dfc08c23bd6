// SPDX-License-Identifier: BSD-2-Clause
#include "tools/record/recorder.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "capture/capture_session.h"
#include "sink/open_sink.h"
#include "tools/record/command/java_names.h"
#include "tools/record/process/schedule.h"
#include "tools/record/progress.h"
#include "unwind/table_maker.h"
#include "util/clock.h"
#include "util/peak_memory.h"
#include "util/quantity.h"

namespace tools {
namespace {

uint64_t Nanoseconds(const timeval& time) {
  return static_cast<uint64_t>(time.tv_sec) * 1'000'000'000 +
         static_cast<uint64_t>(time.tv_usec) * 1000;
}

}  // namespace

int Recorder::Run() {
  const int exit_code = RunUntilEnd();
  console_.Finish(kConsoleTimeout);
  return exit_code;
}

int Recorder::Fail(const util::Error& error) {
  console_.Error(error);
  return kExitFailure;
}

int Recorder::RunUntilEnd() {
  if (const auto exit_code = command_.Prepare(options_)) return *exit_code;
  signals_.Take();
  if (!single_file()) signals_.TakeSnapshotSignal();
  if (options_.categories.wanted.test(FXR_CATEGORY_STACK)) {
    // Before the kernel's types are read: see TableMaker::Start().
    auto maker = unwind::TableMaker::Start();
    if (!maker) return Fail(maker.error());
    table_maker_ = std::move(*maker);
  }
  auto features = capture::ProbeKernel();
  if (!features) return Fail(features.error());
  realtime_ = BecomeRealtime();
  if (util::Status status = Make(*features); !status) return Fail(status.error());
  features->types.reset();
  if (options_.rotates()) RemoveOld("of an earlier run, by --keep");
  if (!realtime_ && !options_.quiet) {
    console_.Note("no permission for real-time priority: a busy machine may delay the recorder");
  }
  if (util::Status status = Start(); !status) return FailToStart(status.error());
  NoteStart();
  End(Loop());
  const int command_status = command_.exists() ? command_.WaitForEnd() : 0;
  return failed_ ? kExitFailure : command_status;
}

util::Status Recorder::Make(const capture::KernelFeatures& features) {
  DriverConfig config;
  config.mode = !buffered()        ? request::BufferingMode::kStreaming
                : options_.oneshot ? request::BufferingMode::kOneshot
                                   : request::BufferingMode::kCircular;
  config.buffer_bytes = options_.memory_bytes;
  config.realtime = realtime_;
  if (util::Status status = OpenOutput(config); !status) return status;
  if (options_.providers) config.providers = &providers_;
  config.provider_session.categories = options_.provider_categories;
  if (command_.exists()) {
    config.command = command_.pid();
    config.program = command_.program();
  }
  config.table_maker = std::move(table_maker_);
  config.started = [this] { return OnStarted(); };
  config.note = [this](const std::string& line) { console_.Note(line); };
  config.alert = [this](const std::string& name, uint64_t) {
    if (alerts_) alerts_->SendAlert(name);
  };
  config.written = [this](const session::SnapshotResult& result) { Report(result); };
  auto driver = RecordingDriver::Make(features, options_, std::move(config));
  if (!driver) return driver.TakeError();
  driver_ = std::move(*driver);
  return options_.socket.empty() ? util::Ok() : Listen();
}

util::Status Recorder::OpenOutput(DriverConfig& config) {
  const output::KeepWaiting keep_waiting = [this] { return KeepWaiting(); };
  if (single_file()) {
    auto outputs = RecordOutputs::Open(options_, keep_waiting);
    if (!outputs) return outputs.TakeError();
    outputs_.emplace(std::move(*outputs));
    if (options_.symbols && !outputs_->is_file()) {
      return util::Error{fmt::format("--symbols: {} is not a regular file", options_.output),
                         "names are added at the end, so the file must be readable again"};
    }
    config.output = session::Destination{outputs_->TakeTrace(), options_.gzip, keep_waiting};
    return util::Ok();
  }
  auto pattern = output::NamePattern::Parse(options_.output);
  if (!pattern) return pattern.TakeError();
  names_.emplace(std::move(*pattern));
  if (options_.rotates()) {
    kept_.emplace(names_->pattern(), options_.keep);
    config.next_file = [this](uint64_t) { return NextFile(); };
    return util::Ok();
  }
  names_->ContinueNumbers();
  config.names = &*names_;
  config.files.triggers = {options_.triggers, options_.before, options_.after, options_.output};
  config.files.gzip = options_.gzip;
  config.files.open_wait = keep_waiting;
  config.files.note = [this](const std::string& line) {
    if (!options_.quiet) console_.Note(line);
  };
  config.files.fail = [this](const util::Error& error) { Report(error); };
  return util::Ok();
}

util::Result<session::Destination> Recorder::NextFile() {
  sink::SinkOptions options;
  options.path = names_->Next();
  options.file.recording = true;
  options.file.keep_waiting = [this] { return KeepWaiting(); };
  auto output = sink::OpenOutput(options);
  if (!output) return output.TakeError();
  kept_->Add(options.path);
  return session::Destination{std::move(*output), options_.gzip};
}

util::Status Recorder::Listen() {
  auto alerts =
      AlertListener::Listen(options_.socket, *this, options_.providers ? &providers_ : nullptr);
  if (!alerts) return alerts.TakeError();
  alerts_ = std::move(*alerts);
  if (alerts_->replaced_stale()) {
    console_.Note(fmt::format("removed {}, a socket of a process that has ended", options_.socket));
  }
  return util::Ok();
}

util::Status Recorder::Start() { return driver_->Start(request::BufferDisposition::kClearAll); }

util::Status Recorder::OnStarted() {
  begin_ = util::MonotonicNow();
  if (options_.duration != 0) deadline_ = begin_ + options_.duration;
  if (command_.exists()) {
    if (util::Status status = command_.Release(); !status) return status;
    released_ = true;
  }
  // Before the first write: a full pipe may hold it up until a signal ends the recording.
  const std::lock_guard lock(end_mutex_);
  phase_ = Phase::kRecording;
  signals_to_give_up_ = 2;
  return util::Ok();
}

int Recorder::FailToStart(const util::Error& error) {
  console_.Error(error);
  // The recording cannot begin: a command that runs already is ended.
  if (released_) command_.Cancel();
  // A command that cannot be run has an exit code of its own.
  return command_.ExitAfterFailure();
}

void Recorder::NoteStart() {
  if (options_.quiet) return;
  if (single_file()) {
    if (!command_.exists() && options_.duration == 0) {
      console_.Note("recording; Ctrl-C ends it");
    }
    return;
  }
  const bool on_request = options_.triggers.empty() && buffered();
  console_.Note(fmt::format(
      "recording into {}; {}",
      buffered() ? fmt::format("{} of memory",
                               util::FormatSize(driver_->recording().status().buffer_bytes))
                 : options_.output,
      on_request ? "SIGUSR1 writes a file, and so does the end (Ctrl-C)" : "Ctrl-C ends it"));
}

// Called during waits for the reader of an output, on any thread. Such a wait may outlast the
// recording: at its end no further event is recorded, however long the output takes.
bool Recorder::KeepWaiting() {
  signals_.Look();
  if (!single_file()) return signals_.count() == 0;
  const std::lock_guard lock(end_mutex_);
  const bool by_signal = signals_.count() > 0;
  if (phase_ == Phase::kRecording && (by_signal || util::MonotonicNow() >= deadline_)) {
    driver_->recording().capture().StopEvents();
    EnterEnd(by_signal);
  }
  return signals_.count() < signals_to_give_up_;
}

// A signal that ended the recording does not end the waits after it; the next one does.
void Recorder::EnterEnd(bool by_signal) {
  if (phase_ != Phase::kRecording) return;
  phase_ = Phase::kEnding;
  signals_to_give_up_ = by_signal ? 2 : 1;
}

void Recorder::Wait() {
  fds_.clear();
  fds_.push_back({signals_.fd(), POLLIN, 0});
  driver_->AddPollFds(fds_);
  int timeout = driver_->TimeoutMs();
  if (alerts_) {
    fds_.push_back({mailbox_.fd(), POLLIN, 0});
    alerts_->AddPollFds(fds_);
    timeout = std::min(timeout, alerts_->TimeoutMs());
  }
  if (deadline_ != UINT64_MAX) {
    const uint64_t now = util::MonotonicNow();
    const uint64_t left = deadline_ > now ? (deadline_ - now + 999'999) / 1'000'000 : 0;
    timeout = static_cast<int>(std::min<uint64_t>(left, static_cast<uint64_t>(timeout)));
  }
  poll(fds_.data(), fds_.size(), timeout);
}

Recorder::Reason Recorder::Loop() {
  Progress progress(begin_);
  const bool shows_progress = single_file() && console_.on_terminal() && !options_.quiet;
  for (;;) {
    Wait();
    if (util::Status status = driver_->Turn(fds_); !status) {
      output_error_ = status.TakeError();
      return Reason::kOutputFailed;
    }
    if (alerts_) {
      alerts_->Turn(fds_);
      mailbox_.Run();
    }
    if (shows_progress) progress.Update(util::MonotonicNow(), driver_->recording(), console_);
    if (const auto reason = ReasonToEnd()) return *reason;
  }
}

std::optional<Recorder::Reason> Recorder::ReasonToEnd() {
  signals_.Look();
  SnapshotFiles* const files = driver_->files();
  for (const uint32_t requests = signals_.snapshot_requests(); snapshot_requests_ < requests;
       ++snapshot_requests_) {
    if (files != nullptr && !files->OnSignal()) files->WriteNow();
  }
  if (command_.exists()) {
    if (const auto status = command_.Poll()) {
      if (files != nullptr) files->OnExit(*status);
      return signals_.count() > 0 ? Reason::kSignal : Reason::kCommandEnded;
    }
  }
  if (signals_.count() > 0) return Reason::kSignal;
  if (util::MonotonicNow() >= deadline_) return Reason::kDuration;
  if (buffered() && driver_->recording().status().buffer_full) return Reason::kBufferFull;
  return std::nullopt;
}

void Recorder::OnAlert(const std::string& name) {
  if (SnapshotFiles* const files = driver_->files()) files->OnAlert(name);
}

void Recorder::Report(const util::Error& error) {
  failed_ = true;
  console_.Error(error);
}

void Recorder::Report(const session::SnapshotResult& result) {
  if (!result.status) return Report(result.status.error());
  if (options_.rotates()) RemoveOld("by --keep");
  if (!options_.quiet) console_.Note(DescribeWritten(result, !buffered()));
}

void Recorder::RemoveOld(const char* which) {
  const std::vector<std::string> removed = kept_->Trim();
  if (removed.empty() || options_.quiet) return;
  console_.Note(fmt::format(
      "removed {}, {}",
      removed.size() == 1 ? removed.front() : fmt::format("{} files", removed.size()), which));
}

void Recorder::End(Reason reason) {
  {
    const std::lock_guard lock(end_mutex_);
    EnterEnd(reason == Reason::kSignal);
  }
  alerts_.reset();
  if (single_file()) {
    EndFile(reason);
  } else {
    const std::string note = driver_->recording().capture().DescribeMultiplexing();
    if (!note.empty()) console_.Note(note);
    options_.rotates() ? EndRotation() : EndBuffer();
    if (!options_.quiet) PrintBufferSummary();
  }
  // Like a loss, it is reported with --quiet as well.
  if (const uint64_t refused = providers_.refused(); refused != 0) {
    console_.Note(fmt::format("{} providers were refused: too many; they were not recorded",
                              util::FormatCount(refused)));
  }
}

void Recorder::EndFile(Reason reason) {
  auto closed = driver_->recording().Close();
  const std::string note = driver_->recording().capture().DescribeMultiplexing();
  if (!note.empty()) console_.Note(note);
  if (!closed) return Report(closed.error());
  if (output_error_) closed->status = *output_error_;
  if (!closed->status) Report(closed->status.error());
  if (options_.symbols && closed->status && !FindNames()) return;
  PrintFileSummary(reason, *closed);
}

// On failure the file stays as it is.
bool Recorder::FindNames() {
  const auto goes_on = [this] {
    signals_.Look();
    return signals_.count() < signals_to_give_up_;
  };
  // The recording has ended: real-time priority is not needed.
  BecomeOrdinary();
  if (options_.jvm) {
    const JavaNames java = WriteJavaNames({.pids = options_.tasks.pids, .goes_on = goes_on});
    for (const JavaNames::Failure& failure : java.failures) {
      console_.Note(
          fmt::format("no names of the Java process {}: {}", failure.pid, failure.reason));
    }
  }
  auto names = WriteSymbols(options_.output, options_.gzip, console_, goes_on);
  if (!names) {
    Report(util::Error{fmt::format("no names: {}", names.error().message), names.error().hint});
    return false;
  }
  if (!options_.quiet) console_.Note(DescribeNames(*names));
  symbols_ = *names;
  return true;
}

void Recorder::PrintFileSummary(Reason reason, const session::SnapshotResult& file) {
  Totals totals;
  totals.file = *file.totals;
  totals.output = options_.output;
  totals.output_failed = !file.status.ok();
  totals.providers_refused = providers_.refused();
  totals.duration = file.trace.covered;
  totals.file_bytes = file.trace.bytes;
  totals.record_bytes = file.totals->record_bytes;
  if (symbols_) {
    totals.file_bytes = symbols_->file_bytes;
    totals.record_bytes = symbols_->record_bytes;
  }
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  totals.cpu_time = Nanoseconds(usage.ru_utime) + Nanoseconds(usage.ru_stime);
  totals.peak_memory = util::PeakMemory();
  const capture::CaptureSession& capture = driver_->recording().capture();
  totals.rings = capture.ring_count();
  totals.ring_bytes = capture.ring_bytes();
  totals.side_ring_bytes = capture.side_ring_bytes();
  totals.kernel_memory = capture.kernel_memory_bytes();
  totals.realtime = realtime_;
  totals.capture = capture.stats();
  totals.unwind = capture.unwind_stats();
  if (options_.quiet) {
    PrintLosses(totals, console_);
  } else {
    if (reason == Reason::kSignal) {
      console_.Note(fmt::format("stopped by {}", strsignal(signals_.first())));
    }
    PrintTotals(totals, console_);
  }
  if (!outputs_->wants_stats()) return;
  if (util::Status status = outputs_->WriteStats(TotalsJson(totals)); !status) {
    Report(status.error());
  }
}

void Recorder::EndRotation() {
  if (output_error_) Report(*output_error_);
  const uint32_t before = signals_.count();
  const auto last = driver_->recording().Close();
  while (driver_->recording().status().writing && signals_.count() == before) {
    poll(nullptr, 0, 10);
    for (const session::SnapshotResult& result : driver_->recording().TakeWritten()) Report(result);
    signals_.Look();
  }
  if (!last) return Report(last.error());
  // The error that ended the recording was reported before.
  if (last->status || !output_error_) Report(*last);
}

void Recorder::EndBuffer() {
  if (driver_->recording().status().buffer_full && !options_.quiet) {
    console_.Note("the buffer is full: the recording has ended");
  }
  static_cast<void>(driver_->Stop());
  if (options_.triggers.empty()) driver_->files()->WriteNow();
  const uint32_t before = signals_.count();
  while (driver_->recording().status().writing) {
    Wait();
    static_cast<void>(driver_->Turn(fds_));
    signals_.Look();
    if (signals_.count() > before) driver_->recording().Abandon();
  }
  static_cast<void>(driver_->Turn(fds_));
}

void Recorder::PrintBufferSummary() {
  const session::RecordingStatus status = driver_->recording().status();
  if (driver_->files() != nullptr) {
    const session::TriggerSet& triggers = driver_->files()->triggers();
    for (const session::TriggerState& trigger : triggers.triggers()) {
      const uint64_t files = trigger.fired - trigger.limited;
      console_.Note(fmt::format(
          "{}: {}{}", trigger.spec.text,
          trigger.fired == 0   ? "never"
          : trigger.fired == 1 ? "once"
                               : fmt::format("{} times", util::FormatCount(trigger.fired)),
          trigger.limited == 0
              ? ""
              : fmt::format(", {} of them with a file of their own", util::FormatCount(files))));
    }
    if (triggers.skipped_slots() > 0) {
      console_.Note(fmt::format("{} events came too fast for the triggers to be evaluated",
                                util::FormatCount(triggers.skipped_slots())));
    }
  }
  console_.Note(fmt::format(
      "took in {} events{}; {} of CPU time, {} of memory at most", util::FormatCount(status.events),
      status.lost == 0 ? "" : fmt::format(", LOST {}", util::FormatCount(status.lost)),
      util::FormatDuration(status.cpu_time), util::FormatSize(util::PeakMemory())));
}

}  // namespace tools
