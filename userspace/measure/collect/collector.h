// SPDX-License-Identifier: BSD-2-Clause
// Makes a Capture of the records of a trace.
//
//   measure::Collector collector;
//   facts::ReadRecords(reader, collector);
//   measure::Capture capture = collector.Finish();
//
// - **Edges.** A fact that began before the window or ends behind it is cut, and counts in no whole
//   length.
// - **Unknown** is a fact that touches a loss, an unseen switch or a missing wakeup.
// - **Held.** A wait for a CPU is charged to the threads that ran there meanwhile: on the CPU where
//   the thread runs next, and before a migration in the wait on the one it came from.
// - **Woken.** A sleep is charged to the group of the waker. It is charged to kInterrupt where the
//   recorder emitted no waker, which includes a thread's own timer, and to kNoGroup in files
//   without any wakers.
// - **Not conserved** is the part of a wait in which the thread's CPU was busy and another one
// idle.
//   A CPU is idle from its first switch to idle on.
//
// Memory does not grow with the number of records. Records may come in any order.
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
#include "facts/timeline/cpu_history.h"
#include "facts/timeline/runnable_reasons.h"
#include "facts/timeline/timeline.h"
#include "facts/timeline/wait_purposes.h"
#include "fxt/reader.h"
#include "measure/capture.h"
#include "measure/collect/accounts.h"
#include "measure/collect/request_meter.h"
#include "measure/collect/settings_table.h"
#include "measure/collect/span_meter.h"
#include "measure/collect/task_table.h"

namespace measure {

// Receives the facts of a collector, clipped to the window, and the records that it may need beside
// them.
class Watcher {
 public:
  virtual ~Watcher() = default;
  // Kernel objects: names of threads and processes.
  virtual void OnObject(const fxt::Record& object) = 0;
  // Every event, inside the window or not.
  virtual void OnEvent(const fxt::Reader& /*reader*/) {}
  // Call before the first fact: the time of the trace's first record with a time, and where the
  // window begins.
  virtual void OnBegin(uint64_t first, uint64_t begin) = 0;
  virtual void OnRun(const facts::Run& run) = 0;
  virtual void OnWait(const facts::Wait& wait) = 0;
  virtual void OnIdle(const facts::Idle& idle) = 0;
  virtual void OnGap(const facts::Gap& gap) = 0;
  // Whole facts in brief, which there are by the million: a run; a wait for a CPU that the thread
  // then ran on; a sleep, not in D, that a wakeup ended. False: OnRun() or OnWait() is called with
  // all that is known.
  virtual bool TakesRun(uint32_t /*cpu*/, fxt::Koid /*thread*/, uint64_t /*begin*/,
                        uint64_t /*end*/) {
    return false;
  }
  virtual bool TakesWait(uint32_t /*cpu*/, uint64_t /*begin*/, uint64_t /*end*/) { return false; }
  virtual bool TakesSleep(facts::ThreadIndex /*index*/, fxt::Koid /*thread*/, uint64_t /*end*/,
                          const std::optional<fxt::Koid>& /*waker*/, facts::WakeVia /*via*/) {
    return false;
  }
};

struct CollectorOptions {
  // Only this part of the trace, ns of its clock; facts are cut at its edges.
  uint64_t from = 0;
  uint64_t to = UINT64_MAX;
  // They count from the first record that has a time.
  bool from_is_relative = false;
  bool to_is_relative = false;
  // May be null; must outlive the collector.
  Watcher* watcher = nullptr;
  // Makes Capture::requests, of the spans that `wants_request` chooses (null: the default).
  bool with_requests = false;
  RequestChoice wants_request = nullptr;
};

class Collector {
 public:
  explicit Collector(const CollectorOptions& options = {}) : options_(options) {
    if (options.with_requests) meter_.emplace(timeline_, options.wants_request);
  }
  Collector(const Collector&) = delete;
  Collector& operator=(const Collector&) = delete;

