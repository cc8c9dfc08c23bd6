// SPDX-License-Identifier: BSD-2-Clause
// One recording: initialize, start, drain until it is enough, stop. What it records goes to the
// handler it was started with, as raw events.
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
#include "capture/rings/side_ring.h"
#include "capture/rings/slot_merger.h"
#include "capture/slot_stream.h"
#include "capture/stack_cache.h"
#include "fxt_record/event.h"
#include "util/result.h"

namespace capture {

// What happened so far, in numbers that add up: every event that the programs took in is consumed,
// still in a ring, or dropped; and every consumed one was delivered.
struct CaptureStats {
  uint64_t slots_consumed = 0;  // of the slot rings; loss slots are in here
  uint64_t side_events_consumed = 0;
  uint64_t side_events_emitted = 0;  // as the programs count them
  uint64_t perf_events = 0;          // that came by perf's rings, told losses with them
  std::array<uint64_t, FXR_CATEGORIES> dropped{};  // by the programs, all CPUs
  uint64_t recursion_misses = 0;                   // lost because the kernel left a program out
  uint64_t drains = 0;
  uint64_t stalls = 0;                // drains that met an event being written
  uint32_t fullest_ring_percent = 0;  // since the start
};

class CaptureSession final : private OtherEvents {
 public:
  // Loads the programs; nothing is recorded yet.
  static util::Result<std::unique_ptr<CaptureSession>> Initialize(const ProgramOptions& options,
                                                                  const KernelFeatures& features,
                                                                  ProcIdentity& proc);

  // Starts recording. `handler` gets all that happens from now on and outlives the session: the
  // tasks that there are first, then events from start_time() on.
  util::Status Start(EventHandler& handler);
  // Who tasks are, for who has to ask beyond what events tell.
  model::IdentitySource& identities() { return identities_; }
  const ProgramOptions& options() const { return options_; }
  // ns of CLOCK_MONOTONIC; 0 before Start was through.
  uint64_t start_time() const { return start_time_; }

  // Records this process, too, and what it starts, where the filter has `chosen`; `pid` is that of
  // the namespace which the recorder is in. Before Start.
  void Follow(uint32_t pid);
  // The process's number in the machine's own namespace, which is the one in the file; empty when
  // there is no such process.
  std::optional<uint32_t> MachinePid(uint32_t pid) const;
  // What of the filter there was at the start.
  const FilterMatches& filter_matches() const { return filter_matches_; }

  // The recorder is in a process namespace other than the machine's own.
  bool in_process_namespace() const { return programs_->tasks().own_level() > 0; }
  // See BpfPrograms::filter().
  const TaskFilter& filter() const { return programs_->filter(); }

  // Also records what comes by perf's rings. Before Start.
  void AddSource(std::unique_ptr<PerfSource> source);

  // What else is delivered where its time comes, from the next Drain on; not where rings are left
  // in place. Outlives the session; null: nothing.
  void SetProviders(ProviderEvents* providers) { providers_ = providers; }

  // Becomes readable when a ring has filled enough to be drained; a drain every 100 ms does the
  // rest, or fewer while it is quiet.
  int wakeup_fd() const { return programs_->side_ring_fd(); }
  // The same for perf's rings.
  std::vector<int> perf_fds() const;
  // See PerfSource::TakeProblem().
  std::string TakePerfProblem();
  // Delivers everything recorded up to now. False when it had to leave some for the next
  // time, because an event was just being written; do not wait for wakeup_fd then, it is readable
  // as long as that lasts.
  bool Drain();
  // The recording ends at this moment; what was recorded up to it is still to be drained. During a
  // Drain as well, which may be waiting for its sink, and from any thread; the first call counts.
  void StopEvents();
  // No more events: the recording has what happened up to the moment of this call, or of
  // StopEvents, and nothing later. That moment, ns of CLOCK_MONOTONIC.
  uint64_t Stop();

