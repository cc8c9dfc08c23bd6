// SPDX-License-Identifier: BSD-2-Clause
// One capture: initialize, start, drain repeatedly, stop. Delivers raw events to its handler.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "capture/bpf/bpf_programs.h"
#include "capture/bpf/kernel_clock.h"
#include "capture/bpf/kernel_features.h"
#include "capture/event_handler.h"
#include "capture/filter_matches.h"
#include "capture/kernel_identity.h"
#include "capture/perf_source.h"
#include "capture/proc_identity.h"
#include "capture/provider_events.h"
#include "capture/python_frames.h"
#include "capture/rings/gap_tracker.h"
#include "capture/rings/side_ring.h"
#include "capture/rings/slot_merger.h"
#include "capture/slot_stream.h"
#include "capture/stack_cache.h"
#include "capture/thread_context_loader.h"
#include "capture/unwind_loader.h"
#include "fxt_record/event.h"
#include "util/result.h"

namespace capture {

// Counters of a capture. Each event that a program handled is consumed, still in a ring, or
// dropped; each consumed event was delivered.
struct CaptureStats {
  uint64_t slots_consumed = 0;  // from the slot rings, including loss slots
  uint64_t side_events_consumed = 0;
  uint64_t side_events_emitted = 0;                // as counted by the programs
  uint64_t perf_events = 0;                        // from perf's rings, including reported losses
  std::array<uint64_t, FXR_CATEGORIES> dropped{};  // by the programs, summed over CPUs
  uint64_t recursion_misses = 0;                   // lost because the kernel skipped a program
  uint64_t unended_sleeps = 0;                     // without a stack: their end was not reported
  uint64_t drains = 0;
  uint64_t stalls = 0;                // drains that met an uncommitted event
  uint32_t fullest_ring_percent = 0;  // maximum since the start
};

class CaptureSession final : private OtherEvents {
 public:
  // Loads the programs without recording.
  static util::Result<std::unique_ptr<CaptureSession>> Initialize(const ProgramOptions& options,
                                                                  const KernelFeatures& features,
                                                                  ProcIdentity& proc);

  // Starts recording. `handler` outlives the session. It receives the snapshot of tasks, then the
  // events from start_time() on.
  util::Status Start(EventHandler& handler);
  // Names of tasks beyond those in events.
  model::IdentitySource& identities() { return identities_; }
  // See KernelIdentity.
  std::optional<uint32_t> ProcNumber(uint32_t tgid) { return identities_.ProcNumber(tgid); }
  const ProgramOptions& options() const { return options_; }
  // ns of CLOCK_MONOTONIC; 0 until Start succeeded.
  uint64_t start_time() const { return start_time_; }

  // Also records this process and its descendants, if the filter has `chosen`. `pid` is in the
  // recorder's pid namespace. Before Start.
  void Follow(uint32_t pid);
  // The process's id in the initial pid namespace, which files use; empty if there is no such
  // process.
  std::optional<uint32_t> MachinePid(uint32_t pid) const;
  // Which parts of the filter matched a task at the start.
  const FilterMatches& filter_matches() const { return filter_matches_; }

  // True if the recorder is not in the initial pid namespace.
  bool in_process_namespace() const { return programs_->tasks().own_level() > 0; }
  // See BpfPrograms::filter().
  const TaskFilter& filter() const { return programs_->filter(); }

  // See BpfPrograms.
  int sample_program_fd() const { return programs_->sample_program_fd(); }

  // Adds a source of perf records. Before Start.
  void AddSource(std::unique_ptr<PerfSource> source);

  // Sets the source of provider events, delivered in time order from the next Drain on; ignored
  // where rings are left in place. It outlives the session; null: none.
  void SetProviders(ProviderEvents* providers) { providers_ = providers; }

  // Becomes readable when a ring is full enough to drain. Otherwise a drain every 100 ms is enough,
  // or fewer while the capture is quiet.
  int wakeup_fd() const { return programs_->side_ring_fd(); }
  // The same for perf's rings.
  std::vector<int> perf_fds() const;
  // See PerfSource::TakeProblem().
  std::string TakePerfProblem();
  // After Start: functions of patterns that could not be probed, a sentence for each pattern.
  std::vector<std::string> DescribeSkippedProbes() const {
    return programs_->DescribeSkippedProbes();
  }
  // Delivers everything recorded so far. Returns false if an uncommitted event stopped it. Do not
  // poll wakeup_fd then: it stays readable until that event is committed.
  bool Drain();
  // Ends the recording now; events up to now must still be drained. May be called from any thread,
  // also during a Drain that waits for its sink. The first call counts.
  void StopEvents();
  // Stops the recording. It contains the events up to this call, or up to an earlier StopEvents.
  // Returns that time, ns of CLOCK_MONOTONIC.
  uint64_t Stop();

