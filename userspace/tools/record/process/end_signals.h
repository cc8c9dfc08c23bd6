// SPDX-License-Identifier: BSD-2-Clause
// Receives the signals that end a recording and the waits after it.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>

#include "util/unique_fd.h"

namespace tools {

class EndSignals {
 public:
  // Blocks SIGINT, SIGTERM, SIGHUP and SIGCHLD, and queues them for Look(). An ignored SIGHUP stays
  // ignored (nohup). Ignores SIGPIPE. Call it before the first thread starts and after the fork of
  // the command.
  void Take();
  // The same for SIGUSR1. Directly after Take().
  void TakeSnapshotSignal();

  // Readable when a signal is queued.
  int fd() const { return fd_.get(); }
  // Counts the queued signals. From any thread.
  void Look();

  // The requests for the end so far.
  uint32_t count() const { return count_; }
  // The requests for a file (SIGUSR1) so far, after TakeSnapshotSignal().
  uint32_t snapshot_requests() const { return snapshot_requests_; }
  // The numbers of the first and the last signal; 0: none yet.
  int first() const { return first_; }
  int last() const { return last_; }
  // True if a terminal sent the first one, to its whole foreground process group.
  bool from_terminal() const { return from_terminal_; }

 private:
  util::UniqueFd fd_;
  std::mutex mutex_;
  uint64_t last_time_ = 0;  // ns of CLOCK_MONOTONIC, under mutex_
  std::atomic<uint32_t> count_ = 0;
  std::atomic<uint32_t> snapshot_requests_ = 0;
  std::atomic<int> first_ = 0;
  std::atomic<int> last_ = 0;
  std::atomic<bool> from_terminal_ = false;
};

}  // namespace tools