  // Where rings are left in place (ProgramOptions::ring_use), Drain delivers all but slots, and the
  // slots are read here.
  SlotRing ring(uint32_t cpu) const { return programs_->MakeSlotRing(cpu); }
  // After Start: no events for a while, but who tasks are is told; and events again. When, ns of
  // CLOCK_MONOTONIC: what is stamped between the two is none of the recording.
  uint64_t Pause();
  util::Result<uint64_t> Resume();
  // Asks the kernel for all tasks as they are now, and delivers what happens meanwhile at the next
  // Drain.
  template <typename Visit>
  util::Status ForEachTask(Visit visit) {
    uint64_t tasks = 0;
    return programs_->tasks().ForEach([&](const fxr_walked_task& walked) {
      visit(walked.task);
      if (++tasks % kTasksPerCollect == 0) CollectSideEvents();
    });
  }
  // Empties the side ring in the middle of what takes long; its events come at the next Drain.
  void CollectSideEvents();
  // ns of the kernel's CLOCK_MONOTONIC.
  uint64_t Now() { return ReadClock(); }
  int64_t clock_offset() const { return clock_offset_; }

  // Lost so far of what tells who tasks are.
  uint64_t LostTaskEvents() const;

  CaptureStats stats() const;
  // See BpfPrograms.
  const std::vector<uint32_t>& contextless_cpus() const { return programs_->contextless_cpus(); }
  uint32_t ring_count() const { return programs_->ring_count(); }
  uint64_t ring_bytes() const { return programs_->ring_bytes(); }
  uint64_t side_ring_bytes() const { return programs_->side_ring_bytes(); }
  uint64_t kernel_memory_bytes() const { return programs_->KernelMemoryBytes(); }
  // See CounterSet::DescribeMultiplexing().
  std::string DescribeMultiplexing() const { return programs_->DescribeMultiplexing(); }
  // How full the fullest ring was at the last drain, percent.
  uint32_t fullest_ring_percent() const { return fullest_now_percent_; }
  // Hardly anything had come since the drain before.
  bool is_quiet() const { return fullest_now_percent_ == 0 && perf_sources_.empty(); }

 private:
  // Tasks of a walk between two looks at the side ring, which fills meanwhile.
  static constexpr uint64_t kTasksPerCollect = 64;

  CaptureSession(const ProgramOptions& options, std::unique_ptr<BpfPrograms> programs,
                 SideRing side_ring, ProcIdentity& proc);
  // ns of the kernel's CLOCK_MONOTONIC; also sees whether the machine was suspended.
  uint64_t ReadClock();
  bool in_place() const { return options_.ring_use != RingUse::kDrained; }
  void DropEventsBefore(uint64_t time);
  bool Deliver(uint64_t now, uint64_t horizon);
  bool DeliverInSlices(uint64_t now, uint64_t horizon);
  // The one whose first event is the earliest; null: none has any.
  PerfSource* EarliestSource() const;
  // Of the side ring and of perf's rings.
  uint64_t NextTime() const override;
  void DeliverUpTo(uint64_t time) override;
  void ReportMisses(uint64_t now, const CategoryCounts& misses);
  void ReportPendingLosses();
  util::Status Snapshot();
  void OnSnapshotTask(const fxr_task& task);

  ProgramOptions options_;
  std::unique_ptr<BpfPrograms> programs_;
  KernelClock clock_;
  KernelIdentity identities_;
  SideRing side_ring_;
  StackCache stack_cache_;
  SlotMerger merger_;
  std::vector<std::unique_ptr<PerfSource>> perf_sources_;
  EventHandler* handler_ = nullptr;      // from Start() on
  ProviderEvents* providers_ = nullptr;  // null: none
  int64_t clock_offset_ = 0;
  // What the kernel's CLOCK_MONOTONIC is ahead of this process's, ns: in a time namespace.
  uint64_t kernel_ahead_ = 0;
  uint64_t start_time_ = 0;
  std::atomic<uint64_t> end_time_ = UINT64_MAX;  // nothing later is part of the recording
  uint64_t horizon_ = 0;
  uint64_t delivered_ = 0;  // up to this time
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
