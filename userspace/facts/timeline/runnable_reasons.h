// SPDX-License-Identifier: BSD-2-Clause
// Works out why a runnable thread did not run. Each nanosecond of a wait for a CPU has one reason,
// the first of these that holds:
//
//   rt_throttled  the thread is a real-time one, and the kernel chose a thread of a lower class, or
//                 idle, for its CPU meanwhile: kernel.sched_rt_runtime_us was used up
//   affinity      a CPU that the thread may not use was idle, and none that it may use was
//   weight        a thread of a greater weight had its CPU: by the outermost groups in which both
//                 differ (cpu.weight, cpu.shares, autogroups), or in the same group by nice
//   none          it waited behind others
//
// Masks, groups and weights are those of category `settings`, from the time on at which they were
// read. Unknown times count for no reason. Waits while the quota of a cgroup is used up are facts
// of their own (WaitKind::kThrottled).
//
// The owner of a timeline hands on its facts in the order of time, those that an OnCpu() ends
// before it. Memory: 40 bytes for each thread of the timeline, and limited numbers of masks,
// processes and groups; what is beyond is not known.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "facts/dense_table.h"
#include "facts/settings_event.h"
#include "facts/timeline/fact.h"
#include "fxt/format.h"
#include "fxt/id_map.h"
#include "fxt/text_map.h"

namespace facts {

// Parts of a wait for a CPU, ns. The rest of it has none of these reasons.
struct RunnableParts {
  uint64_t rt_throttled = 0;
  uint64_t affinity = 0;
  uint64_t weight = 0;

  bool operator==(const RunnableParts&) const = default;
};

class RunnableReasons {
 public:
  static constexpr size_t kMaxMasks = 64;
  static constexpr size_t kMaxProcesses = size_t{1} << 16;
  static constexpr size_t kMaxCgroups = 4096;
  static constexpr ptrdiff_t kMaxCgroupDepth = 32;  // deeper cgroups are ignored
  // Limit of thread checks for settings and moves. A file that needs more is not a real recording:
  // from then on nothing is known.
  static constexpr uint64_t kMaxWork = uint64_t{1} << 26;

  void AddSettings(const SettingsEvent& event, uint64_t time);
  // `thread` is of `process`.
  void NoteProcess(ThreadIndex thread, fxt::Koid koid, fxt::Koid process) {
    if (thread == kNoThread || work_ > kMaxWork) return;
    if (owners_.At(thread).process != process) [[unlikely]] {
      Move(thread, koid, process);
    }
  }
  // A thread is created. Settings of an earlier thread with its tid do not apply.
  void NoteFork(fxt::Koid child) {
    if (!own_.empty()) Drop(child);
  }

  // The state of a CPU from `time` on.
  void OnCpu(uint32_t cpu, bool idle, uint64_t time) {
    uint8_t& was_idle = is_idle_.At(cpu);
    if (was_idle == static_cast<uint8_t>(idle)) [[likely]] {
      return;
    }
    was_idle = static_cast<uint8_t>(idle);
    for (Mask& mask : masks_) mask.OnIdle(cpu, idle, time);
  }
  // A run or wait of the thread ends: a wait may begin.
  [[gnu::always_inline]] void OnEnd(ThreadIndex thread, uint64_t time) {
    if (masks_.empty() || thread >= threads_.size() || threads_[thread].mask == kNoMask)
        [[likely]] {
      return;
    }
    threads_[thread].clock = masks_[threads_[thread].mask].Clock(time);
  }

  // Stands for the weights above a thread; 0: not known.
  uint16_t CgroupOf(ThreadIndex thread) const {
    return thread < threads_.size() ? threads_[thread].cgroup : 0;
  }

  // A wait for a CPU that ends in a run.
  class OpenWait;

 private:
  struct Mask {
    std::vector<uint64_t> bits;
    uint32_t idle_inside = 0;  // CPUs
    uint32_t idle_outside = 0;
    bool holds = false;  // a CPU outside of the mask is idle, and none inside
    uint64_t since = 0;  // of `holds`
    uint64_t sum = 0;    // ns for which it held before
    // The latest intervals in which it held.
    std::array<std::pair<uint64_t, uint64_t>, 64> held = {};
    uint64_t ended = 0;  // how many, ever

    bool Has(uint32_t cpu) const {
      return cpu / 64 < bits.size() && (bits[cpu / 64] >> cpu % 64 & 1) != 0;
    }
    void OnIdle(uint32_t cpu, bool idle, uint64_t time);
    uint64_t Clock(uint64_t time) const { return sum + (holds && time > since ? time - since : 0); }
    // For how long it held between the two, as far as it is kept.
    uint64_t HeldBetween(uint64_t begin, uint64_t end) const;
  };
  static constexpr uint8_t kNoMask = UINT8_MAX;
  // The kernel's group of a session.
  struct Autogroup {
    uint32_t number = 0;  // 0: none, its threads have the weight of their nice value
    uint32_t weight = 1024;
  };
  // Settings of a process, or of one thread.
  struct Scheduling {
    uint8_t mask = kNoMask;
    bool idle_policy = false;
  };
  struct Process {
    Scheduling scheduling;
    uint16_t path = 0;  // the group of its path
    uint16_t cgroup = 0;
    std::optional<Autogroup> autogroup;
    std::vector<ThreadIndex> threads;
    std::vector<uint32_t> own_tids;  // of threads with settings of their own
  };
  // What each switch looks at, apart from the rest of a thread.
  struct Thread {
    uint64_t clock = 0;  // of the mask as the wait began
    uint16_t cgroup = 0;
    uint8_t mask = kNoMask;
    bool idle_policy = false;
  };
  struct Owner {
    fxt::Koid koid = 0;
    fxt::Koid process = 0;
  };
  struct Cgroup {
    bool known = false;   // its settings were read
    uint32_t weight = 0;  // 1024: the default; 0: it has no own weight
    // Itself and the groups above it without the root, outermost first.
    std::vector<uint16_t> above;
    // The autogroup of its threads, if none of these groups has a weight.
    std::optional<Autogroup> autogroup = {};
  };

