// SPDX-License-Identifier: BSD-2-Clause
// Runs long jobs on threads of its own.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace view {

class JobQueue {
 public:
  static constexpr size_t kMaxWaiting = 16;

  explicit JobQueue(unsigned threads) {
    for (unsigned i = 0; i < threads; ++i) threads_.emplace_back([this] { Work(); });
  }
  // Waits for running jobs, which check stops(). Drops pending jobs.
  ~JobQueue() {
    stops_ = true;
    wakes_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }
  JobQueue(const JobQueue&) = delete;
  JobQueue& operator=(const JobQueue&) = delete;

  // False if too many jobs are pending.
  bool Add(std::function<void()> job) {
    {
      const std::lock_guard lock(mutex_);
      if (jobs_.size() >= kMaxWaiting) return false;
      jobs_.push_back(std::move(job));
    }
    wakes_.notify_one();
    return true;
  }
  const std::atomic<bool>& stops() const { return stops_; }

 private:
  void Work() {
    for (;;) {
      std::function<void()> job;
      {
        std::unique_lock lock(mutex_);
        wakes_.wait(lock, [this] { return stops_ || !jobs_.empty(); });
        if (stops_) return;
        job = std::move(jobs_.front());
        jobs_.pop_front();
      }
      job();
    }
  }

  std::atomic<bool> stops_ = false;
  std::mutex mutex_;
  std::condition_variable wakes_;
  std::deque<std::function<void()>> jobs_;
  std::vector<std::thread> threads_;
};

}  // namespace view
