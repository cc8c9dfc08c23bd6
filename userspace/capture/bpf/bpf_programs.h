// SPDX-License-Identifier: BSD-2-Clause
// The loaded BPF programs and their mapped maps.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "capture/bpf/kernel_clock.h"
#include "capture/bpf/kernel_features.h"
#include "capture/bpf/kernel_symbols.h"
#include "capture/bpf/program_options.h"
#include "capture/bpf/ring_sizes.h"
#include "capture/bpf/task_walk.h"
#include "capture/bpf/thread_context_map.h"
#include "capture/bpf/unwind_maps.h"
#include "capture/counters/counter_set.h"
#include "capture/rings/side_ring.h"
#include "capture/rings/slot_ring.h"
#include "util/result.h"
#include "util/unique_fd.h"

namespace capture {

using CategoryCounts = std::array<uint64_t, FXR_CATEGORIES>;

class Skeleton;

class BpfPrograms {
 public:
  static util::Result<std::unique_ptr<BpfPrograms>> Load(const ProgramOptions& options,
                                                         const KernelFeatures& features);
  ~BpfPrograms();
  BpfPrograms(const BpfPrograms&) = delete;
  BpfPrograms& operator=(const BpfPrograms&) = delete;

  // Attaches all programs, which emit nothing yet (FXR_PHASE_NONE).
  util::Status Attach();
  // See Skeleton.
  std::vector<std::string> DescribeSkippedProbes() const;
  // When this returns, the phase is in effect on all CPUs.
  void SetPhase(fxr_phase phase);
  // When this returns, no program runs any more.
  void Detach();

  // Empty unless the programs unwind user stacks.
  UnwindMaps& unwind() { return unwind_; }
  // The program of samples of running threads; -1: perf unwinds them by frame pointers.
  int sample_program_fd() const;
  // Empty without category `request`.
  ThreadContextMap& contexts() { return contexts_; }
  // Starts a new stack generation: the programs send the frames of each stack again.
  void BeginStackGeneration();
  // Sleeps without a stack, because the kernel did not report their end.
  uint64_t unended_sleeps() const;
  // The same for code objects of CPython.
  void BeginPythonGeneration();
  // Category `request`: the programs announce each connection again at its next turn.
  void AnnounceConnections();
  // Follows this task, if the filter has `chosen`.
  void Follow(uint32_t tid);
  // True if the task, or the last one with this tid, is followed.
  bool IsFollowed(uint32_t tid) const;

  uint32_t ring_count() const { return sizes_.ring_count; }
  uint64_t ring_bytes() const { return sizes_.ring_bytes(); }
  SlotRing MakeSlotRing(uint32_t cpu) const;
  // One per possible CPU, also beyond ring_count.
  const fxr_ring_control& control(uint32_t cpu) const { return controls_[cpu]; }
  uint32_t control_count() const { return sizes_.control_count; }
  // Online CPUs whose interrupt context cannot be detected. There the interrupted task is recorded
  // as the waker or as the printer of a message.
  const std::vector<uint32_t>& contextless_cpus() const { return contextless_cpus_; }
  // The clock of the kernel; must not outlive the programs.
  KernelClock clock() const;
  // Valid as long as this object.
  KernelSymbols symbols() const;
  int side_ring_fd() const;
  uint64_t side_ring_bytes() const { return sizes_.side_ring_bytes; }
  // Bytes of kernel memory of all rings and maps.
  uint64_t KernelMemoryBytes() const;
  TaskWalk& tasks() { return *tasks_; }
  // The filter in effect, with ids of the initial pid namespace; the given ids were those of the
  // recorder's namespace.
  const TaskFilter& filter() const { return filter_; }

  // See CounterSet::DescribeMultiplexing().
  std::string DescribeMultiplexing() const { return counters_.DescribeMultiplexing(); }
  // Events by category that were lost because their program was already running on the CPU.
  CategoryCounts RecursionMisses() const;

 private:
  explicit BpfPrograms(const RingSizes& sizes);
  util::Status Map();
  void FindContexts(uint32_t interrupt_mask);
  fxr_context_sample SampleContext(int cpu);
  // Applies filter_ after translating its ids to the initial namespace.
  util::Status SetFilter();

  const RingSizes sizes_;
  std::unique_ptr<Skeleton> skeleton_;
  std::optional<TaskWalk> tasks_;
  TaskFilter filter_;
  CounterSet counters_;
  UnwindMaps unwind_;
  ThreadContextMap contexts_;
  std::vector<uint32_t> contextless_cpus_;
  fxr_ring_control* controls_ = nullptr;
  const fxr_slot* slots_ = nullptr;
  size_t controls_bytes_ = 0;
  size_t slots_bytes_ = 0;
  fxr_followed_page* followed_ = nullptr;  // null: no task is followed
  size_t followed_bytes_ = 0;
};

}  // namespace capture
