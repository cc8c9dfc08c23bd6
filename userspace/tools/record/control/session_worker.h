// SPDX-License-Identifier: BSD-2-Clause
// Runs the sessions of a controller on a thread of their own.
#pragma once

#include <poll.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "capture/bpf/category.h"
#include "capture/bpf/kernel_features.h"
#include "control/controller/engine.h"
#include "control/server/mailbox.h"
#include "provider/provider_set.h"
#include "tools/record/control/snapshot_delivery.h"
#include "tools/record/driver/file_names.h"
#include "tools/record/driver/recording_driver.h"
#include "tools/record/options/record_options.h"

namespace tools {

// Settings of all sessions of a controller.
struct SessionDefaults {
  uint64_t buffer_bytes = uint64_t{64} << 20;
  std::string command_line;  // for the description in the file
  bool verbose = false;
  TriggerOptions triggers;  // of sessions that keep a buffer
};

// All calls come from the thread of Run(), except the constructor, inbox() and Quit().
class SessionWorker {
 public:
  // Called on the thread of Run().
  struct Events {
    std::function<void(std::string reason)> stopped;  // the recording has ended by itself
    std::function<void(std::string line)> note;       // for people
    std::function<void(std::string name)> alert;      // of a provider
  };

  // `features` and `providers` outlive it.
  SessionWorker(const capture::KernelFeatures& features, SessionDefaults defaults,
                provider::ProviderSet& providers, Events events);

  // Records, and runs what is posted to the inbox, until Quit().
  void Run();
  void Quit();
  control::Mailbox& inbox() { return inbox_; }
  // From any thread. From now on the reader of a stream has kReaderTimeoutNs to take what waits for
  // it; the next start lifts the limit.
  void LimitStreamWait();

  // As those of control::Engine.
  control::Outcome Initialize(const request::TraceConfig& config,
                              std::optional<control::TraceOutput> output);
  control::Outcome Start(const request::StartOptions& options);
  control::Outcome Stop();
  void Write(control::TraceOutput output, uint64_t last, const std::function<void()>& copied,
             const control::Done& done);
  void Terminate(control::Done done);
  void Alert(const std::string& name);
  // Fires the triggers of SIGUSR1.
  void Signal();
  control::Status GetStatus();

 private:
  // A snapshot that is being copied out of the buffer.
  struct PendingWrite {
    control::TraceOutput output;         // closed if the snapshot goes to it directly
    util::UniqueFd spool = {};           // otherwise
    SnapshotDelivery::Place place = {};  // of the client, with `spool`
    std::function<void()> copied;
    control::Done done;
  };

  bool streaming() const { return config_.buffering_mode == request::BufferingMode::kStreaming; }
  util::Status Make(const capture::CategorySelection& categories);
  util::Status SetUpFiles(DriverConfig& config);
  util::Result<session::Destination> StreamingDestination() const;
  uint64_t BufferMegabytes() const;
  void Turn(const std::vector<pollfd>& fds);
  void OnWritten(const session::SnapshotResult& result);
  void Deliver(PendingWrite write, request::WrittenTrace trace);
  void KeepAlert(const std::string& name, uint64_t time);
  void TerminateIfDone();
  std::vector<session::TriggerFired> AlertsOfLast(uint64_t last) const;

  const capture::KernelFeatures& features_;
  const SessionDefaults defaults_;
  const Events events_;
  provider::ProviderSet& providers_;
  SnapshotDelivery delivery_;  // outlives the places in pending_writes_
  control::Mailbox inbox_;
  bool quit_ = false;
  bool realtime_ = false;

  // The session.
  request::TraceConfig config_;
  capture::CategorySelection categories_;
  std::optional<control::TraceOutput> output_;  // streaming
  std::optional<FileNames> names_;              // of files of triggers
  std::unique_ptr<RecordingDriver> driver_;
  std::vector<session::TriggerFired> alerts_;        // the last kMaxAlertsKept
  std::map<uint64_t, PendingWrite> pending_writes_;  // by number of the snapshot
  control::Done terminated_;
  // The time at which the reader of a stream has to be done, ns of util::MonotonicNow(); 0: no
  // limit.
  const std::shared_ptr<std::atomic<uint64_t>> write_deadline_ =
      std::make_shared<std::atomic<uint64_t>>(0);
};

}  // namespace tools