  // Takes the current record of `reader`.
  void Add(const fxt::Reader& reader);
  // See facts::Timeline::AddFastPath().
  uint64_t AddFastPath(fxt::Reader& reader, uint64_t most);
  // True if no later record is in the window.
  bool IsDone() const { return started_ && timeline_.latest() > options_.to; }
  // After the last record. The collector can take no more records then.
  Capture Finish();

  // Switches and wakeups should come in order of time: how many were earlier than one before them,
  // and by how much at most, ns.
  struct Disorder {
    uint64_t records = 0;
    uint64_t most_ns = 0;
  };
  const Disorder& disorder() const { return disorder_; }
  // True if the disorder is so large that no length of time means anything.
  bool IsJumbled() const {
    return disorder_.most_ns > (timeline_.latest() - timeline_.begin()) / 2;
  }

 private:
  // The handler of the timeline. A whole fact is of threads that the accounts have settled: the
  // fast path adds its length without looking anything up.
  struct Facts {
    Collector& collector;
    [[gnu::always_inline]] bool IsReady(facts::ThreadIndex thread) const {
      return thread < collector.threads_.size() &&
             (collector.accounts_.IsSettled(thread) || collector.TrySettle(thread));
    }
    void OnRun(const facts::Run& run) const { collector.AddRun(run); }
    void OnWait(const facts::Wait& wait) const { collector.AddWait(wait); }
    void OnIdle(const facts::Idle& idle) const { collector.AddIdle(idle); }
    void OnGap(const facts::Gap& gap) const { collector.AddGap(gap); }
    template <typename Full>
    [[gnu::always_inline]] void OnWholeRun(const facts::WholeRun& run, Full&& full) const;
    template <typename Full>
    [[gnu::always_inline]] void OnWholeWait(const facts::WholeWait& wait, Full&& full) const;
    template <typename Full>
    [[gnu::always_inline]] void OnWholeSleep(const facts::WholeWait& sleep,
                                             const facts::Wakeup& end, Full&& full) const;
    template <typename Full>
    [[gnu::always_inline]] void OnWholeSwitch(const facts::WholeSwitch& change, Full&& full) const;
    void OnWakeup(const facts::Wakeup& wakeup) const {
      collector.LookAtOrder(wakeup.time);
      collector.has_wakers_ |= wakeup.waker.has_value();
    }
    void OnCpuSwitch(const facts::CpuSwitch& change) const;
  };
  // State of a thread between its facts.
  struct Thread {
    static constexpr uint32_t kNoCpu = UINT32_MAX;
    uint32_t cpu = kNoCpu;  // of its last run
    uint32_t preemptor = kNoGroup;
    bool after_blocked = false;
    uint32_t moved_from = kNoCpu;  // by its latest migration
    uint64_t moved_at = 0;
    uint64_t idle_clock = 0;  // as its wait began
  };

  void AddRecord(const fxt::Reader& reader, bool& may_be_span);
  void AddProviderRecord(const fxt::Record& record);
  // False: it is a system call, or a handler of interrupts.
  bool AddEvent(const fxt::Reader& reader, const fxt::Event& event);
  void AddInstant(const fxt::Event& event, uint64_t time);
  void AddTaskEvent(const fxt::Event& event, uint64_t time);
  void AddSpan(const fxt::Event& event, SpanKind kind, uint64_t time);
  void Count(const ClosedSpan& span);

