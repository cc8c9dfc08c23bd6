// SPDX-License-Identifier: BSD-2-Clause
#include "session/snapshot_thread.h"

#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>

#include <memory>
#include <utility>

#include "sink/open_sink.h"
#include "util/allocator.h"
#include "util/clock.h"

namespace session {

SnapshotThread::SnapshotThread() : done_fd_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

SnapshotThread::~SnapshotThread() {
  if (thread_.joinable()) thread_.join();
}

void SnapshotThread::Begin(Job job) {
  done_ = false;
  thread_ = std::thread([this, held = std::make_unique<Job>(std::move(job))]() mutable {
    Run(*held);
    // Frees the copy of the buffer before the next job can begin.
    held.reset();
    util::ReturnFreePages();
    done_ = true;
    const uint64_t one = 1;
    static_cast<void>(!write(done_fd_.get(), &one, sizeof(one)));
  });
}

void SnapshotThread::Run(Job& job) {
  // A higher priority, because snapshots are taken when the machine is busy. Has no effect without
  // CAP_SYS_NICE.
  constexpr int kNiceness = -5;
  setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), kNiceness);
  written_ = SnapshotResult{};
  written_.number = job.number;
  written_.name = job.destination.output.name();
  written_.fired = job.options.fired;
  job.destination.output.WaitWhile([this, keep_waiting = std::move(job.destination.keep_waiting)] {
    return !abandoned_ && (!keep_waiting || keep_waiting());
  });
  const std::shared_ptr<output::OutputFile> file = job.destination.output.file();
  const sink::SinkOptions options{.path = "", .gzip = job.destination.gzip};
  const std::unique_ptr<sink::Sink> sink =
      sink::MakeSink(std::move(job.destination.output), options);
  const WindowStats stats = WriteWindow(std::move(job.window), job.options, *sink);
  // An incomplete file does not take its name.
  if (!sink->Flush() && file) file->Discard();
  written_.status = sink->Close();
  written_.trace.bytes = sink->bytes_on_disk();
  written_.trace.covered = stats.covered;
  written_.trace.events = stats.events;
  written_.lost = stats.lost;
  written_.took = util::MonotonicNow() - job.asked_at;
}

std::optional<SnapshotResult> SnapshotThread::TakeDone() {
  if (!thread_.joinable() || !done_) return std::nullopt;
  thread_.join();
  uint64_t count = 0;
  static_cast<void>(!read(done_fd_.get(), &count, sizeof(count)));
  return std::move(written_);
}

}  // namespace session
