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

// Whoever drains the kernel's buffers must not wait for a compressor. Chunks are copied into a
// queue of bounded size. The inner sink is told how full it is, and when it is full all the same,
// Write() does what the thread would do, as if there were no thread: nothing is dropped here, and a
// thread that gets no CPU holds nobody up.
//
// An error of the inner sink shows at a later Write() or Flush() than the one that caused it, and
// in Close() at the latest.
class AsyncSink final : public Sink {
 public:
  // What comes in while the thread catches up with a tenth of a second of three million events a
  // second.
  static constexpr size_t kDefaultQueueBytes = size_t{16} * 1024 * 1024;

  explicit AsyncSink(std::unique_ptr<Sink> inner, size_t queue_bytes = kDefaultQueueBytes);
  ~AsyncSink() override;

  bool Write(std::span<const std::byte> records) override;
  // Does not wait: the inner sink is flushed when what was written before has reached it.
  bool Flush() override;
  // Waits for all of it.
  util::Status Close() override;
  uint64_t bytes_accepted() const override { return inner_accepted_ + queued_.load(); }
  uint64_t bytes_on_disk() const override { return inner_on_disk_; }

 private:
  using Chunk = std::vector<std::byte>;
  // A chunk to write, a flush to do (after it, if both).
  struct Work {
    Chunk chunk;
    bool flush = false;
  };

  void Run();
  // Brings the oldest work to the inner sink, under inner_mutex_. False when there is none.
  bool Advance();
  Chunk TakeSpare();
  void PublishCounts();

  const std::unique_ptr<Sink> inner_;
  const size_t queue_bytes_;

  // Taken before queue_mutex_. Who takes work off the queue holds it until the work is done, so
  // that chunks stay in order.
  util::PriorityMutex inner_mutex_;
  util::PriorityMutex queue_mutex_;
  std::deque<Work> queue_;    // under queue_mutex_, as are the next two
  std::vector<Chunk> spare_;  // emptied chunks, to be filled again
  bool closing_ = false;

  std::counting_semaphore<> work_{0};  // something was put into the queue, or closing_ set
  std::atomic<uint64_t> queued_ = 0;   // bytes in queue_ or on their way into the inner sink
  std::atomic<uint64_t> inner_accepted_ = 0;
  std::atomic<uint64_t> inner_on_disk_ = 0;
  std::atomic<bool> failed_ = false;
  std::thread thread_;
};

}  // namespace sink
