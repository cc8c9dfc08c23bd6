// SPDX-License-Identifier: BSD-2-Clause
// Drives one recording: that of the foreground, of a command, and of the control service. Makes the
// recording from options, takes in its events, evaluates its triggers, and passes on alerts.
//
// One thread drives it from a poll loop:
//
//   auto driver = RecordingDriver::Make(features, options, std::move(config));
//   driver->Start(request::BufferDisposition::kClearAll);
//   for (;;) {
//     driver->AddPollFds(fds);  // beside those of the caller
//     poll(fds, driver->TimeoutMs());
//     driver->Turn(fds);
//   }
#pragma once

#include <poll.h>
#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "capture/bpf/kernel_features.h"
#include "control/protocol/reply.h"
#include "provider/provider_set.h"
#include "request/trace_config.h"
#include "session/recording.h"
#include "tools/record/driver/file_names.h"
#include "tools/record/driver/snapshot_files.h"
#include "tools/record/options/record_options.h"
#include "util/result.h"

namespace unwind {
class TableMaker;
}

namespace tools {

struct DriverConfig {
  request::BufferingMode mode = request::BufferingMode::kStreaming;
  uint64_t buffer_bytes = 0;  // of all CPUs together; streaming: 0 is the default
  bool realtime = false;      // the recorder has real-time priority
  // Streaming: the file, or the files one after another; see session::RecordingConfig.
  std::optional<session::Destination> output;
  std::function<util::Result<session::Destination>(uint64_t number)> next_file;
  // Names of snapshot files, which outlive the driver; null: only the caller takes snapshots.
  FileNames* names = nullptr;
  SnapshotFileOptions files;
  // Outlives the driver; null: no providers.
  provider::ProviderSet* providers = nullptr;
  provider::ProviderSessionOptions provider_session;
  std::optional<pid_t> command;  // the process that is recorded
  std::string program;           // the file that it will execute; empty: not known
  std::shared_ptr<unwind::TableMaker> table_maker;  // see capture::StackOptions
  // Called once, when events are recorded and before the output takes its name. An error ends the
  // start.
  std::function<util::Status()> started;

  // Called on the driving thread: lines for people; alerts of providers, with their time in ns of
  // the kernel's CLOCK_MONOTONIC; files and snapshots that SnapshotFiles does not report.
  std::function<void(const std::string&)> note;
  std::function<void(const std::string& name, uint64_t time)> alert;
  std::function<void(session::SnapshotResult)> written;
};

class RecordingDriver {
 public:
  // Loads the programs; records nothing yet. Drops from `options` the categories that the kernel
  // does not have and that come with a group.
  static util::Result<std::unique_ptr<RecordingDriver>> Make(
      const capture::KernelFeatures& features, RecordOptions options, DriverConfig config);
  RecordingDriver(const RecordingDriver&) = delete;
  RecordingDriver& operator=(const RecordingDriver&) = delete;

  util::Status Start(request::BufferDisposition disposition);
  // Stops the recording. Pending snapshots of triggers are written as they are.
  util::Status Stop();
  void AddPollFds(std::vector<pollfd>& fds) const;
  // The latest time of the next Turn(), ms from now.
  int TimeoutMs() const;
  // Takes in the events, reports files and alerts, and evaluates the triggers while it records. An
  // error of a streaming output ends the recording.
  util::Status Turn(std::span<const pollfd> polled);

  session::Recording& recording() { return *recording_; }
  const session::Recording& recording() const { return *recording_; }
  const RecordOptions& options() const { return options_; }
  // Null in streaming mode and without DriverConfig::names.
  SnapshotFiles* files() { return files_.get(); }
  bool begun() const { return begun_; }           // was started at least once
  bool recording_now() const { return active_; }  // between Start() and Stop()
  // State of the recording and its triggers, for the protocol.
  control::Status GetStatus();

 private:
  RecordingDriver(RecordOptions options, DriverConfig config)
      : options_(std::move(options)), config_(std::move(config)) {}

  util::Status MakeRecording(const capture::KernelFeatures& features);
  util::Status OnStarted();
  void CollectResults();
  void CollectAlerts();

  RecordOptions options_;
  DriverConfig config_;
  std::unique_ptr<session::Recording> recording_;
  std::unique_ptr<SnapshotFiles> files_;  // reads recording_
  bool begun_ = false;
  bool active_ = false;
  uint64_t started_at_ = 0;  // ns of util::MonotonicNow(); 0: not yet
};

// Costs of the process, with or without a recording.
control::Status ProcessStatus();

}  // namespace tools