  void AddRun(const facts::Run& run);
  void AddWait(const facts::Wait& wait);
  void AddIdle(const facts::Idle& idle);
  void AddGap(const facts::Gap& gap);
  // Settles the accounts of a thread, whose switches may take the fast path from then on. False if
  // that cannot be yet.
  [[gnu::cold, gnu::noinline]] bool TrySettle(facts::ThreadIndex index);
  void NoteProcess(facts::ThreadIndex index, fxt::Koid thread, fxt::Koid process);
  uint32_t WakerGroup(const facts::Wait& wait);
  // The group of the thread that a sleep was for, which one of the sleeper's own group ended.
  uint32_t GiverGroup(uint32_t waker);
  // Whose answer, lock or work a sleep that `waker` ended was for.
  uint32_t WhomOf(facts::WaitsFor waits_for, uint32_t waker);
  // The runs on the CPU during a wait for it.
  struct Charged {
    uint64_t idle_ns = 0;
    facts::RunnableParts parts;
  };
  // Fills held_ with the groups that held the CPU.
  Charged Charge(const facts::WholeWait& wait, const Thread& thread);
  void Hold(uint32_t group, bool lower, uint64_t ns);
  // Calls `each(group, lower, ns)` for each part of the wait in which a group held the CPU.
  template <typename Each>
  [[gnu::always_inline]] Charged ForEachHolder(const facts::WholeWait& wait, const Thread& thread,
                                               Each&& each) const;

  // The part of a fact that is in the window, its edges cut; null when none is. Valid up to the
  // next call: most facts are not cut, and are not copied.
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
  bool is_windowed() const { return options_.from != 0 || options_.to != UINT64_MAX; }
  // The watcher, if any; it knows the begin of the window then.
  Watcher* watcher() {
    if (options_.watcher == nullptr || begun_) return options_.watcher;
    begun_ = true;
    options_.watcher->OnBegin(first_, std::max(timeline_.begin(), options_.from));
    return options_.watcher;
  }
  Thread& ThreadAt(facts::ThreadIndex index) {
    return index == facts::kNoThread ? untracked_ : threads_.At(index);
  }
  uint64_t IdleClock(uint64_t time) const {
    return idle_clock_ + (idle_cpus_ != 0 && time > idle_since_ ? time - idle_since_ : 0);
  }
  void LookAtCpu(uint32_t cpu, bool idle, uint64_t time) {
    uint8_t& was_idle = is_idle_.At(cpu);
    if (idle == was_idle) return;
    reasons_.OnCpu(cpu, idle, time);
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

  CollectorOptions options_;
  Capture capture_;
  TaskTable tasks_;
  SettingsTable settings_;
  Facts facts_{*this};
  facts::Timeline<Facts> timeline_{facts_};
  Accounts accounts_{tasks_, timeline_.limits()};
  std::optional<RequestMeter> meter_;
  path::PathBuilder* paths_ = nullptr;  // of meter_, once it needs facts
  SpanMeter spans_;
  facts::WaitPurposes purposes_;
  facts::CpuHistory history_;
  facts::RunnableReasons reasons_;
  facts::DenseTable<Thread> threads_;                    // by facts::ThreadIndex
  Thread untracked_;                                     // those beyond the limit
  std::unordered_map<uint32_t, Distribution> handlers_;  // by name and kind
  bool started_ = false;                                 // a record with a time was seen
  uint64_t first_ = 0;                                   // time of the first record that has one
  bool begun_ = false;                                   // the watcher knows the window
  Disorder disorder_;
  bool has_session_ = false;
  bool has_wakers_ = false;
  std::optional<uint64_t> command_began_;
  std::optional<uint64_t> command_ended_;

  std::tuple<facts::Run, facts::Wait, facts::Idle, facts::Gap> cut_;
  // The runs during the current wait: at most those that CpuHistory keeps of two CPUs.
  std::array<Held, 2 * facts::CpuHistory::kMost> held_;
  size_t held_count_ = 0;

  // For how long any CPU was idle up to idle_since_.
  uint64_t idle_clock_ = 0;
  uint64_t idle_since_ = 0;
  uint32_t idle_cpus_ = 0;
  facts::DenseTable<uint8_t> is_idle_;  // by CPU
  // For capture_, only if there is a window: the timeline has those of the whole trace.
  facts::DenseTable<Capture::Cpu> by_cpu_;
};

}  // namespace measure
