// SPDX-License-Identifier: BSD-2-Clause
// A streaming recording: translates events into records as they come, into one file or into rotated
// files. Each file is complete: it begins with all tasks and with the thread that each CPU runs.
#pragma once

#include <atomic>
#include <cstdint>
#include <future>
#include <memory>
#include <optional>
#include <vector>

#include "capture/capture_session.h"
#include "capture/event_handler.h"
#include "capture/perf_sources.h"
#include "capture/proc_identity.h"
#include "fxt/archive_writer.h"
#include "fxt/provider_writer.h"
#include "model/task_tracker.h"
#include "output/output_file.h"
#include "provider/section_writer.h"
#include "session/durable_tasks.h"
#include "session/providers/provider_control.h"
#include "session/providers/provider_stream.h"
#include "session/recording.h"
#include "session/settings_history.h"
#include "session/settings_source.h"
#include "sink/sink.h"
#include "translate/translator.h"

namespace session {

class StreamingRecording final : public Recording, private capture::EventHandler {
 public:
  static util::Result<std::unique_ptr<Recording>> Make(RecordingConfig config,
                                                       const capture::KernelFeatures& features);
  ~StreamingRecording() override;

  util::Status Start(request::BufferDisposition disposition) override;
  util::Status Stop() override;
  void AddPollFds(std::vector<pollfd>& fds) const override;
  int TimeoutMs() const override;
  util::Status Turn() override;
  util::Result<uint64_t> Snapshot(SnapshotRequest request) override;
  std::vector<SnapshotResult> TakeWritten() override;
  void Abandon() override { abandoned_ = true; }
  util::Result<SnapshotResult> Close() override;
  void Mark(const TriggerFired& fired) override { marks_.push_back(fired); }
  void Describe(translate::SessionInfo info) override { config_.info = std::move(info); }
  uint64_t Now() override { return session_->Now(); }
  std::optional<fxr_task> FindTask(uint32_t tid) override {
    return session_->identities().LookUp(tid);
  }
  RecordingStatus status() const override;
  CategoryTotals CountCategories() override { return Totals(); }
  std::vector<provider::Alert> TakeProviderAlerts() override {
    return provider_stream_ ? provider_stream_->TakeAlerts() : std::vector<provider::Alert>();
  }
  const capture::PerfSources& sources() const override { return sources_; }
  capture::CaptureSession& capture() override { return *session_; }

 private:
  // A file that is being written.
  struct File {
    File(Destination destination, model::TaskTracker& tasks,
         const translate::TranslatorOptions& options);

    std::string name;
    std::shared_ptr<output::OutputFile> entry;  // null once the file has its name
    std::unique_ptr<sink::Sink> sink;
    fxt::ArchiveWriter archive;
    fxt::ProviderWriter writer;
    translate::Translator translator;
    provider::SectionWriter sections;
    uint64_t number = 0;
    uint64_t begin = 0;  // ns of CLOCK_MONOTONIC
    uint64_t start_bytes = 0;
  };

  StreamingRecording(RecordingConfig config, std::unique_ptr<capture::ProcIdentity> proc,
                     std::unique_ptr<capture::CaptureSession> session,
                     capture::PerfSources sources);

  void OnClockOffset(int64_t offset) override;
  void OnSnapshotTask(const fxr_task& task) override;
  void OnStart(uint64_t time) override;
  bool OnSlots(capture::SlotStream& slots) override;
  void OnSideEvent(const fxr_side_header& event) override;
  void OnGap(uint32_t cpu, uint64_t time) override;
  void OnBranchSample(const perf::BranchStackSample& sample) override;
  void OnMapping(uint64_t time, const perf::MmapRecord& record) override;
  void OnLoss(int32_t cpu, uint64_t time, uint32_t category, uint64_t count) override;
  void OnTick(uint64_t time) override;
  void OnFinalTask(const fxr_task& task) override { file_->translator.OnFinalTask(task); }

  // True for events between a stop and the next start, which are not in the file.
  bool IsBetween(uint64_t time) const {
    return was_stopped_ && time > stop_time_ && time < start_time_;
  }
  util::Status OpenFile();
  void BeginFile(uint64_t time);
  // Gives the file its name.
  util::Status Publish();
  bool IsRotationDue(uint64_t time) const;
  void Rotate(uint64_t time);
  // Closes the file on another thread, because the end of a compressed file takes time.
  void FinishFile(uint64_t end);
  CategoryTotals Totals() const;
  // Writes settings into the file, and keeps them for the files that follow.
  void WriteSettings(std::vector<settings::ReadSettings> read);
  void AskForRunProcesses(uint64_t time);

  RecordingConfig config_;
  ProviderControl providers_;
  std::unique_ptr<capture::ProcIdentity> proc_;
  std::optional<ProviderStream> provider_stream_;  // with providers; outlives the capture
  std::unique_ptr<capture::CaptureSession> session_;
  SettingsSource settings_;
  SettingsHistory settings_history_;  // used with rotated files only
  uint64_t settings_look_ = 0;        // time of the next AskForRunProcesses()
  const capture::PerfSources sources_;
  model::TaskTracker tasks_;
  std::atomic<bool> abandoned_ = false;
  std::unique_ptr<File> file_;
  std::vector<std::future<SnapshotResult>> finishing_;
  std::optional<util::Error> failed_;
  std::vector<TriggerFired> marks_;
  int64_t clock_offset_ = 0;
  bool begun_ = false;
  bool started_ = false;
  bool drained_ = true;
  bool was_stopped_ = false;
  uint64_t first_start_ = 0;
  uint64_t stop_time_ = 0;
  uint64_t start_time_ = 0;
  uint64_t flush_at_ = 0;
  uint64_t files_ = 0;
  CategoryTotals finished_;  // of complete files
  struct {
    uint64_t records = 0;
    uint64_t lost = 0;
  } finished_providers_;  // the same, of providers
};

}  // namespace session
