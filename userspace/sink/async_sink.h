// SPDX-License-Identifier: BSD-2-Clause
// Runs another sink on a thread of its own.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "sink/sink.h"

namespace sink {

// Whoever drains the kernel's buffers must not wait for a compressor or a slow disk. Chunks are
// copied into a queue of bounded size; when it is full, Write() waits, so nothing is dropped here.
//
// An error of the inner sink shows at a later Write() or Flush() than the one that caused it, and
// in Close() at the latest.
class AsyncSink final : public Sink {
 public:
  static constexpr size_t kDefaultQueueBytes = size_t{1} * 1024 * 1024;

  // A chunk larger than `queue_bytes` waits for the queue to be empty.
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
  // Waits for work. False when there is none left and none will come.
  bool Take(Work& work);
  void Done(Work work, bool ok);
  void PublishCounts();

  const std::unique_ptr<Sink> inner_;
  const size_t queue_bytes_;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Work> queue_;    // under mutex_, as are the next two
  std::vector<Chunk> spare_;  // emptied chunks, to be filled again
  bool closing_ = false;

  std::atomic<uint64_t> queued_ = 0;  // bytes in queue_ or on their way into the inner sink
  std::atomic<uint64_t> inner_accepted_ = 0;
  std::atomic<uint64_t> inner_on_disk_ = 0;
  std::atomic<bool> failed_ = false;
  std::thread thread_;
};

}  // namespace sink
