// SPDX-License-Identifier: BSD-2-Clause
#include "sink/async_sink.h"

#include <sys/resource.h>
#include <unistd.h>

#include <pthread.h>

#include <csignal>
#include <utility>

namespace sink {
namespace {

// Starts a thread that no signal is delivered to: they belong to the threads that wait for them.
template <typename Function>
std::thread StartWithoutSignals(Function&& function) {
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  std::thread thread(std::forward<Function>(function));
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return thread;
}

}  // namespace

AsyncSink::AsyncSink(std::unique_ptr<Sink> inner, size_t queue_bytes)
    : inner_(std::move(inner)), queue_bytes_(queue_bytes) {
  PublishCounts();
  thread_ = StartWithoutSignals([this] { Run(); });
}

AsyncSink::~AsyncSink() { static_cast<void>(Close()); }

bool AsyncSink::Write(std::span<const std::byte> records) {
  std::unique_lock lock(mutex_);
  if (closing_) return false;
  changed_.wait(
      lock, [&] { return failed_ || queued_ == 0 || queued_ + records.size() <= queue_bytes_; });
  if (failed_) return false;
  Chunk chunk;
  if (!spare_.empty()) {
    chunk = std::move(spare_.back());
    spare_.pop_back();
  }
  chunk.assign(records.begin(), records.end());
  queue_.push_back({.chunk = std::move(chunk), .flush = false});
  queued_ += records.size();
  changed_.notify_all();
  return true;
}

bool AsyncSink::Flush() {
  const std::lock_guard lock(mutex_);
  if (failed_ || closing_) return false;
  if (queue_.empty()) queue_.emplace_back();
  queue_.back().flush = true;
  changed_.notify_all();
  return true;
}

util::Status AsyncSink::Close() {
  if (thread_.joinable()) {
    {
      const std::lock_guard lock(mutex_);
      closing_ = true;
      changed_.notify_all();
    }
    thread_.join();
  }
  auto status = inner_->Close();
  PublishCounts();
  return status;
}

void AsyncSink::PublishCounts() {
  inner_accepted_ = inner_->bytes_accepted();
  inner_on_disk_ = inner_->bytes_on_disk();
}

bool AsyncSink::Take(Work& work) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return !queue_.empty() || closing_; });
  if (queue_.empty()) return false;
  work = std::move(queue_.front());
  queue_.pop_front();
  return true;
}

void AsyncSink::Done(Work work, bool ok) {
  // More than the queue holds of full chunks are not worth keeping.
  constexpr size_t kMostSpare = 8;
  const std::lock_guard lock(mutex_);
  PublishCounts();
  queued_ -= work.chunk.size();
  if (work.chunk.capacity() != 0 && spare_.size() < kMostSpare) {
    spare_.push_back(std::move(work.chunk));
  }
  if (!ok) {
    failed_ = true;
    // What is still queued can go nowhere.
    queue_.clear();
    queued_ = 0;
  }
  changed_.notify_all();
}

void AsyncSink::Run() {
  // Before what is being recorded, if that is allowed: whoever fills the queue must not wait long.
  setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), -20);
  Work work;
  while (Take(work)) {
    bool ok = work.chunk.empty() || inner_->Write(work.chunk);
    if (work.flush) ok = inner_->Flush() && ok;
    Done(std::move(work), ok);
  }
}

}  // namespace sink
