// SPDX-License-Identifier: BSD-2-Clause
// Writes snapshots, one at a time, beside the recording.
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
  // Waits for what is being written.
  ~SnapshotThread();

  // Only when it is not busy.
  void Begin(Job job);
  bool busy() const { return thread_.joinable(); }
  // What became of the job, once, after which it is not busy.
  std::optional<SnapshotResult> TakeDone();
  // Readable when there is something to take.
  int fd() const { return done_fd_.get(); }
  // Whoever waits for the reader of a pipe waits no longer, from now on.
  void Abandon() { abandoned_ = true; }

 private:
  void Run(Job& job);

  std::atomic<bool> abandoned_ = false;
  std::atomic<bool> done_ = false;
  util::UniqueFd done_fd_;
  SnapshotResult written_;  // the thread's until done_
  std::thread thread_;
};

}  // namespace session
