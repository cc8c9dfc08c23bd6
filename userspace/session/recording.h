// SPDX-License-Identifier: BSD-2-Clause
// A recording in the terms of fuchsia.tracing.controller. One thread drives it from a poll loop:
//
//   auto recording = MakeRecording(std::move(config), features);
//   recording->Start(BufferDisposition::kClearAll);
//   for (;;) {
//     recording->AddPollFds(fds);                 // beside those of the caller
//     poll(fds, recording->TimeoutMs());
//     recording->Turn();                          // never waits for a file or a reader
//     for (SnapshotResult& each : recording->TakeWritten()) ...
//   }
#pragma once

#include <poll.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "capture/bpf/kernel_features.h"
#include "capture/bpf/program_options.h"
#include "capture/perf_sources.h"
#include "fxt_record/event.h"
#include "output/open_timeout.h"
#include "provider/provider_set.h"
#include "request/trace_config.h"
#include "session/slot_counts.h"
#include "session/trigger_fired.h"
#include "sink/output.h"
#include "translate/file/session_info.h"
#include "translate/translation_stats.h"
#include "util/result.h"

namespace capture {
class CaptureSession;
}

namespace session {

// The time until the next turn if the last one did not read all events, ms.
inline constexpr int kUnfinishedMs = 1;

// The output of a trace: opened by the rules of output/, or a descriptor that a client passed.
struct Destination {
  sink::Output output;
  bool gzip = false;
  // Decides how long a write waits for the reader of a pipe or socket. Called on the writing
  // thread.
  output::KeepWaiting keep_waiting = {};
};

struct RecordingConfig {
  request::BufferingMode mode = request::BufferingMode::kStreaming;
  // The recording sets ring_bytes and ring_use.
  capture::ProgramOptions programs;
  // The size of all CPUs' rings together. Each ring is rounded down to a power of two. Streaming: 0
  // selects the default.
  uint64_t buffer_bytes = uint64_t{64} << 20;
  // Sources that use perf's rings. In a buffer they may use half of the memory.
  capture::PerfSourceOptions sources;
  // Receives messages for the user: sources that cannot be recorded, and their problems. May be
  // empty.
  std::function<void(const std::string&)> note;
  // The session's description in the file; the recording fills in ring_bytes and start_time.
  translate::SessionInfo info;
  // Streaming: the file, which takes its name at the first start ...
  std::optional<Destination> output;
  // ... or files one after another, numbered from 1, each with a limit in ns or bytes; 0: no limit.
  // TakeWritten() returns those that are complete.
  std::function<util::Result<Destination>(uint64_t number)> next_file;
  uint64_t rotate_time = 0;
  uint64_t rotate_bytes = 0;
  // Called once by the first Start(), when events are recorded and before a file takes its name. An
  // error fails the start. May be empty.
  std::function<util::Status()> started;
  // The providers, which outlive the recording; null: none. The recording fills in the mode of
  // `provider_session`.
  provider::ProviderSet* providers = nullptr;
  provider::ProviderSessionOptions provider_session;
};

struct RecordingStatus {
  bool started = false;
  request::BufferingMode mode = request::BufferingMode::kStreaming;
  bool buffer_full = false;      // oneshot: the recording has stopped by itself
  uint64_t covered = 0;          // ns that a snapshot would cover; streaming: since the start
  uint64_t events = 0;           // since the first start
  uint64_t lost = 0;             // of them, those that will be in no file
  uint64_t cpu_time = 0;         // of this process, ns
  uint64_t ring_bytes = 0;       // of one CPU's ring
  uint64_t buffer_bytes = 0;     // of all rings
  uint64_t journal_bytes = 0;    // of task events in the window
  uint64_t record_bytes = 0;     // streaming: of the current file, before compression
  uint64_t snapshots = 0;        // written
  uint32_t fullest_percent = 0;  // how full the fullest ring was at the last turn
  bool writing = false;          // a snapshot is being written
};

// Events and lost events by category since the first start.
struct CategoryTotals {
  CategoryCounts events{};
  CategoryCounts lost{};
};

struct SnapshotRequest {
  Destination destination;
  // The length of the snapshot in ns before its end; 0: all of the buffer.
  uint64_t last = 0;
  // The end of the snapshot, ns of the kernel's CLOCK_MONOTONIC; 0: now.
  uint64_t until = 0;
  // The file gets an instant for each.
  std::vector<TriggerFired> fired = {};
  // A user other than root requested it. Snapshots of root and of triggers are written before it.
  bool of_member = false;
};

// Counters of a streamed file.
struct FileTotals {
  translate::TranslationStats translation;
  std::map<std::pair<int32_t, uint32_t>, uint64_t> lost;  // lost events by CPU and category
  uint64_t start_bytes = 0;     // records of the session and of the tasks at its start
  uint64_t record_bytes = 0;    // all records, before compression
  uint64_t accepted_bytes = 0;  // of them, those that the output accepted
  uint64_t refused_records = 0;
  uint64_t thread_tables = 0;
  uint64_t threads_alive = 0;
};

// The result of a snapshot, or of one file of a streaming recording.
struct SnapshotResult {
  uint64_t number = 0;  // returned by Snapshot(), or the number of the file
  util::Status status = util::Ok();
  std::string name;  // of the output
  request::WrittenTrace trace;
  uint64_t lost = 0;  // events that the file reports as lost
  uint64_t took = 0;  // ns from the request until the file is closed
  std::vector<TriggerFired> fired = {};
  std::optional<FileTotals> totals;  // streaming
};

class Recording {
 public:
  // Stops the recording. Finishes the snapshots being written, unless Abandon() was called.
  virtual ~Recording() = default;

