// SPDX-License-Identifier: BSD-2-Clause
// The short way for switches and wakeups about which nothing is odd, from the words of the record
// to the sums. What it does is what AddSwitch() and AddWakeup() do of them: whatever is not known
// to be plain goes there.
#include <algorithm>
#include <utility>

#include "measure/collect/collector.h"
#include "schema/koid.h"

namespace measure {
namespace {

using Does = facts::TimelineState::Cpu::Does;

}  // namespace

template <Work work>
struct Collector::Plain {
  static constexpr bool kTimes = work != Work::kHolders;
  static constexpr bool kHolders = work != Work::kTimes;

  Collector& c;
  Tables& tables;
  Watcher* const watcher;  // of kHolders none

  [[gnu::always_inline]] bool OnSwitch(const fxt::UnresolvedSwitch& record) const;
  [[gnu::always_inline]] bool OnWakeup(const fxt::UnresolvedWakeup& record) const;

 private:
  [[gnu::always_inline]] void EndRun(const facts::FastPath::Step& step,
                                     const facts::TimelineState::Cpu& cpu) const;
  [[gnu::always_inline]] void EndIdle(const facts::FastPath::Step& step,
                                      const facts::TimelineState::Cpu& cpu) const;
  [[gnu::always_inline]] void EndWait(const facts::FastPath::Step& step) const;
};

template <Work work>
inline bool Collector::Plain<work>::OnSwitch(const fxt::UnresolvedSwitch& record) const {
  const facts::FastPathTables::Slot& out = tables.slots[record.outgoing()];
  const facts::FastPathTables::Slot& in = tables.slots[record.incoming()];
  const bool known = (out.index != facts::kNoThread || c.Resolve(tables, record.outgoing())) &&
                     (in.index != facts::kNoThread || c.Resolve(tables, record.incoming()));
  if (!known) [[unlikely]] {
    return false;
  }
  facts::FastPath::Step step{
      .time = tables.provider->ToNanoseconds(record.timestamp),
      .cpu = record.cpu(),
      .outgoing = out.index,
      .incoming = in.index,
      .outgoing_state = record.outgoing_state(),
      .outgoing_priority = record.outgoing_priority(),
      .incoming_priority = record.incoming_priority(),
      .process = in.process,
  };
  step.idle = step.process == 0 && step.incoming_priority == 0;
  if (!c.timeline_.IsPlain(step)) [[unlikely]] {
    return false;
  }
  const facts::TimelineState::Cpu& cpu = c.timeline_.cpus()[step.cpu];
  const bool was_idle = cpu.does == Does::kIdle;
  if (!was_idle && !c.IsCounted(step.outgoing)) [[unlikely]] {
    return false;
  }
  if (!step.idle && !c.IsCounted(step.incoming)) [[unlikely]] {
    return false;
  }

  if constexpr (kHolders) {
    // As of now, for all of this step.
    c.idle_clock_ = c.IdleClock(step.time);
    c.idle_since_ = std::max(c.idle_since_, step.time);
  }
  if (was_idle) {
    EndIdle(step, cpu);
  } else {
    EndRun(step, cpu);
  }
  if (!step.idle) EndWait(step);
  c.timeline_.Take(step);
  if constexpr (kHolders) {
    c.LookAtCpu(step.cpu, step.time);
    const uint32_t group =
        step.idle ? CpuHistory::kIdle : c.accounts_.Settled(step.incoming).group_number();
    c.history_.Open(step.cpu,
                    {.begin = step.time, .group = group, .priority = step.incoming_priority});
  }
  return true;
}

template <Work work>
inline void Collector::Plain<work>::EndRun(const facts::FastPath::Step& step,
                                           const facts::TimelineState::Cpu& cpu) const {
  Accounts::Member& member = c.accounts_.Settled(step.outgoing);
  Thread& thread = c.threads_[step.outgoing];
  if constexpr (kHolders) {
    c.history_.Add(step.cpu, {.begin = cpu.since,
                              .end = step.time,
                              .group = member.group_number(),
                              .priority = step.outgoing_priority});
    thread.idle_clock = c.idle_clock_;
  }
  const bool migrated = thread.cpu != Thread::kNoCpu && thread.cpu != step.cpu;
  thread.cpu = step.cpu;
  thread.after_blocked = false;
  const fxr_task_state state = c.timeline_.OutgoingState(step);
  const bool preempted = state == FXR_STATE_RUNNABLE || state == FXR_STATE_PREEMPTED;
  if (preempted) {
    thread.preemptor = step.idle ? kNoGroup : c.accounts_.Settled(step.incoming).group_number();
  }
  c.by_cpu_.At(step.cpu).busy_ns += step.time - cpu.since;
  if (kTimes && watcher != nullptr &&
      !watcher->TakesRun(step.cpu, cpu.thread, cpu.since, step.time)) {
    watcher->OnRun({.cpu = step.cpu,
                    .index = step.outgoing,
                    .thread = cpu.thread,
                    .process = cpu.process,
                    .begin = cpu.since,
                    .end = step.time,
                    .priority = step.outgoing_priority,
                    .end_state = state});
  }
  if constexpr (kTimes) {
    c.accounts_.AddRun(member, {cpu.since, step.time - cpu.since, cpu.thread, step.cpu}, preempted,
                       migrated);
  }
}

template <Work work>
inline void Collector::Plain<work>::EndIdle(const facts::FastPath::Step& step,
                                            const facts::TimelineState::Cpu& cpu) const {
  if constexpr (kHolders) {
    c.history_.Add(step.cpu, {.begin = cpu.since, .end = step.time, .group = CpuHistory::kIdle});
  }
  c.by_cpu_.At(step.cpu).idle_ns += step.time - cpu.since;
  if (kTimes && watcher != nullptr) {
    watcher->OnIdle({.cpu = step.cpu,
                     .index = step.outgoing,
                     .thread = cpu.thread,
                     .begin = cpu.since,
                     .end = step.time});
  }
}

// Of the thread that comes, for a CPU.
template <Work work>
inline void Collector::Plain<work>::EndWait(const facts::FastPath::Step& step) const {
  const facts::TimelineState::Thread& waiter = c.timeline_.threads()[step.incoming];
  Accounts::Member& member = c.accounts_.Settled(step.incoming);
  Thread& thread = c.threads_[step.incoming];
  [[maybe_unused]] const uint64_t idle_clock = thread.idle_clock;
  if constexpr (kHolders) thread.idle_clock = c.idle_clock_;
  const bool after_blocked = std::exchange(thread.after_blocked, false);
  const bool preempted = waiter.kind == facts::WaitKind::kPreempted;
  if (kTimes && watcher != nullptr && !watcher->TakesWait(step.cpu, waiter.since, step.time))
      [[unlikely]] {
    watcher->OnWait(c.timeline_.WaitOf(step.incoming, step.time), step.cpu, kNobody);
  }
  if constexpr (kTimes) {
    c.accounts_.AddRunnable(member, {waiter.since, step.time - waiter.since, waiter.koid, step.cpu},
                            preempted, thread.preemptor, after_blocked);
  }
  if constexpr (kHolders) {
    const uint64_t any_idle = thread.idle_clock - idle_clock;
    uint64_t own_idle = 0;
    c.held_count_ = 0;
    if (c.accounts_.HasParts(member)) [[likely]] {
      BlameLedger::Parts parts = c.accounts_.PartsOf(member);
      uint64_t inversion = 0;
      own_idle = c.LookAtHolders(waiter.since, step.time, step.cpu, step.incoming_priority, thread,
                                 [&](uint32_t group, bool lower, uint64_t ns) {
                                   if (parts.Add(group, lower, ns)) {
                                     inversion += lower ? ns : 0;
                                   } else {
                                     c.Hold(group, lower, ns);
                                   }
                                 });
      c.accounts_.AddInversion(member, inversion);
    } else {
      own_idle = c.Charge(waiter.since, step.time, step.cpu, step.incoming_priority, thread);
    }
    c.accounts_.AddHolders(member, any_idle - std::min(any_idle, own_idle),
                           {c.held_.data(), c.held_count_});
  }
}

template <Work work>
inline bool Collector::Plain<work>::OnWakeup(const fxt::UnresolvedWakeup& record) const {
  const uint64_t time = tables.provider->ToNanoseconds(record.timestamp);
  const facts::ThreadIndex index = c.timeline_.Find(record.thread);
  if (!c.timeline_.IsFastWakeup(index, time)) return false;
  std::optional<fxt::Koid> waker;
  uint32_t waker_group = c.has_wakers_ || tables.is_recorder ? kInterrupt : kNoGroup;
  if (record.argument_name != 0) {
    if (!facts::FastPathTables::IsWaker(tables, record.argument_name)) return false;
    const facts::ThreadIndex by = c.timeline_.Find(record.argument_koid);
    if (by == facts::kNoThread || !c.accounts_.IsSettled(by)) return false;
    waker = record.argument_koid;
    waker_group = c.accounts_.Settled(by).group_number();
  }
  if (!c.IsCounted(index)) return false;

  c.has_wakers_ = c.has_wakers_ || waker;
  const facts::TimelineState::Thread& sleeper = c.timeline_.threads()[index];
  Thread& thread = c.threads_[index];
  const bool blocked = sleeper.kind == facts::WaitKind::kBlocked;
  if constexpr (kHolders) thread.idle_clock = c.IdleClock(time);
  thread.after_blocked = blocked;
  if (kTimes && watcher != nullptr &&
      (blocked || !watcher->TakesSleep(index, sleeper.koid, time, waker))) [[unlikely]] {
    watcher->OnWait(c.timeline_.WaitOf(index, time), std::nullopt, waker);
  }
  if constexpr (kTimes) {
    const uint32_t cpu = thread.cpu == Thread::kNoCpu ? 0 : thread.cpu;
    c.accounts_.AddSleep(c.accounts_.Settled(index),
                         {sleeper.since, time - sleeper.since, sleeper.koid, cpu}, blocked,
                         waker_group);
  }
  c.timeline_.TakeWakeup(index, time, record.cpu, waker);
  return true;
}

// What is looked up by a thread's number has to be there, but of idle threads nothing is.
bool Collector::Resolve(Tables& tables, uint8_t slot) {
  if (!facts::FastPathTables::Resolve(tables, slot, timeline_)) return false;
  facts::FastPathTables::Slot& found = tables.slots[slot];
  if (found.index < threads_.size() || found.process == schema::kIdleProcessKoid) return true;
  found = {};
  return false;
}

uint64_t Collector::AddFastPath(fxt::Reader& reader, uint64_t most) {
  // A watcher is told first where the window begins, and what it is told of is clipped.
  const bool windowed = options_.from != 0 || options_.to != UINT64_MAX;
  if (!started_ || windowed || (options_.watcher != nullptr && !begun_)) return 0;
  Tables& tables = fast_path_tables_.Of(reader.provider());
  Watcher* const watcher = options_.watcher;
  switch (options_.work) {
    case Work::kAll:
      return reader.VisitSchedulingRecords(Plain<Work::kAll>{*this, tables, watcher}, most);
    case Work::kTimes:
      return reader.VisitSchedulingRecords(Plain<Work::kTimes>{*this, tables, watcher}, most);
    case Work::kHolders:
      if (watcher != nullptr) return 0;
      return reader.VisitSchedulingRecords(Plain<Work::kHolders>{*this, tables, nullptr}, most);
  }
  return 0;
}

}  // namespace measure
