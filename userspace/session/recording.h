// SPDX-License-Identifier: BSD-2-Clause
// A recording as whoever controls it sees it, in the terms of fuchsia.tracing.controller: the
// foreground command, and a session that others control. One thread drives it from a poll loop:
//
//   auto recording = MakeRecording(std::move(config), features);
//   recording->Start(BufferDisposition::kClearAll);
//   for (;;) {
//     recording->AddPollFds(fds);                 // beside those of the caller
//     poll(fds, recording->TimeoutMs());
//     recording->Turn();                          // never waits for a file or a reader
//     for (Written& each : recording->TakeWritten()) ...
//   }
#pragma once

#include <poll.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "capture/bpf/kernel_features.h"
#include "capture/bpf/program_options.h"
#include "capture/perf_sources.h"
#include "fxt_record/event.h"
#include "provider/provider_set.h"
#include "session/slot_counts.h"
#include "session/trigger_fired.h"
#include "sink/output.h"
#include "translate/file/session_info.h"
#include "util/result.h"

namespace capture {
class CaptureSession;
}

namespace session {

// How soon there is another turn where one did not come to the end of what waited.
inline constexpr int kUnfinishedMs = 1;

// The document's values.
enum class BufferingMode : uint8_t {
  kOneshot = 0,    // stops when the buffer is full
  kCircular = 1,   // the oldest events go
  kStreaming = 2,  // into a file, as they come
};
// What becomes, at a start, of what the starts before it left.
enum class BufferDisposition : uint8_t {
  kClearAll = 1,         // nothing stays; who tasks are is asked anew
  kClearNondurable = 2,  // events go, who tasks are stays
  kRetain = 3,           // all stays; the time between stop and start is a hole that the file shows
};

// Where a file goes: opened by the rules of output/, or a descriptor that somebody passed.
struct Destination {
  sink::Output output;
  bool gzip = false;
};

struct RecordingConfig {
  BufferingMode mode = BufferingMode::kStreaming;
  // ring_bytes and ring_use are set by the recording.
  capture::ProgramOptions programs;
  // Of all CPUs together, rounded down to powers of two for each; streaming: 0 is the default.
  uint64_t buffer_bytes = uint64_t{64} << 20;
  // What comes by perf's rings. In a buffer it has half of the room, where there is any.
  capture::PerfSourceOptions sources;
  // Told lines for people: what of the sources is left out, and what goes wrong with them later;
  // empty: nobody.
  std::function<void(const std::string&)> note;
  // What files say of the recording; ring_bytes and start_time are filled in.
  translate::SessionInfo info;
  // Streaming alone: the file. It takes its name at the first start.
  std::optional<Destination> output;
  // ... or files that follow each other, from 1 on, each for so long (ns) or so many bytes,
  // whichever is first; 0: no limit. What is finished, TakeWritten() tells.
  std::function<util::Result<Destination>(uint64_t number)> next_file;
  uint64_t rotate_time = 0;
  uint64_t rotate_bytes = 0;
  // Programs that take part, which outlive the recording; null: none. Of `provider_session` the
  // mode is filled in.
  provider::ProviderSet* providers = nullptr;
  provider::ProviderSessionOptions provider_session;
};

struct RecordingStatus {
  bool started = false;
  BufferingMode mode = BufferingMode::kStreaming;
  bool buffer_full = false;    // oneshot: it has stopped by itself
  uint64_t covered = 0;        // ns that a snapshot now would hold; streaming: since the start
  uint64_t events = 0;         // taken in since the first start
  uint64_t lost = 0;           // of them, those that no file will have although it should
  uint64_t cpu_time = 0;       // of this process, ns
  uint64_t ring_bytes = 0;     // of one CPU's ring
  uint64_t buffer_bytes = 0;   // of all rings
  uint64_t journal_bytes = 0;  // who tasks are, in the window
  uint64_t snapshots = 0;      // written
  bool writing = false;        // a snapshot is being written
};

// Events by category since the first start, and how many of them were lost.
struct CategoryTotals {
  CategoryCounts events{};
  CategoryCounts lost{};
};

struct SnapshotRequest {
  Destination destination;
  // How much of it, ns before the end; 0: all there is.
  uint64_t last = 0;
  // Where the file ends, ns of the kernel's CLOCK_MONOTONIC; 0: now.
  uint64_t until = 0;
  // What it is about: the file has an instant for each.
  std::vector<TriggerFired> fired = {};
};

// What became of a snapshot.
struct Written {
  uint64_t number = 0;  // as Snapshot() gave it
  util::Status status = util::Ok();
  std::string name;      // of the output
  uint64_t bytes = 0;    // on disk
  uint64_t covered = 0;  // ns, from the first event to the end
  uint64_t events = 0;   // records of events
  uint64_t lost = 0;     // events that it says are lost
  uint64_t took = 0;     // ns, from the request to the closed file
  std::vector<TriggerFired> fired = {};
};

class Recording {
 public:
  // Stops it; what is being written is finished first, unless Abandon() was called.
  virtual ~Recording() = default;

  // Begins to record; an error when it has begun, or cannot.
  virtual util::Status Start(BufferDisposition disposition) = 0;
  // No event later than this call. What is in the buffer stays for Snapshot() and for the next
  // start; meanwhile the recording goes on to learn who tasks are. Nothing when it was stopped.
  virtual util::Status Stop() = 0;

  // Adds the descriptors that wake it, with POLLIN.
  virtual void AddPollFds(std::vector<pollfd>& fds) const = 0;
  // When it has to have a turn at the latest, ms from now.
  virtual int TimeoutMs() const = 0;
  // Takes in what there is. Streaming: an error when the output has failed, which ends it.
  virtual util::Status Turn() = 0;

  // Begins to write what the buffer has now (oneshot, circular), while the recording goes on; its
  // number. They are written one after the other. An error when nothing can be written: before the
  // first start, in streaming mode, or too many wait.
  virtual util::Result<uint64_t> Snapshot(SnapshotRequest request) = 0;
  // Those that were finished since the last call, failed ones too.
  virtual std::vector<Written> TakeWritten() = 0;
  // What is being written, and what waits to be, fails.
  virtual void Abandon() = 0;

  // Streaming: ends the file, which is whole then. What was written; once.
  virtual util::Result<Written> Close() = 0;

  // Streaming: an instant of this name (an alert, say) now. In the other modes snapshots carry
  // what is in their request.
  virtual void Mark(const TriggerFired& fired) = 0;

  // In place of RecordingConfig::info, for who learns of it from capture(). Before the first start.
  virtual void Describe(translate::SessionInfo info) = 0;
  // ns of the kernel's CLOCK_MONOTONIC, that of events.
  virtual uint64_t Now() = 0;
  virtual RecordingStatus status() const = 0;
  // Looks at what came since the last call, where nobody else does; see SlotCounts.
  virtual CategoryTotals CountCategories() = 0;
  // Who has or had this tid, as far as that is kept; for who has seen a slot of it.
  virtual std::optional<fxr_task> FindTask(uint32_t tid) = 0;
  // Alerts of providers since the last call.
  virtual std::vector<provider::Alert> TakeProviderAlerts() = 0;
  // What of RecordingConfig::sources there is.
  virtual const capture::PerfSources& sources() const = 0;
  // The capture behind it, for who follows a command or counts.
  virtual capture::CaptureSession& capture() = 0;
};

// Loads the programs; nothing is recorded yet.
util::Result<std::unique_ptr<Recording>> MakeRecording(RecordingConfig config,
                                                       const capture::KernelFeatures& features);

}  // namespace session
