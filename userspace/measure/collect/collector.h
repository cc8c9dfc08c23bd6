// SPDX-License-Identifier: BSD-2-Clause
// From the records of a trace to what stands for it.
//
//   measure::Collector collector;
//   while (reader.Next() == fxt::ReadStatus::kRecord) collector.Add(reader);
//   measure::Capture capture = collector.Finish();
//
// - **Edges.** What began before the window or ends behind it is cut, and is in no whole.
// - **Unknown** is what touches a loss, an unseen switch or a missing wakeup.
// - **Held.** A wait for a CPU is charged to whoever ran there meanwhile: on the CPU where the
//   thread runs next, and before a migration in the wait on the one it came from.
// - **Woken.** A sleep is charged to the group of the waker; to kInterrupt where the recorder says
//   that there was none, which a thread's own timer is too; to kNoGroup in files that never tell.
// - **Not conserved** is the part of a wait in which the thread's CPU was busy and another one
// idle.
//   A CPU is idle from its first switch to idle on.
//
// Memory does not grow with the number of records. Any records do, in any order.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "facts/dense_table.h"
#include "facts/timeline/fast_path_tables.h"
#include "facts/timeline/timeline.h"
#include "fxt/reader.h"
#include "measure/capture.h"
#include "measure/collect/accounts.h"
#include "measure/collect/cpu_history.h"
#include "measure/collect/span_meter.h"
#include "measure/collect/task_table.h"

namespace measure {

// Is told what the collector learns, as it learns it. Facts are clipped to the window.
class Watcher {
 public:
  virtual ~Watcher() = default;
  // Names of threads and processes, as the trace tells them.
  virtual void OnObject(const fxt::Record& object) = 0;
  // Every event, whatever the window.
  virtual void OnEvent(const fxt::Reader& /*reader*/) {}
  // Before the first fact: where the window begins.
  virtual void OnBegin(uint64_t time) = 0;
  virtual void OnRun(const facts::Run& run) = 0;
  // `cpu` is where it ran next, `waker` who ended it if a wakeup did.
  virtual void OnWait(const facts::Wait& wait, const std::optional<uint32_t>& cpu,
                      const std::optional<fxt::Koid>& waker) = 0;
  // What there is by the million, without the rest of what is known of it: true when that is
  // enough, and nothing else is told of it then. A whole run; a whole wait for a CPU that it then
  // ran on; a whole sleep, not in D, that a wakeup ended.
  virtual bool TakesRun(uint32_t /*cpu*/, fxt::Koid /*thread*/, uint64_t /*begin*/,
                        uint64_t /*end*/) {
    return false;
  }
  virtual bool TakesWait(uint32_t /*cpu*/, uint64_t /*begin*/, uint64_t /*end*/) { return false; }
  virtual bool TakesSleep(facts::ThreadIndex /*index*/, fxt::Koid /*thread*/, uint64_t /*end*/,
                          const std::optional<fxt::Koid>& /*waker*/) {
    return false;
  }
  virtual void OnIdle(const facts::Idle& idle) = 0;
  virtual void OnGap(const facts::Gap& gap) = 0;
};

struct CollectorOptions {
  // Only this part of the trace, ns of its clock; what reaches over an edge is cut there.
  uint64_t from = 0;
  uint64_t to = UINT64_MAX;
  // They count from the first record that has a time.
  bool from_is_relative = false;
  bool to_is_relative = false;
  // May be null; must outlive the collector.
  Watcher* watcher = nullptr;
  // Two collectors of one trace that each do a part of the work have together what one has that
  // does all of it; see TakeHolders.
  Work work = Work::kAll;
};

// Completes `times`, which a collector of kTimes made, by what one of kHolders made of the same
// trace and window: it is what one of kAll makes then. False, and nothing done, when it cannot have
// been the same trace.
[[nodiscard]] bool TakeHolders(Capture& times, Capture&& holders);

class Collector {
 public:
  explicit Collector(const CollectorOptions& options = {}) : options_(options) {}
  Collector(const Collector&) = delete;
  Collector& operator=(const Collector&) = delete;