  // If rings are left in place (ProgramOptions::ring_use), Drain delivers everything except slots,
  // which stay in these rings.
  SlotRing ring(uint32_t cpu) const { return programs_->MakeSlotRing(cpu); }
  // After Start: suspends recording, except of task identity, and resumes it. Both return a time,
  // ns of CLOCK_MONOTONIC; events between them do not belong to the recording.
  uint64_t Pause();
  util::Result<uint64_t> Resume();
  // Queries all current tasks. Events that arrive meanwhile are delivered at the next Drain.
  template <typename Visit>
  util::Status ForEachTask(Visit visit) {
    uint64_t tasks = 0;
    return programs_->tasks().ForEach([&](const fxr_walked_task& walked) {
      visit(walked.task);
      if (++tasks % kTasksPerCollect == 0) CollectSideEvents();
    });
  }
  // Empties the side ring during a long operation; the events are delivered at the next Drain.
  void CollectSideEvents();
  // ns of the kernel's CLOCK_MONOTONIC.
  uint64_t Now() { return ReadClock(); }
  int64_t clock_offset() const { return clock_offset_; }

  // Lost task events so far.
  uint64_t LostTaskEvents() const;

  CaptureStats stats() const;
  // Empty where user stacks are not unwound by tables.
  std::optional<UnwindStats> unwind_stats() const;
  // See BpfPrograms.
  const std::vector<uint32_t>& contextless_cpus() const { return programs_->contextless_cpus(); }
  uint32_t ring_count() const { return programs_->ring_count(); }
  uint64_t ring_bytes() const { return programs_->ring_bytes(); }
  uint64_t side_ring_bytes() const { return programs_->side_ring_bytes(); }
  uint64_t kernel_memory_bytes() const { return programs_->KernelMemoryBytes(); }
  // See CounterSet::DescribeMultiplexing().
  std::string DescribeMultiplexing() const { return programs_->DescribeMultiplexing(); }
  // Fill level of the fullest ring at the last drain, percent.
  uint32_t fullest_ring_percent() const { return fullest_now_percent_; }
  // True if almost no event arrived since the previous drain.
  bool is_quiet() const { return fullest_now_percent_ == 0 && perf_sources_.empty(); }

 private:
  // Tasks of a snapshot between two reads of the side ring, which fills meanwhile.
  static constexpr uint64_t kTasksPerCollect = 64;
  // A file that begins later knows the connections after this time, ns.
  static constexpr uint64_t kAnnounceInterval = 1'000'000'000;

  CaptureSession(const ProgramOptions& options, std::unique_ptr<BpfPrograms> programs,
                 SideRing side_ring, ProcIdentity& proc);
  // Reads the kernel's CLOCK_MONOTONIC, ns, and detects a suspend of the machine.
  uint64_t ReadClock();
  bool in_place() const { return options_.ring_use != RingUse::kDrained; }
  void DropEventsBefore(uint64_t time);
  // Looks for rings that lose events.
  void UpdateGaps();
  bool Deliver(uint64_t now, uint64_t horizon);
  bool DeliverInSlices(uint64_t now, uint64_t horizon);
  // The source with the earliest event; null if all are empty.
  PerfSource* EarliestSource() const;
  // OtherEvents: the side ring, perf's rings and providers.
  uint64_t NextTime() const override;
  void DeliverUpTo(uint64_t time) override;
  void ReportMisses(uint64_t now, const CategoryCounts& misses);
  void ReportPendingLosses();
  util::Status StartUnwinder();
  void StartContexts();
  util::Status Snapshot();
  void OnSnapshotTask(const fxr_task& task);

  ProgramOptions options_;
  std::unique_ptr<BpfPrograms> programs_;
  std::shared_ptr<unwind::TableMaker> table_maker_;       // up to the start; null: no tables
  std::unique_ptr<UnwindLoader> unwind_;                  // null: no tables
  std::unique_ptr<util::IsolatedWorker> context_reader_;  // up to the start; null: no contexts
  std::unique_ptr<ThreadContextLoader> contexts_;         // null: no contexts
  KernelClock clock_;
  KernelIdentity identities_;
  SideRing side_ring_;
  PythonFrames python_;
  StackCache stack_cache_;
  SlotMerger merger_;
  GapTracker gaps_;
  std::vector<std::unique_ptr<PerfSource>> perf_sources_;
  EventHandler* handler_ = nullptr;      // set by Start()
  ProviderEvents* providers_ = nullptr;  // null: none
  int64_t clock_offset_ = 0;
  // Offset of the kernel's CLOCK_MONOTONIC from this process's, ns; nonzero in a time namespace.
  uint64_t kernel_ahead_ = 0;
  uint64_t start_time_ = 0;
  std::atomic<uint64_t> end_time_ = UINT64_MAX;  // the recording ends here
  uint64_t horizon_ = 0;
  uint64_t delivered_ = 0;  // up to this time
  uint64_t announced_ = 0;  // the last BpfPrograms::AnnounceConnections(), ns
  uint64_t drains_ = 0;
  uint64_t stalls_ = 0;
  uint64_t perf_events_ = 0;
  CategoryCounts reported_misses_{};
  CategoryCounts dropped_after_end_{};
  FilterMatches filter_matches_;
  uint32_t fullest_percent_ = 0;
  uint32_t fullest_now_percent_ = 0;
};

}  // namespace capture
