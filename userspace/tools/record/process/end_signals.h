// SPDX-License-Identifier: BSD-2-Clause
// The signals that end a recording, and then the waits after it.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>

#include "util/unique_fd.h"

namespace tools {

class EndSignals {
 public:
  // From now on SIGINT, SIGTERM and SIGHUP wait to be looked at, and so does SIGCHLD; a SIGHUP that
  // is ignored stays so (nohup). What the recorder writes to fails instead of killing it. Before
  // any thread is started, after the command was forked.
  void Take();
  // SIGUSR1 is looked at too. Right behind Take().
  void TakeSnapshotSignal();

  // Becomes readable when there is something to look at.
  int fd() const { return fd_.get(); }
  // Counts what came. From any thread.
  void Look();

  // How often somebody asked for the end so far.
  uint32_t count() const { return count_; }
  // How often somebody asked for a file by SIGUSR1, once TakeSnapshotSignal was called.
  uint32_t snapshot_requests() const { return snapshot_requests_; }
  // The number of the first signal, 0 while there was none; and of the last.
  int first() const { return first_; }
  int last() const { return last_; }
  // A terminal sent the first one, to all of its foreground process group.
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