  // The record that `reader` stands at.
  void Add(const fxt::Reader& reader);
  // Takes the plain records that come next, as far as nothing is odd about them, and no more than
  // `most`: the same as a step to each of them and Add(), in half of the time. How many it took.
  uint64_t AddFastPath(fxt::Reader& reader, uint64_t most);
  // Nothing behind this is in the window any more.
  bool IsDone() const { return started_ && timeline_.latest() > options_.to; }
  // After the last record. The collector has done its work then.
  Capture Finish();

  // Switches and wakeups are to come in order of time. How many were earlier than one before them,
  // and by how much at most, ns.
  struct Disorder {
    uint64_t records = 0;
    uint64_t most_ns = 0;
  };
  const Disorder& disorder() const { return disorder_; }
  // By so much that no length of time means anything.
  bool IsJumbled() const {
    return disorder_.most_ns > (timeline_.latest() - timeline_.begin()) / 2;
  }

  // Names as they are now, for those who show them.
  const TaskTable& tasks() const { return tasks_; }

 private:
  // Of the timeline.
  struct Facts {
    Collector& collector;
    void OnRun(const facts::Run& run) const { collector.AddRun(run); }
    void OnWait(const facts::Wait& wait) const { collector.AddWait(wait); }
    void OnIdle(const facts::Idle& idle) const { collector.AddIdle(idle); }
    void OnGap(const facts::Gap& gap) const { collector.AddGap(gap); }
  };
  // What is known of a thread between its facts.
  struct Thread {
    static constexpr uint32_t kNoCpu = UINT32_MAX;
    uint32_t cpu = kNoCpu;  // of its last run
    uint32_t preemptor = kNoGroup;
    bool after_blocked = false;
    uint32_t moved_from = kNoCpu;  // by its latest migration
    uint64_t moved_at = 0;
    uint64_t idle_clock = 0;  // as its wait began
  };

  [[gnu::flatten]] void AddSwitch(const facts::Switch& change);
  [[gnu::flatten]] void AddWakeup(const facts::Wakeup& wakeup, const fxt::ReaderProvider& provider);
  void AddEvent(const fxt::Reader& reader, const fxt::Event& event);
  void AddTaskEvent(const fxt::Event& event, uint64_t time);
  void AddSpan(const fxt::Event& event, SpanKind kind, uint64_t time);
  void Count(const ClosedSpan& span);

  // --- collector_fast_path.cc
  template <Work work>
  struct Plain;
  // A thread of the provider's table.
  using Tables = facts::FastPathTables::Table;
  [[gnu::noinline]] bool Resolve(Tables& tables, uint8_t slot);
  bool IsCounted(facts::ThreadIndex thread) {
    return thread < threads_.size() && accounts_.IsSettled(thread);
  }

  void AddRun(const facts::Run& run);
  void AddWait(const facts::Wait& wait);
  void AddIdle(const facts::Idle& idle);
  void AddGap(const facts::Gap& gap);
  // What held the CPU in a wait for one, to held_; for how long it was idle.
  uint64_t Charge(uint64_t begin, uint64_t end, uint32_t cpu, int32_t priority,
                  const Thread& thread);
  void Hold(uint32_t group, bool lower, uint64_t ns);
  // The same, told in parts: `tell(group, lower, ns)`.
  template <typename Tell>
  [[gnu::always_inline]] uint64_t LookAtHolders(uint64_t begin, uint64_t end, uint32_t cpu,
                                                int32_t priority, const Thread& thread,
                                                Tell&& tell) const;

