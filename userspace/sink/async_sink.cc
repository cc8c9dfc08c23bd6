// SPDX-License-Identifier: BSD-2-Clause
#include "sink/async_sink.h"

#include <sys/resource.h>
#include <unistd.h>

#include <pthread.h>

#include <csignal>
#include <mutex>
#include <utility>

namespace sink {
namespace {

// Starts a thread with all signals blocked, so that the kernel delivers them to other threads.
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

AsyncSink::Chunk AsyncSink::TakeSpare() {
  const std::lock_guard lock(queue_mutex_);
  if (spare_.empty()) return {};
  Chunk chunk = std::move(spare_.back());
  spare_.pop_back();
  return chunk;
}

bool AsyncSink::Write(std::span<const std::byte> records) {
  Chunk chunk = TakeSpare();
  chunk.assign(records.begin(), records.end());
  {
    const std::lock_guard lock(queue_mutex_);
    if (failed_ || closing_) return false;
    queue_.push_back({.chunk = std::move(chunk), .flush = false});
    queued_ += records.size();
  }
  work_.release();
  while (queued_ > queue_bytes_) {
    const std::lock_guard lock(inner_mutex_);
    // The thread may have emptied the queue meanwhile.
    if (queued_ <= queue_bytes_ || !Advance()) break;
  }
  return !failed_;
}

bool AsyncSink::Flush() {
  {
    const std::lock_guard lock(queue_mutex_);
    if (failed_ || closing_) return false;
    if (queue_.empty()) queue_.emplace_back();
    queue_.back().flush = true;
  }
  work_.release();
  return true;
}

util::Status AsyncSink::Close() {
  if (thread_.joinable()) {
    {
      const std::lock_guard lock(queue_mutex_);
      closing_ = true;
    }
    work_.release();
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

bool AsyncSink::Advance() {
  // A burst of chunks.
  constexpr size_t kMostSpare = 32;
  Work work;
  {
    const std::lock_guard lock(queue_mutex_);
    if (queue_.empty()) return false;
    work = std::move(queue_.front());
    queue_.pop_front();
  }
  inner_->SetPressure(static_cast<double>(queued_) / static_cast<double>(queue_bytes_));
  bool ok = work.chunk.empty() || inner_->Write(work.chunk);
  if (work.flush) ok = inner_->Flush() && ok;

  const std::lock_guard lock(queue_mutex_);
  PublishCounts();
  queued_ -= work.chunk.size();
  if (work.chunk.capacity() != 0 && spare_.size() < kMostSpare) {
    spare_.push_back(std::move(work.chunk));
  }
  if (!ok) {
    failed_ = true;
    // The sink accepts nothing after an error.
    queue_.clear();
    queued_ = 0;
  }
  return true;
}

void AsyncSink::Run() {
  // Runs before the recorded load if permitted, so that the queue does not fill up.
  setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), -20);
  for (;;) {
    work_.acquire();
    bool any = true;
    while (any) {
      const std::lock_guard lock(inner_mutex_);
      any = Advance();
    }
    const std::lock_guard lock(queue_mutex_);
    if (closing_ && queue_.empty()) return;
  }
}

}  // namespace sink
