// SPDX-License-Identifier: BSD-2-Clause
// A oneshot or circular recording. Slots stay in the kernel's rings until a snapshot copies them.
// The journal keeps the events of the side ring for the same period.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "capture/capture_session.h"
#include "capture/event_handler.h"
#include "capture/perf_sources.h"
#include "capture/proc_identity.h"
#include "capture/rings/head_history.h"
#include "session/durable_tasks.h"
#include "session/journal.h"
#include "session/journal_mappings.h"
#include "session/providers/provider_control.h"
#include "session/recording.h"
#include "session/settings_history.h"
#include "session/settings_source.h"
#include "session/slot_counts.h"
#include "session/snapshot_thread.h"

namespace session {

class BufferedRecording final : public Recording, private capture::EventHandler {
 public:
  static util::Result<std::unique_ptr<Recording>> Make(RecordingConfig config,
                                                       const capture::KernelFeatures& features);
  ~BufferedRecording() override;

  util::Status Start(request::BufferDisposition disposition) override;
  util::Status Stop() override;
  void AddPollFds(std::vector<pollfd>& fds) const override;
  int TimeoutMs() const override;
  util::Status Turn() override;
  util::Result<uint64_t> Snapshot(SnapshotRequest request) override;
  std::vector<SnapshotResult> TakeWritten() override { return std::move(written_); }
  void Abandon() override;
  util::Result<SnapshotResult> Close() override {
    return util::Error{"there is no file to close: the buffer is written by snapshots", ""};
  }
  void Mark(const TriggerFired&) override {}
  void Describe(translate::SessionInfo info) override { config_.info = std::move(info); }
  uint64_t Now() override { return session_->Now(); }
  std::optional<fxr_task> FindTask(uint32_t tid) override;
  RecordingStatus status() const override;
  CategoryTotals CountCategories() override;
  std::vector<provider::Alert> TakeProviderAlerts() override { return providers_.TakeAlerts(); }
  const capture::PerfSources& sources() const override { return sources_; }
  capture::CaptureSession& capture() override { return *session_; }

 private:
  struct Waiting {
    uint64_t number;
    uint64_t asked_at;
    SnapshotRequest request;
  };
  BufferedRecording(RecordingConfig config, std::unique_ptr<capture::ProcIdentity> proc,
                    std::unique_ptr<capture::CaptureSession> session, capture::PerfSources sources);

  // Events of the capture. Slots stay in their rings.
  void OnClockOffset(int64_t offset) override;
  void OnSnapshotTask(const fxr_task& task) override {
    durable_.OnSnapshotTask(task);
    settings_.OnSnapshotTask(task);
  }
  void OnStart(uint64_t time) override;
  bool OnSlots(capture::SlotStream&) override { return true; }
  void OnSideEvent(const fxr_side_header& event) override;
  void OnBranchSample(const perf::BranchStackSample& sample) override;
  void OnMapping(uint64_t time, const perf::MmapRecord& record) override {
    mappings_.OnMapping(time, record);
  }
  void OnLoss(int32_t cpu, uint64_t time, uint32_t category, uint64_t count) override;
  void OnTick(uint64_t) override {}
  void OnFinalTask(const fxr_task&) override {}

  // True for events between a stop and the next start.
  bool IsBetween(uint64_t time) const { return time > stop_time_ && time < start_time_; }
  util::Status StartAgain(request::BufferDisposition disposition);
  void StopWhenFull();
  void StopAt(uint64_t time);
  void NoteHeads();
  // The time from which the rings are complete, approximately; ns.
  uint64_t LeftEdge() const;
  // Drops journal events that are older than the window.
  void Trim();
  // Writes all present tasks into the journal, because events of tasks were lost.
  void ReadTasksAgain();
  void KeepSettings(std::vector<settings::ReadSettings> read);
  util::Result<Window> TakeWindow(const SnapshotRequest& request);
  void BeginNextSnapshot();
  void Fail(const Waiting& snapshot, util::Error why);

  RecordingConfig config_;
  ProviderControl providers_;
  const size_t journal_limit_;  // bytes
  std::unique_ptr<capture::ProcIdentity> proc_;
  std::unique_ptr<capture::CaptureSession> session_;
  const capture::PerfSources sources_;
  std::vector<capture::SlotRing> rings_;
  capture::HeadHistory notes_;
  std::vector<uint64_t> floors_;  // by ring, the first slot of the window
  DurableTasks durable_;
  Journal journal_;
  JournalMappings mappings_;
  SettingsSource settings_;
  SettingsHistory settings_history_;
  bool begun_ = false;  // was started at least once
  bool started_ = false;
  bool full_ = false;
  bool drained_ = true;
  bool read_again_ = false;
  uint64_t floor_time_ = 0;           // the earliest left edge, ns of CLOCK_MONOTONIC
  uint64_t stop_time_ = 0;            // of the last stop
  uint64_t start_time_ = UINT64_MAX;  // of the start after it
  uint64_t end_time_ = 0;             // while it is stopped, the end of the window
  uint64_t lost_tasks_ = 0;
  uint64_t lost_by_perf_ = 0;
  SlotCounts slot_counts_;
  uint64_t next_number_ = 1;
  uint64_t snapshots_ = 0;
  std::deque<Waiting> waiting_;
  std::vector<SnapshotResult> written_;
  SnapshotThread thread_;
};

}  // namespace session
