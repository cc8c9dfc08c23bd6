// SPDX-License-Identifier: BSD-2-Clause
// Writes the snapshot files of a buffered recording: those of its triggers, of SIGUSR1, and of the
// end of the recording.
#pragma once

#include <poll.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "control/protocol/reply.h"
#include "output/open_timeout.h"
#include "session/recording.h"
#include "session/trigger/trigger_set.h"
#include "session/trigger/trigger_spec.h"
#include "tools/record/driver/file_names.h"
#include "util/result.h"

namespace tools {

struct TriggerOptions {
  std::vector<session::TriggerSpec> triggers;
  uint64_t before = 0;  // ns; 0: all of the buffer
  uint64_t after = 0;   // ns
  std::string output;   // a pattern, see output::NamePattern
};

struct SnapshotFileOptions {
  TriggerOptions triggers;
  bool gzip = false;  // names that end in .gz are compressed anyway
  // Decides how long to wait for the reader of a FIFO, to open it and to write into it; empty: no
  // limit.
  output::KeepWaiting open_wait;
  output::KeepWaiting write_wait;
  // Called with lines for people, and with errors, on the thread that drives the recording.
  std::function<void(const std::string&)> note;
  std::function<void(const util::Error&)> fail;
};

// Used on the thread that drives the recording.
class SnapshotFiles {
 public:
  // `recording` and `names` outlive it.
  static util::Result<std::unique_ptr<SnapshotFiles>> Make(SnapshotFileOptions options,
                                                           session::Recording& recording,
                                                           FileNames& names);

  // Watches the recording from its start on.
  void Begin() { triggers_->Begin(); }
  void AddPollFds(std::vector<pollfd>& fds) const { triggers_->AddPollFds(fds); }
  // The latest time of the next Turn(), ms from now; -1: none.
  int TimeoutMs() const { return triggers_->TimeoutMs(); }
  // Evaluates the triggers and begins to write snapshots that are due.
  void Turn(std::span<const pollfd> polled);

  void OnAlert(std::string_view name) { triggers_->OnAlert(name); }
  void OnExit(int status) { triggers_->OnExit(status); }
  // False if no trigger waits for SIGUSR1.
  bool OnSignal() { return triggers_->OnSignal(); }
  // Writes all of the buffer.
  void WriteNow() { Write({}); }
  // Writes the pending snapshots at the end of the recording, without the rest of their `after`.
  void Finish() { WriteDue(true); }

  // Reports the result of a snapshot; false if another caller requested it.
  bool Take(const session::SnapshotResult& result);
  bool writing() const { return !pending_.empty(); }

  const session::TriggerSet& triggers() const { return *triggers_; }
  std::vector<control::TriggerStatus> status() const;

 private:
  SnapshotFiles(SnapshotFileOptions options, session::Recording& recording, FileNames& names)
      : options_(std::move(options)), recording_(recording), names_(names) {}

  void WriteDue(bool all);
  void Write(session::DueSnapshot due);

  const SnapshotFileOptions options_;
  session::Recording& recording_;
  FileNames& names_;
  std::unique_ptr<session::TriggerSet> triggers_;
  std::map<uint64_t, std::string> pending_;  // number of the snapshot -> text of its trigger
  std::map<std::string, uint64_t, std::less<>> files_;  // written, by trigger
};

// "wakeup_latency > 20ms: 25.3 ms, thread worker 1234". `thread`: its name; empty if it is not
// known.
std::string DescribeTrigger(const session::TriggerFired& fired, std::string_view thread);

// "wrote FILE (1.2 MiB, 3,400 events, the last 10 s, LOST 7) in 12 ms". `streamed`: without "the
// last".
std::string DescribeWritten(const session::SnapshotResult& result, bool streamed);

}  // namespace tools
