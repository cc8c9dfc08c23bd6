// SPDX-License-Identifier: BSD-2-Clause
// The BPF programs: loaded as asked for, attached, their maps as memory. The only place that knows
// the generated skeleton.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "capture/bpf/category.h"
#include "capture/bpf/kernel_clock.h"
#include "capture/bpf/kernel_features.h"
#include "capture/bpf/task_walk.h"
#include "capture/rings/side_ring.h"
#include "capture/rings/slot_ring.h"
#include "util/result.h"
#include "util/unique_fd.h"

namespace capture {

// An id that no task has.
inline constexpr uint32_t kNoTask = UINT32_MAX;

// Which tasks to record; a task passes when any of these names it. Empty: all tasks. A task that is
// followed passes as well, and so do those that it makes, from their first moment on.
struct TaskFilter {
  std::vector<uint32_t> tids;
  std::vector<uint32_t> tgids;
  std::vector<std::string> comms;
  std::vector<uint64_t> cgroups;  // ids in the default hierarchy; descendants are included

  bool follow = false;  // what tasks named by tids, tgids and comms make is followed
  bool chosen = false;  // BpfPrograms::Follow will say who is followed at the start

  bool empty() const {
    return tids.empty() && tgids.empty() && comms.empty() && cgroups.empty() && !chosen;
  }
  bool follows() const {
    return chosen || (follow && !(tids.empty() && tgids.empty() && comms.empty()));
  }
};

struct ProgramOptions {
  CategorySet categories;

  // Every context switch is recorded.
  bool sees_switches() const {
    return categories.test(FXR_CATEGORY_SCHED) && filter.empty() &&
           (sched_events.empty() ||
            std::find(sched_events.begin(), sched_events.end(), "switch") != sched_events.end());
  }
  std::vector<uint32_t> syscall_numbers;  // empty: all
  std::vector<std::string> sched_events;  // out of SchedEvents(); empty: all
  TaskFilter filter;
  uint64_t ring_bytes = 0;  // per CPU, a power of two; 0: DefaultRingBytes
  bool verbose = false;     // the loader's and the verifier's words go to stderr
};

inline constexpr uint64_t kMinRingBytes = 4096;
inline constexpr uint64_t kMaxRingBytes = uint64_t{1} << 30;
// Large enough to ride out a quarter of a second without the collector at a million events a second
// per CPU, as long as all CPUs together stay within 128 MiB; never below 1 MiB.
uint64_t DefaultRingBytes(uint32_t cpus);

using CategoryCounts = std::array<uint64_t, FXR_CATEGORIES>;

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

  // Follows this task, where the filter says that somebody will be chosen.
  void Follow(uint32_t tid);
  // Whether the task, or the last one that had this thread id, is followed.
  bool IsFollowed(uint32_t tid) const;

  uint32_t ring_count() const { return ring_count_; }
  uint64_t ring_bytes() const { return uint64_t{sizeof(fxr_slot)} << ring_shift_; }
  SlotRing MakeSlotRing(uint32_t cpu) const;
  // One for each possible CPU, also those beyond ring_count.
  const fxr_ring_control& control(uint32_t cpu) const { return controls_[cpu]; }
  uint32_t control_count() const { return control_count_; }
  // CPUs, of those that were online, on which an interrupt cannot be told from the task that it
  // interrupted, which then passes for whoever woke a thread or printed a message.
  const std::vector<uint32_t>& contextless_cpus() const { return contextless_cpus_; }
  // Of the kernel that runs the programs; not to be used after these.
  KernelClock clock() const;
  int side_ring_fd() const;
  uint64_t side_ring_bytes() const { return side_ring_bytes_; }
  // Bytes of the kernel's memory that all rings and other maps take.
  uint64_t KernelMemoryBytes() const;
  TaskWalk& tasks() { return *tasks_; }
  // The filter in effect: ids are the machine's, while those that were asked for are those of the
  // process namespace that the recorder runs in.
  const TaskFilter& filter() const { return filter_; }

  // Events, by category, that nobody saw because their program was running already on that CPU.
  CategoryCounts RecursionMisses() const;

 private:
  struct Skeleton;
  BpfPrograms();
  util::Status Map();
  void FindContexts();
  util::Status SetFilter(const TaskFilter& wanted);

  std::unique_ptr<Skeleton> skeleton_;
  std::optional<TaskWalk> tasks_;
  TaskFilter filter_;
  uint32_t ring_count_ = 0;
  uint32_t control_count_ = 0;
  unsigned ring_shift_ = 0;
  bool has_stand_ins_ = false;
  std::vector<uint32_t> contextless_cpus_;
  uint64_t side_ring_bytes_ = 0;
  fxr_ring_control* controls_ = nullptr;
  const fxr_slot* slots_ = nullptr;
  size_t controls_bytes_ = 0;
  size_t slots_bytes_ = 0;
  fxr_followed_page* followed_ = nullptr;  // null: nobody is
  size_t followed_bytes_ = 0;
};

}  // namespace capture