  // The part of it that is in the window, its edges cut; null when none is. Valid up to the next
  // one that is cut: most facts are not, and are not copied.
  template <typename Fact>
  const Fact* Clip(const Fact& fact) {
    if (fact.begin >= options_.from && fact.end <= options_.to) [[likely]] {
      return &fact;
    }
    return Cut(fact);
  }
  template <typename Fact>
  const Fact* Cut(const Fact& fact);
  void Start(const fxt::Reader& reader);
  // Whoever wants to be told of facts, if any.
  Watcher* watcher() {
    if (options_.watcher == nullptr || begun_) return options_.watcher;
    begun_ = true;
    options_.watcher->OnBegin(std::max(timeline_.begin(), options_.from));
    return options_.watcher;
  }
  bool finds_holders() const { return options_.work != Work::kTimes; }
  Thread& ThreadAt(facts::ThreadIndex index) {
    return index == facts::kNoThread ? nobody_ : threads_.At(index);
  }
  uint64_t IdleClock(uint64_t time) const {
    return idle_clock_ + (idle_cpus_ != 0 && time > idle_since_ ? time - idle_since_ : 0);
  }
  void LookAtCpu(uint32_t cpu, uint64_t time) {
    const bool idle = timeline_.cpus()[cpu].does == facts::TimelineState::Cpu::Does::kIdle;
    uint8_t& was_idle = is_idle_.At(cpu);
    if (idle == was_idle) return;
    idle_clock_ = IdleClock(time);
    idle_since_ = std::max(idle_since_, time);
    was_idle = idle;
    idle_cpus_ += idle ? 1 : UINT32_MAX;
  }
  void LookAtOrder(uint64_t time) {
    if (time >= timeline_.latest()) [[likely]] {
      return;
    }
    ++disorder_.records;
    disorder_.most_ns = std::max(disorder_.most_ns, timeline_.latest() - time);
  }
  // Of what `cpu` runs now, by CpuHistory's numbers.
  uint32_t GroupOn(const facts::TimelineState::Cpu& cpu);

  CollectorOptions options_;
  Capture capture_;
  TaskTable tasks_;
  Accounts accounts_{tasks_, options_.work};
  SpanMeter spans_;
  CpuHistory history_;
  facts::DenseTable<Thread> threads_;                    // by facts::ThreadIndex
  Thread nobody_;                                        // those beyond the limit
  std::unordered_map<uint32_t, Distribution> handlers_;  // by name and kind
  bool started_ = false;                                 // a record with a time was seen
  bool begun_ = false;                                   // the watcher was told
  Disorder disorder_;
  bool has_session_ = false;
  bool has_wakers_ = false;
  std::optional<uint64_t> command_began_;
  std::optional<uint64_t> command_ended_;

  // What is being told to the timeline.
  const facts::Switch* change_ = nullptr;
  const facts::Wakeup* wakeup_ = nullptr;
  uint32_t waker_group_ = kNoGroup;
  facts::ThreadIndex preempted_ = facts::kNoThread;  // it was, by this switch
  std::tuple<facts::Run, facts::Wait, facts::Idle, facts::Gap> cut_;
  // Of the wait that is being counted: no more than CpuHistory tells of two CPUs.
  std::array<Held, 2 * CpuHistory::kTold> held_;
  size_t held_count_ = 0;

  facts::FastPathTables fast_path_tables_;

  // For how long any CPU was idle up to idle_since_.
  uint64_t idle_clock_ = 0;
  uint64_t idle_since_ = 0;
  uint32_t idle_cpus_ = 0;
  facts::DenseTable<uint8_t> is_idle_;      // by CPU
  facts::DenseTable<Capture::Cpu> by_cpu_;  // for capture_

  Facts facts_{*this};
  facts::Timeline<Facts> timeline_{facts_};
};

template <typename Tell>
inline uint64_t Collector::LookAtHolders(uint64_t begin, uint64_t end, uint32_t cpu,
                                         int32_t priority, const Thread& thread,
                                         Tell&& tell) const {
  uint64_t idle = 0;
  const auto look = [&](const CpuHistory::Span& part) {
    const uint64_t length = part.end - part.begin;
    if (part.group == CpuHistory::kIdle) {
      idle += length;
    } else {
      tell(part.group, priority >= 0 && part.priority > priority, length);
    }
  };
  const bool moved = thread.moved_from != Thread::kNoCpu && thread.moved_at > begin &&
                     thread.moved_at < end && thread.moved_from != cpu;
  history_.Look(cpu, moved ? thread.moved_at : begin, end, look);
  if (moved) [[unlikely]] {
    history_.Look(thread.moved_from, begin, thread.moved_at, look);
  }
  return idle;
}

}  // namespace measure