  // Starts recording. An error if it is already started or cannot start.
  virtual util::Status Start(request::BufferDisposition disposition) = 0;
  // Records no event after this call. Keeps the buffer for Snapshot() and for the next start, and
  // continues to track the tasks of the machine. Does nothing if the recording is stopped.
  virtual util::Status Stop() = 0;

  // Adds the descriptors that signal pending work, with POLLIN.
  virtual void AddPollFds(std::vector<pollfd>& fds) const = 0;
  // The latest time of the next Turn(), ms from now.
  virtual int TimeoutMs() const = 0;
  // Processes new events. Streaming: an error of the output ends the recording.
  virtual util::Status Turn() = 0;

  // Begins to write the buffer's current content while the recording continues. Returns the number
  // of the snapshot. Snapshots are copied in the order of the calls. An error before the first
  // start, in streaming mode, and if too many are pending.
  virtual util::Result<uint64_t> Snapshot(SnapshotRequest request) = 0;
  // Snapshots and files that were finished since the last call, including failed ones.
  virtual std::vector<SnapshotResult> TakeWritten() = 0;
  // Fails the snapshots that are being written or pending.
  virtual void Abandon() = 0;

  // Streaming: completes the file. An error the second time.
  virtual util::Result<SnapshotResult> Close() = 0;

  // Streaming: adds an instant of this name at this time. In the other modes the instants are part
  // of the snapshot request.
  virtual void Mark(const TriggerFired& fired) = 0;

  // Replaces RecordingConfig::info; for callers that need capture() to fill it in. Before the first
  // start.
  virtual void Describe(translate::SessionInfo info) = 0;
  // ns of the kernel's CLOCK_MONOTONIC, the clock of the events.
  virtual uint64_t Now() = 0;
  virtual RecordingStatus status() const = 0;
  // Counts the slots since the last call; see SlotCounts.
  virtual CategoryTotals CountCategories() = 0;
  // The last task with this tid, if it is still known.
  virtual std::optional<fxr_task> FindTask(uint32_t tid) = 0;
  // Alerts of providers since the last call.
  virtual std::vector<provider::Alert> TakeProviderAlerts() = 0;
  // The sources of RecordingConfig::sources that are recorded.
  virtual const capture::PerfSources& sources() const = 0;
  // The capture of this recording, for filters and counters.
  virtual capture::CaptureSession& capture() = 0;
};

// Loads the BPF programs. Records nothing until Start().
util::Result<std::unique_ptr<Recording>> MakeRecording(RecordingConfig config,
                                                       const capture::KernelFeatures& features);

}  // namespace session
