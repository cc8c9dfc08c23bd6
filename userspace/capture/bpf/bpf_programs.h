// SPDX-License-Identifier: BSD-2-Clause
// The BPF programs: loaded as asked for, attached, their maps as memory.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "capture/bpf/kernel_clock.h"
#include "capture/bpf/kernel_features.h"
#include "capture/bpf/program_options.h"
#include "capture/bpf/ring_sizes.h"
#include "capture/bpf/task_walk.h"
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

  // All programs. Afterwards they tell who tasks are (FXR_PHASE_NAMES).
  util::Status Attach();
  // From when this returns, programs emit what the phase lets them, on all CPUs.
  void SetPhase(fxr_phase phase);
  // No program runs any more when this returns.
  void Detach();

  // What they told of stacks is forgotten: they tell of each again by its frames.
  void BeginStackAge();
  // Follows this task, where the filter says that somebody will be chosen.
  void Follow(uint32_t tid);
  // Whether the task, or the last one that had this thread id, is followed.
  bool IsFollowed(uint32_t tid) const;

  uint32_t ring_count() const { return sizes_.ring_count; }
  uint64_t ring_bytes() const { return sizes_.ring_bytes(); }
  SlotRing MakeSlotRing(uint32_t cpu) const;
  // One for each possible CPU, also those beyond ring_count.
  const fxr_ring_control& control(uint32_t cpu) const { return controls_[cpu]; }
  uint32_t control_count() const { return sizes_.control_count; }
  // CPUs, of those that were online, on which an interrupt cannot be told from the task that it
  // interrupted, which then passes for whoever woke a thread or printed a message.
  const std::vector<uint32_t>& contextless_cpus() const { return contextless_cpus_; }
  // Of the kernel that runs the programs; not to be used after these.
  KernelClock clock() const;
  int side_ring_fd() const;
  uint64_t side_ring_bytes() const { return sizes_.side_ring_bytes; }
  // Bytes of the kernel's memory that all rings and other maps take.
  uint64_t KernelMemoryBytes() const;
  TaskWalk& tasks() { return *tasks_; }
  // The filter in effect: ids are the machine's, while those that were asked for are those of the
  // process namespace that the recorder runs in.
  const TaskFilter& filter() const { return filter_; }

  // See CounterSet::DescribeMultiplexing().
  std::string DescribeMultiplexing() const { return counters_.DescribeMultiplexing(); }
  // Events, by category, that nobody saw because their program was running already on that CPU.
  CategoryCounts RecursionMisses() const;

 private:
  explicit BpfPrograms(const RingSizes& sizes);
  util::Status Map();
  void FindContexts(uint32_t interrupt_mask);
  fxr_context_sample SampleContext(int cpu);
  // Puts filter_ into effect, with its ids made the machine's.
  util::Status SetFilter();

  const RingSizes sizes_;
  std::unique_ptr<Skeleton> skeleton_;
  std::optional<TaskWalk> tasks_;
  TaskFilter filter_;
  CounterSet counters_;
  std::vector<uint32_t> contextless_cpus_;
  fxr_ring_control* controls_ = nullptr;
  const fxr_slot* slots_ = nullptr;
  size_t controls_bytes_ = 0;
  size_t slots_bytes_ = 0;
  fxr_followed_page* followed_ = nullptr;  // null: nobody is
  size_t followed_bytes_ = 0;
};

}  // namespace capture
