// SPDX-License-Identifier: BSD-2-Clause
// Writes snapshots on a thread of its own, one at a time.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <thread>

#include "session/recording.h"
#include "session/window.h"
#include "session/window_writer.h"
#include "util/unique_fd.h"

namespace session {

class SnapshotThread {
 public:
  struct Job {
    Window window;
    WindowWriterOptions options;
    Destination destination;
    uint64_t number = 0;
    uint64_t asked_at = 0;  // ns of util::MonotonicNow()
  };

  SnapshotThread();
  // Waits for the current job.
  ~SnapshotThread();

  // Must not be called while busy().
  void Begin(Job job);
  bool busy() const { return thread_.joinable(); }
  // The result of the finished job, once. Ends busy().
  std::optional<SnapshotResult> TakeDone();
  // Readable when a result is available.
  int fd() const { return done_fd_.get(); }
  // Ends current and later waits for readers of pipes.
  void Abandon() { abandoned_ = true; }

 private:
  void Run(Job& job);

  std::atomic<bool> abandoned_ = false;
  std::atomic<bool> done_ = false;
  util::UniqueFd done_fd_;
  SnapshotResult written_;  // owned by the thread until done_
  std::thread thread_;
};

}  // namespace session
