// SPDX-License-Identifier: BSD-2-Clause
#include "tools/record/session_recorder.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "capture/capture_session.h"
#include "capture/proc_identity.h"
#include "sink/open_sink.h"
#include "text/clean_text.h"
#include "tools/record/control/recording_status.h"
#include "tools/record/options/filter_text.h"
#include "tools/record/options/program_choice.h"
#include "tools/record/options/session_description.h"
#include "tools/record/process/schedule.h"
#include "util/clock.h"
#include "util/quantity.h"

namespace tools {
namespace {}  // namespace

int SessionRecorder::Run() {
  const int exit_code = RunQuietly();
  console_.Finish(kConsoleTimeout);
  return exit_code;
}

int SessionRecorder::Fail(const util::Error& error) {
  console_.Error(error);
  return kExitFailure;
}

util::Status SessionRecorder::Make(const capture::KernelFeatures& features, bool realtime) {
  auto names = output::NamePattern::Parse(options_.output);
  if (!names) return names.TakeError();
  names_.emplace(std::move(*names));
  kept_.emplace(*names_, options_.keep);
  capture::CategorySelection& selection = options_.categories;
  if (!options_.rotates()) LeaveOutLong(selection);
  std::vector<std::string> notes;
  util::Status possible = LeaveOutImpossible(features, selection, &notes);
  for (const std::string& note : notes) console_.Note(note);
  if (!possible) return possible;
  const capture::ProcIdentity identities;
  auto programs = MakeProgramOptions(options_, identities, realtime);
  if (!programs) return programs.TakeError();
  session::RecordingConfig config;
  config.mode = options_.rotates() ? session::BufferingMode::kStreaming
                : options_.oneshot ? session::BufferingMode::kOneshot
                                   : session::BufferingMode::kCircular;
  config.rotate_time = options_.rotate_time;
  config.rotate_bytes = options_.rotate_bytes;
  config.next_file = [this](uint64_t number) { return NextFile(number); };
  config.buffer_bytes = options_.memory_bytes;
  config.programs = std::move(*programs);
  config.sources = MakePerfSourceOptions(options_);
  config.note = [this](const std::string& line) { console_.Note(line); };
  if (options_.providers) config.providers = &providers_;
  config.provider_session.categories = options_.provider_categories;
  auto recording = session::MakeRecording(std::move(config), features);
  if (!recording) return recording.TakeError();
  recording_ = std::move(*recording);
  selection.wanted.set(FXR_CATEGORY_LBR, recording_->sources().branches);
  auto triggers =
      session::TriggerSet::Make(options_.triggers, options_.before, options_.after, *recording_);
  if (!triggers) return triggers.TakeError();
  triggers_ = std::move(*triggers);
  if (options_.socket.empty()) return util::Ok();
  auto alerts =
      AlertListener::Listen(options_.socket, *this, options_.providers ? &providers_ : nullptr);
  if (!alerts) return alerts.TakeError();
  alerts_ = std::move(*alerts);
  if (alerts_->replaced_stale()) {
    console_.Note(fmt::format("removed {}, which somebody left who ended without a chance to",
                              options_.socket));
  }
  return util::Ok();
}

util::Status SessionRecorder::Start() {
  if (command_.exists() && options_.only_command) {
    recording_->capture().Follow(static_cast<uint32_t>(command_.pid()));
  }
  recording_->Describe(
      DescribeSession(options_, recording_->capture(),
                      command_.exists() ? std::optional(command_.pid()) : std::nullopt));
  if (util::Status status = recording_->Start(session::BufferDisposition::kClearAll); !status) {
    return status;
  }
  triggers_->Begin();
  started_ = util::MonotonicNow();
  for (const std::string& warning :
       FilterWarnings(options_, recording_->capture().filter_matches())) {
    console_.Note(warning);
  }
  if (options_.duration != 0) deadline_ = started_ + options_.duration;
  return command_.exists() ? command_.Release() : util::Ok();
}

int SessionRecorder::RunQuietly() {
  if (const auto exit_code = command_.Prepare(options_)) return *exit_code;
  signals_.Take();
  signals_.TakeWishes();
  auto features = capture::ProbeKernel();
  if (!features) return Fail(features.error());
  const bool realtime = BecomeRealtime();
  if (util::Status status = Make(*features, realtime); !status) return Fail(status.error());
  if (options_.rotates()) RemoveOld("of an earlier run, by --keep");
  if (!realtime && !options_.quiet) {
    console_.Note("no right to real-time priority: a busy machine may keep the recorder waiting");
  }
  if (util::Status status = Start(); !status) {
    console_.Error(status.error());
    return command_.ExitAfterFailure();
  }
  if (!options_.quiet) {
    const session::RecordingStatus status = recording_->status();
    const bool on_wish = options_.triggers.empty() && !options_.rotates();
    console_.Note(fmt::format(
        "recording into {}; {}",
        options_.rotates() ? options_.output
                           : fmt::format("{} of memory", util::FormatSize(status.buffer_bytes)),
        on_wish ? "SIGUSR1 writes a file, and so does the end (Ctrl-C)" : "Ctrl-C ends it"));
  }
  Loop();
  End();
  if (!options_.quiet) PrintSummary();
  const int command_status = command_.exists() ? command_.WaitForEnd() : 0;
  return failed_ ? kExitFailure : command_status;
}

util::Result<session::Destination> SessionRecorder::NextFile(uint64_t number) {
  sink::SinkOptions options;
  options.path = FreshName(number);
  options.file.recording = true;
  options.file.keep_waiting = [this] {
    signals_.Look();
    return signals_.count() == 0;
  };
  auto output = sink::OpenOutput(options);
  if (!output) return output.TakeError();
  kept_->Add(options.path);
  return session::Destination{std::move(*output), options_.gzip};
}

std::string SessionRecorder::FreshName(uint64_t number) {
  std::string name = names_->Expand(number, 0);
  // Two in one second.
  if (name == last_name_)
    return output::NamePattern::BeforeEnding(name, fmt::format("-{}", number));
  return last_name_ = name;
}

void SessionRecorder::RemoveOld(const char* which) {
  const std::vector<std::string> removed = kept_->Trim();
  if (removed.empty() || options_.quiet) return;
  console_.Note(fmt::format(
      "removed {}, {}",
      removed.size() == 1 ? removed.front() : fmt::format("{} files", removed.size()), which));
}

void SessionRecorder::Wait() {
  fds_.clear();
  fds_.push_back({signals_.fd(), POLLIN, 0});
  recording_->AddPollFds(fds_);
  triggers_->AddPollFds(fds_);
  int timeout = recording_->TimeoutMs();
  if (alerts_) {
    fds_.push_back({home_.fd(), POLLIN, 0});
    alerts_->AddPollFds(fds_);
    timeout = std::min(timeout, alerts_->TimeoutMs());
  }
  if (const int due = triggers_->TimeoutMs(); due >= 0) timeout = std::min(timeout, due);
  if (deadline_ != UINT64_MAX) {
    const uint64_t now = util::MonotonicNow();
    const uint64_t left = deadline_ > now ? (deadline_ - now + 999'999) / 1'000'000 : 0;
    timeout = static_cast<int>(std::min<uint64_t>(left, static_cast<uint64_t>(timeout)));
  }
  poll(fds_.data(), fds_.size(), timeout);
}

void SessionRecorder::Loop() {
  do {
    Wait();
    if (util::Status status = recording_->Turn(); !status) {
      failed_ = true;
      return console_.Error(status.error());
    }
    triggers_->Turn(fds_);
    if (alerts_) {
      alerts_->Turn(fds_);
      home_.Run();
      for (const provider::Alert& alert : recording_->TakeProviderAlerts()) {
        const std::string name = alert.name.substr(0, control::kMaxAlertName);
        alerts_->TellAlert(name);
        triggers_->OnAlert(name);
      }
    }
    TellWritten();
  } while (Look());
}

bool SessionRecorder::Look() {
  signals_.Look();
  for (const uint32_t wishes = signals_.wishes(); signals_seen_ < wishes; ++signals_seen_) {
    if (!triggers_->OnSignal() && !options_.rotates()) Write({}, next_file_++);
  }
  bool goes_on = signals_.count() == 0 && util::MonotonicNow() < deadline_;
  if (command_.exists()) {
    if (const auto status = command_.Poll()) {
      triggers_->OnExit(*status);
      goes_on = false;
    }
  }
  if (recording_->status().buffer_full) goes_on = false;
  WriteDue(false);
  return goes_on;
}

void SessionRecorder::WriteDue(bool all) {
  for (session::DueSnapshot& due : triggers_->TakeDue(all)) {
    const uint64_t number = next_file_++;
    if (!options_.quiet) {
      const session::TriggerFired& first = due.fired.front();
      console_.Note(fmt::format("{}{}{}", first.what, first.value.empty() ? "" : ": ",
                                text::CleanText(first.value)));
    }
    Write(std::move(due), number);
  }
}

void SessionRecorder::Write(session::DueSnapshot due, uint64_t number) {
  sink::SinkOptions options;
  options.path = FreshName(number);
  options.file.keep_waiting = [this] {
    signals_.Look();
    return signals_.count() == 0;
  };
  auto output = sink::OpenOutput(options);
  if (!output) {
    failed_ = true;
    return console_.Error(output.error());
  }
  auto begun = recording_->Snapshot({.destination = {std::move(*output), options_.gzip},
                                     .last = due.last,
                                     .until = due.until,
                                     .fired = std::move(due.fired)});
  if (!begun) {
    failed_ = true;
    console_.Error(begun.error());
  }
}

void SessionRecorder::TellWritten() {
  for (const session::Written& written : recording_->TakeWritten()) Tell(written);
}

void SessionRecorder::Tell(const session::Written& written) {
  if (!written.status) {
    failed_ = true;
    return console_.Error(written.status.error());
  }
  if (options_.rotates()) RemoveOld("by --keep");
  if (options_.quiet) return;
  console_.Note(fmt::format(
      "wrote {} ({}, {} events, {}{}{}) in {}", written.name, util::FormatSize(written.bytes),
      util::FormatCount(written.events), options_.rotates() ? "" : "the last ",
      util::FormatDuration(written.covered),
      written.lost == 0 ? "" : fmt::format(", LOST {}", util::FormatCount(written.lost)),
      util::FormatDuration(written.took)));
}

control::Status SessionRecorder::GetStatus() const {
  control::Status status = StatusOf(*recording_, started_);
  for (const session::TriggerState& trigger : triggers_->triggers()) {
    status.triggers.push_back(
        {trigger.spec.text, trigger.fired, trigger.limited, trigger.fired - trigger.limited});
  }
  return status;
}

void SessionRecorder::End() {
  alerts_.reset();
  if (const std::string note = recording_->capture().DescribeMultiplexing(); !note.empty()) {
    console_.Note(note);
  }
  if (options_.rotates()) {
    const uint32_t before = signals_.count();
    const auto last = recording_->Close();
    while (recording_->status().writing && signals_.count() == before) {
      poll(nullptr, 0, 10);
      TellWritten();
      signals_.Look();
    }
    // What ended the recording was told then.
    if (last && failed_ && !last->status) return;
    if (last) return Tell(*last);
    failed_ = true;
    return console_.Error(last.error());
  }
  const bool full = recording_->status().buffer_full;
  if (full && !options_.quiet) console_.Note("the buffer is full: the recording has ended");
  static_cast<void>(recording_->Stop());
  WriteDue(true);
  if (options_.triggers.empty()) Write({}, next_file_++);
  const uint32_t signals = signals_.count();
  while (recording_->status().writing) {
    Wait();
    static_cast<void>(recording_->Turn());
    signals_.Look();
    if (signals_.count() > signals) recording_->Abandon();
  }
  TellWritten();
}

void SessionRecorder::PrintSummary() {
  const session::RecordingStatus status = recording_->status();
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  for (const session::TriggerState& trigger : triggers_->triggers()) {
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
  if (triggers_->skipped_slots() > 0) {
    console_.Note(fmt::format("{} events came too fast for the triggers to be looked at",
                              util::FormatCount(triggers_->skipped_slots())));
  }
  console_.Note(fmt::format(
      "took in {} events{}; {} of CPU time, {} of memory at most", util::FormatCount(status.events),
      status.lost == 0 ? "" : fmt::format(", LOST {}", util::FormatCount(status.lost)),
      util::FormatDuration(status.cpu_time),
      util::FormatSize(static_cast<uint64_t>(usage.ru_maxrss) * 1024)));
}

}  // namespace tools