  // `name` as in settings; empty if it is not known.
  static std::optional<Autogroup> AutogroupOf(std::string_view name, int64_t nice);

  void Move(ThreadIndex thread, fxt::Koid koid, fxt::Koid process);
  void Drop(fxt::Koid koid);
  void DropOwn(fxt::Koid koid, Process& process);
  // False if the limit is reached.
  bool Spend(uint64_t work);
  void Resolve(ThreadIndex thread, uint64_t time);
  void AddProcess(const SettingsEvent& event, uint64_t time);
  void AddCgroup(const SettingsEvent& event);
  void Apply(Scheduling& to, std::string_view name, const std::string& value);
  uint8_t MaskOf(const std::string& list);
  uint16_t CgroupAt(const std::string& path);
  // With autogroups a group has a copy for each of them, and for each process whose autogroup is
  // not known.
  uint16_t CopyFor(fxt::Koid koid, const Process& process);
  // Whether a thread of the group and priority has a greater weight than another one of another
  // group.
  bool IsHeavier(uint16_t cgroup, int32_t priority, uint16_t than_cgroup,
                 int32_t than_priority) const;

  bool rt_is_limited_ = false;
  bool autogroups_ = true;  // until it is known
  std::vector<uint64_t> online_;
  uint64_t latest_ = 0;  // of settings
  std::vector<Mask> masks_;
  DenseTable<uint8_t> is_idle_;  // by CPU
  DenseTable<Thread> threads_;
  DenseTable<Owner> owners_;  // of threads_
  fxt::IdMap<Process> processes_;
  std::map<std::pair<uint32_t, fxt::Koid>, Scheduling> own_;  // by tid and process
  uint64_t work_ = 0;
  std::vector<Cgroup> cgroups_{1};         // the first one means none
  fxt::TextMap<uint16_t> cgroup_numbers_;  // by path, and autogroup
};

class RunnableReasons::OpenWait {
 public:
  // `priority`: the kernel's, of the run that follows; below 0: not known.
  OpenWait(const RunnableReasons& reasons, ThreadIndex thread, int32_t priority)
      : reasons_(reasons),
        thread_(thread < reasons.threads_.size() ? &reasons.threads_[thread] : nullptr),
        priority_(priority),
        cgroup_(thread_ == nullptr ? 0 : thread_->cgroup),
        is_real_time_(priority >= 0 && priority < kFair && reasons.rt_is_limited_) {
    if (thread_ != nullptr && thread_->idle_policy && priority >= kFair) priority_ = kIdlePolicy;
  }
  // Threads of the group and priority had the CPU from `begin` to `end`, and came at `began`.
  [[gnu::always_inline]] void AddHolder(uint64_t began, uint64_t begin, uint64_t end,
                                        uint16_t cgroup, int32_t priority) {
    if (is_real_time_) [[unlikely]] {
      if (priority >= kFair) AddLower(began, begin, end);
    } else if (cgroup != 0 && cgroup_ != 0 &&
               (cgroup == cgroup_ ? priority >= kFair && priority < priority_
                                  : reasons_.IsHeavier(cgroup, priority, cgroup_, priority_))) {
      AddHeavier(begin, end);
    }
  }
  // The CPU was idle.
  [[gnu::always_inline]] void AddIdle(uint64_t began, uint64_t begin, uint64_t end) {
    if (is_real_time_) AddLower(began, begin, end);
  }
  // The parts do not overlap. `wait` is all of it.
  [[gnu::always_inline]] RunnableParts End(const WholeWait& wait) const {
    const bool has_mask = thread_ != nullptr && thread_->mask != kNoMask;
    if ((lower_ | heavier_) == 0 && !has_mask) [[likely]] {
      return {};
    }
    return PartsOf(wait);
  }

 private:
  friend class RunnableReasons;
  // The kernel's priorities of threads that are not real-time ones are from here on.
  static constexpr int32_t kFair = 100;
  static constexpr int32_t kIdlePolicy = 140;  // behind the nicest one
  // A wakeup reaches another CPU later than it is recorded. A switch on that CPU meanwhile proves
  // nothing.
  static constexpr uint64_t kLatestArrival = 1'000'000;

  // Counts only if it was chosen while the thread waited.
  void AddLower(uint64_t began, uint64_t begin, uint64_t end) {
    if (began >= begin) lower_ += end - begin;
  }
  void AddHeavier(uint64_t begin, uint64_t end);
  RunnableParts PartsOf(const WholeWait& wait) const;

  const RunnableReasons& reasons_;
  const Thread* thread_;
  int32_t priority_;
  uint16_t cgroup_;
  bool is_real_time_;
  uint64_t lower_ = 0;
  uint64_t heavier_ = 0;
  uint64_t heavier_outside_ = 0;  // of it while the mask held the thread back
};

}  // namespace facts
