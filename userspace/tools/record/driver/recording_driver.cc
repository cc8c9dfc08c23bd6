// SPDX-License-Identifier: BSD-2-Clause
#include "tools/record/driver/recording_driver.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <utility>

#include "capture/capture_session.h"
#include "capture/proc_identity.h"
#include "schema/event_info.h"
#include "session/process_time.h"
#include "tools/record/options/filter_text.h"
#include "tools/record/options/program_choice.h"
#include "tools/record/options/session_description.h"
#include "util/clock.h"

namespace tools {
namespace {

uint64_t ResidentBytes() {
  FILE* file = fopen("/proc/self/statm", "re");
  if (file == nullptr) return 0;
  uint64_t all = 0;
  uint64_t resident = 0;
  const int read = fscanf(file, "%lu %lu", &all, &resident);
  fclose(file);
  return read == 2 ? resident * static_cast<uint64_t>(sysconf(_SC_PAGESIZE)) : 0;
}

}  // namespace

util::Result<std::unique_ptr<RecordingDriver>> RecordingDriver::Make(
    const capture::KernelFeatures& features, RecordOptions options, DriverConfig config) {
  std::unique_ptr<RecordingDriver> made(new RecordingDriver(std::move(options), std::move(config)));
  if (util::Status status = made->MakeRecording(features); !status) return status.TakeError();
  if (made->config_.names == nullptr || made->config_.mode == request::BufferingMode::kStreaming) {
    return made;
  }
  auto files = SnapshotFiles::Make(made->config_.files, *made->recording_, *made->config_.names);
  if (!files) return files.TakeError();
  made->files_ = std::move(*files);
  return made;
}

util::Status RecordingDriver::MakeRecording(const capture::KernelFeatures& features) {
  if (config_.mode != request::BufferingMode::kStreaming) LeaveOutLong(options_.categories);
  std::vector<std::string> notes;
  const util::Status possible = LeaveOutImpossible(features, options_.categories, &notes);
  for (const std::string& note : notes) config_.note(note);
  if (!possible) return possible;
  const capture::ProcIdentity identities;
  notes.clear();
  auto programs = MakeProgramOptions(options_, identities, features, config_.realtime, &notes);
  for (const std::string& note : notes) config_.note(note);
  if (!programs) return programs.TakeError();
  programs->stack.program = config_.program;
  programs->stack.table_maker = std::move(config_.table_maker);
  session::RecordingConfig config;
  config.mode = config_.mode;
  config.programs = std::move(*programs);
  config.buffer_bytes = config_.buffer_bytes;
  config.sources = MakePerfSourceOptions(options_);
  config.note = config_.note;
  config.output = std::exchange(config_.output, std::nullopt);
  config.next_file = config_.next_file;
  config.rotate_time = options_.rotate_time;
  config.rotate_bytes = options_.rotate_bytes;
  config.started = [this] { return OnStarted(); };
  config.providers = config_.providers;
  config.provider_session = config_.provider_session;
  auto recording = session::MakeRecording(std::move(config), features);
  if (!recording) return recording.TakeError();
  recording_ = std::move(*recording);
  capture::CaptureSession& capture = recording_->capture();
  options_.categories.wanted.set(FXR_CATEGORY_LBR, recording_->sources().branches);
  if (options_.only_command && config_.command) {
    capture.Follow(static_cast<uint32_t>(*config_.command));
  }
  if (capture.in_process_namespace()) {
    for (const std::string& note : TranslationNotes(options_, capture.filter())) {
      config_.note(note);
    }
  }
  recording_->Describe(DescribeSession(options_, capture, config_.command));
  return util::Ok();
}

util::Status RecordingDriver::OnStarted() {
  for (const std::string& warning :
       FilterWarnings(options_, recording_->capture().filter_matches())) {
    config_.note(warning);
  }
  if (files_) files_->Begin();
  return config_.started ? config_.started() : util::Ok();
}

util::Status RecordingDriver::Start(request::BufferDisposition disposition) {
  if (util::Status status = recording_->Start(disposition); !status) return status;
  if (!begun_ || disposition != request::BufferDisposition::kRetain) {
    started_at_ = util::MonotonicNow();
  }
  if (files_ && begun_) files_->Begin();
  begun_ = active_ = true;
  return util::Ok();
}

util::Status RecordingDriver::Stop() {
  active_ = false;
  util::Status status = recording_->Stop();
  if (files_) files_->Finish();
  return status;
}

void RecordingDriver::AddPollFds(std::vector<pollfd>& fds) const {
  recording_->AddPollFds(fds);
  if (files_) files_->AddPollFds(fds);
}

int RecordingDriver::TimeoutMs() const {
  const int timeout = recording_->TimeoutMs();
  const int due = files_ ? files_->TimeoutMs() : -1;
  return due < 0 ? timeout : std::min(timeout, due);
}

util::Status RecordingDriver::Turn(std::span<const pollfd> polled) {
  util::Status status = recording_->Turn();
  CollectResults();
  CollectAlerts();
  if (files_ && active_) files_->Turn(polled);
  return status;
}

void RecordingDriver::CollectResults() {
  for (session::SnapshotResult& result : recording_->TakeWritten()) {
    if (files_ && files_->Take(result)) continue;
    if (config_.written) config_.written(std::move(result));
  }
}

void RecordingDriver::CollectAlerts() {
  for (const provider::Alert& alert : recording_->TakeProviderAlerts()) {
    const std::string name = alert.name.substr(0, control::kMaxAlertName);
    if (config_.alert) config_.alert(name, alert.time);
    if (files_ && active_) files_->OnAlert(name);
  }
}

control::Status ProcessStatus() {
  control::Status status;
  status.cpu_time = session::ProcessTime();
  status.resident_bytes = ResidentBytes();
  return status;
}

control::Status RecordingDriver::GetStatus() {
  control::Status status = ProcessStatus();
  const session::RecordingStatus now = recording_->status();
  status.covered = now.covered;
  status.started = started_at_ == 0 ? 0 : util::MonotonicNow() - started_at_;
  status.buffer_bytes = now.buffer_bytes;
  status.events = now.events;
  status.lost = now.lost;
  const session::CategoryTotals totals = recording_->CountCategories();
  const capture::CategorySet& recorded = recording_->capture().options().categories;
  for (uint32_t category = 0; category < FXR_CATEGORIES; ++category) {
    if (!recorded.test(category)) continue;
    status.categories.push_back({std::string(schema::CategoryName(category)),
                                 totals.events[category], totals.lost[category]});
  }
  if (const auto unwind = recording_->capture().unwind_stats()) {
    status.unwind = {unwind->tables, unwind->table_bytes, unwind->max_table_bytes,
                     unwind->unloaded};
  }
  if (files_) status.triggers = files_->status();
  return status;
}

}  // namespace tools
