// SPDX-License-Identifier: BSD-2-Clause
// Connects the events of a capture with the thread that reads settings: decides which processes are
// read and when.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_set>
#include <vector>

#include "capture/capture_session.h"
#include "fxt_record/event.h"
#include "schema/settings.h"
#include "settings/settings_collector.h"

namespace session {

class SettingsSource {
 public:
  // `capture` outlives this object. `reads_all`: reads every process, because the caller does not
  // know which ones run. Otherwise reads those passed to Ask() and those that execute a program.
  SettingsSource(capture::CaptureSession& capture, bool reads_all)
      : capture_(capture), reads_all_(reads_all) {}

  // True if the recording has settings.
  bool wanted() const { return capture_.options().categories.test(FXR_CATEGORY_SETTINGS); }
  // Call before the capture starts. `command`: the process of the recorded command, as numbered in
  // the file; 0: none.
  void Start(uint32_t command);
  // Call when the recorded command may execute its program.
  void OnStarted();
  void OnSnapshotTask(const fxr_task& task);
  void OnSideEvent(const fxr_side_header& event);
  // Reads the settings of a process, which runs.
  void Ask(uint32_t tgid);
  // Settings that were read since the last call, in time order, up to `until`. Times are those of
  // the capture's clock.
  std::vector<settings::ReadSettings> Take(uint64_t until = UINT64_MAX);
  // The same after reading again the settings that may have changed. Waits at most `timeout` ns.
  std::vector<settings::ReadSettings> Refresh(uint64_t timeout);

 private:
  void AskNow(uint32_t tgid, uint64_t delay);
  void OnFork(const fxr_task& task);
  void OnExec(const fxr_exec& event);
  void OnExit(const fxr_exit& event);
  settings::ProcessUse UseOf(uint32_t tgid) const;

  capture::CaptureSession& capture_;
  const bool reads_all_;
  std::optional<settings::SettingsCollector> collector_;
  uint32_t command_ = 0;
  bool awaits_exec_ = false;            // the command's first program has not been reported
  std::unordered_set<uint32_t> tree_;   // live processes of the command
  std::unordered_set<uint32_t> asked_;  // live processes
};

}  // namespace session
