// SPDX-License-Identifier: BSD-2-Clause
// Runs another sink on a thread of its own.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <semaphore>
#include <thread>
#include <vector>

#include "sink/sink.h"
#include "util/priority_mutex.h"

namespace sink {

// Copies chunks into a bounded queue that the thread writes to the inner sink, so that the
// collector does not wait for a compressor. The inner sink learns how full the queue is
// (SetPressure). While the queue is full, Write() does the thread's work itself: no chunk is
// dropped, and a thread that gets no CPU does not block the collector.
//
// An error of the inner sink appears at a later Write() or Flush(), and in Close() at the latest.
class AsyncSink final : public Sink {
 public:
  // About 0.1 s of three million events per second.
  static constexpr size_t kDefaultQueueBytes = size_t{16} * 1024 * 1024;

  explicit AsyncSink(std::unique_ptr<Sink> inner, size_t queue_bytes = kDefaultQueueBytes);
  ~AsyncSink() override;

  bool Write(std::span<const std::byte> records) override;
  // Returns at once: the thread flushes the inner sink after it has written the earlier chunks.
  bool Flush() override;
  // Waits until the inner sink has everything.
  util::Status Close() override;
  uint64_t bytes_accepted() const override { return inner_accepted_ + queued_.load(); }
  uint64_t bytes_on_disk() const override { return inner_on_disk_; }

 private:
  using Chunk = std::vector<std::byte>;
  // A chunk to write and then, if `flush`, a flush.
  struct Work {
    Chunk chunk;
    bool flush = false;
  };

  void Run();
  // Passes the oldest work to the inner sink; false if the queue is empty. Requires inner_mutex_.
  bool Advance();
  Chunk TakeSpare();
  void PublishCounts();

  const std::unique_ptr<Sink> inner_;
  const size_t queue_bytes_;

  // Locked before queue_mutex_, from the removal of work until it is done: chunks stay in order.
  util::PriorityMutex inner_mutex_;
  util::PriorityMutex queue_mutex_;
  std::deque<Work> queue_;    // queue_mutex_ guards it and the next two
  std::vector<Chunk> spare_;  // empty chunks for reuse
  bool closing_ = false;

  std::counting_semaphore<> work_{0};  // released after a push and when closing_ is set
  std::atomic<uint64_t> queued_ = 0;   // bytes in queue_ or being written to the inner sink
  std::atomic<uint64_t> inner_accepted_ = 0;
  std::atomic<uint64_t> inner_on_disk_ = 0;
  std::atomic<bool> failed_ = false;
  std::thread thread_;
};

}  // namespace sink
