// SPDX-License-Identifier: BSD-2-Clause
// Computes runs, waits with their causes, and unknown times from the records of a trace.
//
// Feed it every record of a trace in file order. It calls the handler with each fact
// (facts/timeline/fact.h) when the fact ends:
//
//   struct Handler {
//     void OnRun(const facts::Run& run);      // each of these is optional
//     void OnWait(const facts::Wait& wait);
//     void OnIdle(const facts::Idle& idle);
//     void OnGap(const facts::Gap& gap);
//     void OnWakeup(const facts::Wakeup& wakeup);   // every wakeup record, before the wait it ends
//     void OnCpuSwitch(const facts::CpuSwitch& change);  // every switch, after the facts it ends
//   } handler;
//   facts::Timeline timeline(handler);
//   facts::ReadRecords(reader, timeline);
//   timeline.Finish(timeline.latest());
//
// - **Switch.** The outgoing thread is the one that came: its Run ends, and a Wait of the kind of
// its
//   state begins. The wait of the incoming thread ends.
// - **Another thread leaves.** A switch is missing. The CPU is in a Gap since its last switch, and
//   the thread that was there waits in kUnknown since then. The outgoing thread has a Run of length
//   0 that begins kUnseen. The same holds for the other CPU if a thread comes to a CPU while it is
//   on another one.
// - **`unseen_switch`.** The same, declared by the recorder. The recorder emits the switch after it
// to
//   close the time of the thread that was there: its outgoing state says nothing.
// - **A declared loss** of scheduling events of a CPU ends its Run or Idle (kLoss): the thread was
//   there up to the loss. The CPU is in a Gap up to the next switch that is not the recorder's
//   closing one, or up to that one's incoming thread, with "(lost events)" on the CPU or not. Waits
//   that go on meanwhile touch a loss, on whichever CPU it was.
// - **Wakeup.** Ends a sleep and begins the wait for a CPU. A wakeup of a thread that runs or is
//   runnable changes nothing, except after a loss.
// - **`throttled`.** Comes before the switch of its thread: the wait for a CPU that ends was one in
//   kThrottled for a part, and in kPreempted after it.
// - **What a sleep is for.** The recorder's instant of category `wait` comes right before the
// wakeup
//   (or the switch) that ends the sleep, which is handed out with it.
// - **Edges.** Before its first switch a CPU runs the outgoing thread of that switch, cut
// (kFileEdge),
//   unless that thread was seen elsewhere. At the end of the window all facts are cut.
// - **Filtered recordings** show all of the threads that they are of. Other threads may have left a
//   CPU and come back unseen.
//
// AddFastPath() takes the switches and wakeups that follow one another without anything unusual,
// straight from the words of the records. The facts are the same. A handler may add
//
//   bool IsReady(ThreadIndex thread);  // false: records of the thread take the general path
//   template <typename Full> void OnWholeRun(const WholeRun& run, Full&& full);
//   template <typename Full> void OnWholeSleep(const WholeWait& wait, const Wakeup& end, Full&&
//   full); template <typename Full> void OnWholeWait(const WholeWait& wait, Full&& full); template
//   <typename Full> void OnWholeSwitch(const WholeSwitch& change, Full&& full);
//
// which are called on the fast path in place of OnRun(), OnWait() and OnCpuSwitch(). All threads
// concerned are ready. `full()` makes the complete fact: most handlers need few members of most
// facts, and making the others costs more than the state machine.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <variant>

#include "facts/kernel_sections.h"
#include "facts/recorder_facts.h"
#include "facts/scheduling.h"
#include "facts/timeline/fact.h"
#include "facts/timeline/fast_path_tables.h"
#include "facts/timeline/timeline_state.h"
#include "fxt/reader.h"
#include "schema/koid.h"
#include "schema/names.h"
#include "schema/wait_object.h"

namespace facts {

// A handler for callers that only read the state.
struct NoFacts {};

template <typename Handler>
class Timeline : public TimelineState {
 public:
  // `handler` must outlive the timeline. It may read the state of the timeline while it is called:
  // the state is that before the record, but in OnCpuSwitch(), where it is that after it.
  explicit Timeline(Handler& handler) : handler_(handler) {}
  // With the limit of TimelineState.
  Timeline(Handler& handler, fxt::TableBudget* shared, size_t more_bytes)
      : TimelineState(shared, more_bytes), handler_(handler) {}
  Timeline(const Timeline&) = delete;
  Timeline& operator=(const Timeline&) = delete;

  // Takes the current record of `reader`. Records other than switches, wakeups and the recorder's
  // events about losses, forks and states change nothing.
  void Add(const fxt::Reader& reader) {
    if (!sections_.Has(reader)) return;
    const fxt::Record& record = reader.record();
    if (const auto change = AsSwitch(record, reader.provider())) return OnSwitch(*change);
    if (const auto wakeup = AsWakeup(record, reader.provider())) return OnWakeup(*wakeup);
    if (const auto* event = std::get_if<fxt::Event>(&record)) return AddEvent(reader, *event);
    if (const auto* filled = std::get_if<fxt::ProviderEvent>(&record)) {
      // fxt-record writes more records right after it. The begin of a loss of other providers is
      // unknown.
      if (filled->event == fxt::kProviderEventBufferFilledUp &&
          reader.provider().name() != schema::kRecorderName) {
        ++losses_;
      }
    }
  }
  // Takes the records that follow, up to the first one for the general path, and at most `most`.
  // Returns how many it took. The reader's next record is the first one that it did not take.
  uint64_t AddFastPath(fxt::Reader& reader, uint64_t most) {
    if (!sections_.Has(reader)) return 0;
    FastPathTables::Table& table = tables_.Of(reader.provider());
    return reader.VisitSchedulingRecords(Taker{*this, table}, most);
  }

  // Whether the records of `provider` may be the kernel's. Add() passes over those that are not.
  bool IsKernels(const fxt::ReaderProvider& provider) { return sections_.Has(provider); }

  void OnSwitch(const Switch& change);
  void OnWakeup(const Wakeup& wakeup);
  // Scheduling events of `cpu` are missing from `time` on. A CPU below 0 means any CPU, at some
  // time before: the waits that go on touch a loss.
  void OnLoss(int32_t cpu, uint64_t time);
  // A switch of `cpu` is missing between the last one and `time`; the next one closes its time.
  void OnUnseenSwitch(uint32_t cpu, uint64_t time);
  // The purpose of the sleep of `thread` that continues at `time`. Passed over for others.
  void OnObject(fxt::Koid thread, WaitObject object, uint64_t time);
  // `thread` is being created.
  void OnFork(fxt::Koid thread, uint64_t time);
  // `thread` waits for a CPU and had no quota from `begin` to `end`.
  void OnThrottled(fxt::Koid thread, uint64_t begin, uint64_t end, uint64_t time, CpuLimit limit);

  // Cuts what goes on, at `end`, or at the latest switch, wakeup or loss if that is later. No more
  // records may be added.
  void Finish(uint64_t end);

 private:
  // The records of a fast path.
  struct Taker {
    Timeline& timeline;
    FastPathTables::Table& table;
    [[gnu::always_inline]] bool OnSwitch(const fxt::UnresolvedSwitch& words) const {
      return timeline.TakeSwitch(words, table);
    }
    [[gnu::always_inline]] bool OnWakeup(const fxt::UnresolvedWakeup& words) const {
      return timeline.TakeWakeup(words, table);
    }
  };

  [[gnu::always_inline]] bool TakeSwitch(const fxt::UnresolvedSwitch& words,
                                         FastPathTables::Table& table);
  [[gnu::always_inline]] bool TakeWakeup(const fxt::UnresolvedWakeup& words,
                                         FastPathTables::Table& table);

  void AddEvent(const fxt::Reader& reader, const fxt::Event& event) {
    if (event.type != fxt::EventType::kInstant) return;
    const uint64_t time = reader.ToNanoseconds(event.timestamp);
    if (event.category.text == schema::kRecorderName) {
      AddRecorderEvent(event, time);
    } else if (IsLinuxState(event)) {
      Reach(time);
      const auto state = LinuxStateOf(event);
      if (!state) return;
      if (Thread* thread = ThreadAt(IndexOf(event.thread.thread))) thread->assumed.Learn(*state);
    } else if (event.category.text == schema::category::kWait) {
      if (auto object = AsWaitObject(event))
        OnObject(event.thread.thread, std::move(*object), time);
    } else if (event.category.text == schema::category::kTask &&
               event.name.text == schema::event::kFork) {
      const auto child = KoidOf(FindArgument(event.arguments, schema::argument::kChild));
      if (child) OnFork(*child, time);
    } else if (event.category.text == schema::category::kSched &&
               event.name.text == schema::event::kThrottled) {
      AddThrottled(event, time);
    }
  }
  void AddThrottled(const fxt::Event& event, uint64_t time);
  void AddRecorderEvent(const fxt::Event& event, uint64_t time);

  void Emit(const Run& run) {
    if constexpr (requires { handler_.OnRun(run); }) handler_.OnRun(run);
  }
  void Emit(const Wait& wait) {
    if constexpr (requires { handler_.OnWait(wait); }) handler_.OnWait(wait);
  }
  void Emit(const Idle& idle) {
    if constexpr (requires { handler_.OnIdle(idle); }) handler_.OnIdle(idle);
  }
  void Emit(const Gap& gap) {
    if constexpr (requires { handler_.OnGap(gap); }) handler_.OnGap(gap);
  }
  void Emit(const Wakeup& wakeup) {
    if constexpr (requires { handler_.OnWakeup(wakeup); }) handler_.OnWakeup(wakeup);
  }
  // Adds the incoming side to `sides`, which has the outgoing one.
  static CpuSwitch WithIncoming(CpuSwitch sides, uint32_t number, const Cpu& cpu, uint64_t time) {
    sides.cpu = number;
    sides.time = time;
    sides.activity = cpu.does;
    sides.index = cpu.index;
    sides.thread = cpu.thread;
    Assign(sides.process, cpu.process);
    Assign(sides.priority, cpu.priority);
    return sides;
  }
  void EmitSwitch(const CpuSwitch& sides, uint32_t number, const Cpu& cpu, uint64_t time) {
    if constexpr (requires { handler_.OnCpuSwitch(sides); }) {
      handler_.OnCpuSwitch(WithIncoming(sides, number, cpu, time));
    }
  }
  template <typename Full>
  [[gnu::always_inline]] void EmitWhole(const WholeRun& run, Full&& full) {
    if constexpr (requires { handler_.OnWholeRun(run, full); }) {
      handler_.OnWholeRun(run, full);
    } else if constexpr (requires { handler_.OnRun(full()); }) {
      handler_.OnRun(full());
    }
  }
  template <typename Full>
  [[gnu::always_inline]] void EmitWhole(const WholeWait& wait, Full&& full) {
    if constexpr (requires { handler_.OnWholeWait(wait, full); }) {
      handler_.OnWholeWait(wait, full);
    } else if constexpr (requires { handler_.OnWait(full()); }) {
      handler_.OnWait(full());
    }
  }
  template <typename Full>
  [[gnu::always_inline]] void EmitWhole(const WholeWait& wait, const Wakeup& end, Full&& full) {
    if constexpr (requires { handler_.OnWholeSleep(wait, end, full); }) {
      handler_.OnWholeSleep(wait, end, full);
    } else if constexpr (requires { handler_.OnWait(full()); }) {
      handler_.OnWait(full());
    }
  }
  template <typename Full>
  [[gnu::always_inline]] void EmitWhole(const WholeSwitch& change, Full&& full) {
    if constexpr (requires { handler_.OnWholeSwitch(change, full); }) {
      handler_.OnWholeSwitch(change, full);
    } else if constexpr (requires { handler_.OnCpuSwitch(full()); }) {
      handler_.OnCpuSwitch(full());
    }
  }
  [[gnu::always_inline]] bool IsReady(ThreadIndex thread) {
    if constexpr (requires { handler_.IsReady(thread); }) {
      return handler_.IsReady(thread);
    } else {
      return true;
    }
  }

  Wait EndBy(const Wakeup& wakeup, const Thread& thread, ThreadIndex index) const {
    Wait wait = EndOfWait(thread, index, wakeup.time, Bound::kSeen);
    wait.end_record = WaitEnd::kWakeup;
    wait.end_cpu = wakeup.cpu;
    wait.end_waker = wakeup.waker;
    wait.end_via = wakeup.via;
    wait.end_by_interrupt = wakeup.by_interrupt;
    return wait;
  }
  void EmitEnd(Wait& wait);
  // Emits a wait that ends with the next record, with its purpose.
  void EmitSleepEnd(Wait& wait, Thread& thread);
  void EndRun(uint32_t number, Cpu& cpu, uint64_t time, Bound ended,
              const std::optional<fxr_task_state>& state);
  void EndGap(uint32_t number, Cpu& cpu, uint64_t time, Bound ended);
  void BeginGap(Cpu& cpu, Gap::Why why, uint64_t time);
  void Disown(Cpu& cpu);
  void TakeOver(const Switch& change, Cpu& cpu);
  ThreadIndex Leave(Cpu& cpu, const Switch& change);
  void Come(const SwitchSide& side, uint32_t number, uint64_t time, Bound began);
  Gap::Why WhyMissing() const { return filtered_ ? Gap::Why::kFiltered : Gap::Why::kUnseen; }

  Handler& handler_;
  std::unordered_map<ThreadIndex, WaitObject> objects_;  // of the threads that have one
  KernelSections sections_;
  FastPathTables tables_;
  Wakeup wakeup_;  // of the fast path, so that its members are not all set again
};

template <typename Handler>
inline bool Timeline<Handler>::TakeSwitch(const fxt::UnresolvedSwitch& words,
                                          FastPathTables::Table& table) {
  using Slot = FastPathTables::Slot;
  const Slot& out = table.slots[words.outgoing()];
  const Slot& in = table.slots[words.incoming()];
  const auto is_known = [&](const Slot& slot, uint8_t number) {
    return slot.index != kNoThread || FastPathTables::Resolve(table, number, *this);
  };
  if (!is_known(out, words.outgoing()) || !is_known(in, words.incoming())) [[unlikely]] {
    return false;
  }
  const uint64_t time = table.provider->ToNanoseconds(words.timestamp);
  const uint32_t number = words.cpu();
  if (time < latest_ || number >= cpus_.size()) [[unlikely]] {
    return false;
  }
  Cpu& cpu = cpus_[number];
  const bool was_idle = cpu.does == CpuActivity::kIdle;
  const bool idle = in.process == 0 && words.incoming_priority() == 0;
  const fxt::ThreadState format_state = words.outgoing_state();
  const bool is_there = (cpu.does == CpuActivity::kRun || was_idle) && cpu.index == out.index;
  if (!is_there || cpu.unseen_declared || cpu.began != Bound::kSeen || !cpu.process ||
      !AssumedStates::IsOutgoing(format_state)) [[unlikely]] {
    return false;
  }
  Thread& incoming = threads_[in.index];
  const bool fits = idle || (!incoming.running && IsRunnable(incoming.kind) && IsWhole(incoming));
  if (!fits || (!was_idle && !IsReady(out.index)) || (!idle && !IsReady(in.index))) [[unlikely]] {
    return false;
  }

  ThreadIndex preempted = kNoThread;
  const fxt::Koid left = cpu.thread;
  if (was_idle) {
    cpu.idle_ns += time - cpu.since;
    Emit(Idle{
        .cpu = number, .index = out.index, .thread = cpu.thread, .begin = cpu.since, .end = time});
  } else {
    cpu.busy_ns += time - cpu.since;
    const fxr_task_state state = threads_[out.index].assumed.Of(format_state);
    // Facts on the fast path are made member by member: g++ fills a whole structure with zeros
    // before it initialises its members.
    WholeRun run;
    run.cpu = number;
    run.index = out.index;
    run.thread = cpu.thread;
    run.begin = cpu.since;
    run.end = time;
    run.priority = words.outgoing_priority();
    run.end_state = state;
    if (run.is_preempted()) preempted = out.index;
    EmitWhole(run, [&] {
      return Run{.cpu = number,
                 .index = out.index,
                 .thread = cpu.thread,
                 .process = cpu.process,
                 .begin = cpu.since,
                 .end = time,
                 .priority = words.outgoing_priority(),
                 .end_state = state};
    });
    BeginWaitIn(threads_[out.index], state, time, !idle, incoming.koid);
  }
  if (!idle) {
    WholeWait wait;
    wait.index = in.index;
    wait.thread = incoming.koid;
    wait.kind = incoming.kind;
    wait.begin = incoming.since;
    wait.end = time;
    wait.end_cpu = number;
    wait.next_priority = words.incoming_priority();
    EmitWhole(wait, [&] {
      Wait full = EndOfWait(incoming, in.index, time, Bound::kSeen);
      full.end_record = WaitEnd::kSwitch;
      full.end_cpu = number;
      full.next_priority = words.incoming_priority();
      return full;
    });
    incoming.running = true;
    incoming.cpu = number;
  }
  incoming.idle = idle;
  latest_ = time;
  ++cpu.switches;
  cpu.does = idle ? CpuActivity::kIdle : CpuActivity::kRun;
  cpu.index = in.index;
  cpu.thread = incoming.koid;
  cpu.process = in.process;
  cpu.priority = words.incoming_priority();
  cpu.since = time;
  const bool outgoing_idle = out.process == 0 && words.outgoing_priority() == 0;
  WholeSwitch change;
  change.cpu = number;
  change.time = time;
  change.idle = idle;
  change.index = in.index;
  change.outgoing_idle = outgoing_idle;
  change.outgoing = out.index;
  change.priority = words.incoming_priority();
  change.preempted = preempted;
  EmitWhole(change, [&] {
    return WithIncoming({.outgoing = left,
                         .outgoing_process = out.process,
                         .outgoing_idle = outgoing_idle,
                         .preempted = preempted},
                        number, cpu, time);
  });
  return true;
}

template <typename Handler>
inline bool Timeline<Handler>::TakeWakeup(const fxt::UnresolvedWakeup& words,
                                          FastPathTables::Table& table) {
  const uint64_t time = table.provider->ToNanoseconds(words.timestamp);
  const ThreadIndex index = Find(words.thread);
  if (time < latest_ || index >= threads_.size()) return false;
  Thread& thread = threads_[index];
  const bool asleep = thread.kind == WaitKind::kSleep || thread.kind == WaitKind::kBlocked;
  if (!asleep || thread.running || !IsWhole(thread) || !IsReady(index)) return false;
  if (thread.has_object) return false;
  Wakeup& wakeup = wakeup_;
  wakeup.waker.reset();
  wakeup.via = WakeVia::kNone;
  wakeup.by_interrupt = false;
  wakeup.time = time;
  wakeup.cpu = words.cpu;
  wakeup.thread = words.thread;
  ThreadIndex waker = kNoThread;
  if (words.argument_name != 0) {
    if (!FastPathTables::IsWaker(table, words.argument_name)) return false;
    if (words.text_name != 0) {
      if (!FastPathTables::IsNetRx(table, words.text_name, words.text)) return false;
      wakeup.via = WakeVia::kNetRx;
    }
    wakeup.waker = words.argument_koid;
    waker = Find(words.argument_koid);
    if constexpr (requires { handler_.IsReady(index); }) {
      if (waker == kNoThread || !IsReady(waker)) return false;
    }
  } else {
    wakeup.by_interrupt = table.is_recorder;
  }
  ++CpuAt(wakeup.cpu).wakeups;
  Emit(wakeup);
  WholeWait wait;
  wait.index = index;
  wait.thread = thread.koid;
  wait.kind = thread.kind;
  wait.begin = thread.since;
  wait.end = time;
  wait.end_cpu = wakeup.cpu;
  wait.waker = waker;
  EmitWhole(wait, wakeup, [&] { return EndBy(wakeup, thread, index); });
  latest_ = time;
  BeginWaitForCpu(thread, wakeup);
  return true;
}

template <typename Handler>
void Timeline<Handler>::AddRecorderEvent(const fxt::Event& event, uint64_t time) {
  if (const auto loss = AsLoss(event)) {
    const auto category = loss->category.value_or(schema::category::kSched);
    if (category == schema::category::kSched) OnLoss(loss->cpu.value_or(-1), time);
  } else if (const auto cpu = AsUnseenSwitch(event)) {
    if (*cpu >= 0 && *cpu <= UINT16_MAX) OnUnseenSwitch(static_cast<uint32_t>(*cpu), time);
  } else if (IsSession(event)) {
    Reach(time);
    filtered_ = filtered_ || IsFiltered(event);
  } else if (IsFilteringTrim(event)) {
    filtered_ = true;
  }
}

template <typename Handler>
void Timeline<Handler>::EmitEnd(Wait& wait) {
  // A thread that occurs again has not exited.
  if (wait.kind == WaitKind::kAbsent && wait.state && wait.ended != Bound::kFileEdge) {
    wait.kind = WaitKind::kUnknown;
  }
  if (wait.kind != WaitKind::kUnknown || wait.end > wait.begin) Emit(wait);
}

template <typename Handler>
void Timeline<Handler>::EmitSleepEnd(Wait& wait, Thread& thread) {
  if (!thread.has_object) return EmitEnd(wait);
  thread.has_object = false;
  const auto found = objects_.find(wait.index);
  if (found == objects_.end()) return EmitEnd(wait);
  wait.object = &found->second;
  EmitEnd(wait);
  objects_.erase(found);
}

template <typename Handler>
void Timeline<Handler>::OnObject(fxt::Koid koid, WaitObject object, uint64_t time) {
  // A sleep's object comes right before its end. A file with more of them open is not a recording.
  constexpr size_t kMaxObjects = 4096;
  Reach(time);
  const ThreadIndex index = IndexOf(koid);
  Thread* thread = ThreadAt(index);
  if (thread == nullptr || thread->running || thread->idle || IsRunnable(thread->kind)) return;
  if (objects_.size() >= kMaxObjects) objects_.clear();
  objects_[index] = std::move(object);
  thread->has_object = true;
}

template <typename Handler>
void Timeline<Handler>::EndRun(uint32_t number, Cpu& cpu, uint64_t time, Bound ended,
                               const std::optional<fxr_task_state>& state) {
  const uint64_t end = std::max(time, cpu.since);
  if (cpu.does == CpuActivity::kIdle) {
    cpu.idle_ns += end - cpu.since;
    Emit(Idle{number, cpu.index, cpu.thread, cpu.since, end, cpu.began, ended});
  } else {
    cpu.busy_ns += end - cpu.since;
    Run run{.cpu = number,
            .index = cpu.index,
            .thread = cpu.thread,
            .begin = cpu.since,
            .end = end,
            .began = cpu.began,
            .ended = ended};
    Assign(run.process, cpu.process);
    Assign(run.priority, cpu.priority);
    Assign(run.end_state, state);
    Emit(run);
  }
}

template <typename Handler>
void Timeline<Handler>::EndGap(uint32_t number, Cpu& cpu, uint64_t time, Bound ended) {
  if (cpu.why == Gap::Why::kLost) --lossy_cpus_;
  const uint64_t end = std::max(time, cpu.since);
  if (end == cpu.since) return;
  cpu.unknown_ns += end - cpu.since;
  Emit(Gap{number, cpu.since, end, cpu.why, cpu.shown, ended});
}

template <typename Handler>
void Timeline<Handler>::BeginGap(Cpu& cpu, Gap::Why why, uint64_t time) {
  cpu.does = CpuActivity::kGap;
  cpu.why = why;
  cpu.since = time;
  cpu.shown = false;
  if (why == Gap::Why::kLost) ++lossy_cpus_;
}

// The thread on the CPU left it at an unknown time since it came.
template <typename Handler>
void Timeline<Handler>::Disown(Cpu& cpu) {
  if (cpu.does == CpuActivity::kRun) {
    if (Thread* thread = ThreadAt(cpu.index)) {
      BeginWait(*thread, WaitKind::kUnknown, cpu.since, Bound::kUnseen);
    }
  }
  BeginGap(cpu, WhyMissing(), cpu.since);
}

// Returns the thread if it left runnable.
template <typename Handler>
ThreadIndex Timeline<Handler>::Leave(Cpu& cpu, const Switch& change) {
  Thread* thread = ThreadAt(cpu.index);
  const auto state = StateOf(thread, change.outgoing_state);
  Assign(cpu.priority, change.outgoing.priority);
  EndRun(change.cpu, cpu, change.time, Bound::kSeen, state);
  if (cpu.does == CpuActivity::kIdle || thread == nullptr) return kNoThread;
  if (!state) {
    BeginWait(*thread, WaitKind::kUnknown, change.time, Bound::kSeen);
    return kNoThread;
  }
  BeginWaitIn(*thread, *state, change.time, !change.incoming.idle, change.incoming.thread);
  return thread->kind == WaitKind::kPreempted ? cpu.index : kNoThread;
}

// The outgoing thread is on the CPU up to now, and its begin is not known.
template <typename Handler>
void Timeline<Handler>::TakeOver(const Switch& change, Cpu& cpu) {
  Bound began = Bound::kUnseen;
  const ThreadIndex index = IndexOf(change.outgoing.thread);
  const Thread* known = ThreadAt(index);
  const bool fresh =
      known == nullptr || change.outgoing.idle ||
      (known->began == Bound::kFileEdge && known->kind == WaitKind::kUnknown && !known->running);
  if (cpu.does == CpuActivity::kNothingSeen && fresh) {
    began = Bound::kFileEdge;
  } else {
    if (cpu.does == CpuActivity::kGap && cpu.why == Gap::Why::kLost) began = Bound::kLoss;
    if (cpu.does != CpuActivity::kGap) Disown(cpu);
    EndGap(change.cpu, cpu, change.time, Bound::kSeen);
    cpu.since = change.time;
  }
  Come(change.outgoing, change.cpu, cpu.since, began);
}

template <typename Handler>
void Timeline<Handler>::Come(const SwitchSide& side, uint32_t number, uint64_t time, Bound began) {
  const ThreadIndex index = IndexOf(side.thread);
  Thread* thread = ThreadAt(index);
  if (thread != nullptr) thread->idle = side.idle;
  if (thread != nullptr && !side.idle) {
    if (thread->running) Disown(CpuAt(thread->cpu));
    const bool asleep = thread->kind == WaitKind::kSleep || thread->kind == WaitKind::kBlocked ||
                        thread->kind == WaitKind::kStopped;
    Wait wait =
        EndOfWait(*thread, index, time, began == Bound::kSeen && asleep ? Bound::kNoWakeup : began);
    wait.end_record = WaitEnd::kSwitch;
    wait.end_cpu = number;
    // The newer layout has weights instead of priorities.
    if (side.process && side.priority) wait.next_priority = static_cast<int32_t>(*side.priority);
    EmitSleepEnd(wait, *thread);
    thread->running = true;
    thread->cpu = number;
  }
  Cpu& cpu = CpuAt(number);
  cpu.does = side.idle ? CpuActivity::kIdle : CpuActivity::kRun;
  cpu.began = began;
  cpu.index = index;
  cpu.thread = side.thread;
  Assign(cpu.process, side.process);
  Assign(cpu.priority, side.priority);
  cpu.since = time;
}

template <typename Handler>
void Timeline<Handler>::OnSwitch(const Switch& change) {
  Reach(change.time);
  Cpu& cpu = CpuAt(change.cpu);
  ++cpu.switches;
  Bound began = Bound::kSeen;
  CpuSwitch sides;
  if (!change.outgoing.lost) [[likely]] {
    sides.outgoing = change.outgoing.thread;
    Assign(sides.outgoing_process, change.outgoing.process);
    sides.outgoing_idle = change.outgoing.idle;
  }
  const bool is_there = (cpu.does == CpuActivity::kRun || cpu.does == CpuActivity::kIdle) &&
                        cpu.thread == change.outgoing.thread;
  if (change.incoming.lost) [[unlikely]] {
    // The loss was declared already, unless it was trimmed away.
    OnLoss(static_cast<int32_t>(change.cpu), change.time);
    cpu.shown = true;
    cpu.unseen_declared = false;
    return EmitSwitch(sides, change.cpu, cpu, change.time);
  }
  if (cpu.unseen_declared || change.outgoing.lost) [[unlikely]] {
    // The recorder synthesised this record without data of the outgoing thread.
    if (cpu.does != CpuActivity::kGap) Disown(cpu);
    began = cpu.why == Gap::Why::kLost ? Bound::kLoss : Bound::kUnseen;
    EndGap(change.cpu, cpu, change.time, Bound::kSeen);
    cpu.unseen_declared = false;
  } else {
    if (!is_there) [[unlikely]] {
      TakeOver(change, cpu);
    }
    sides.preempted = Leave(cpu, change);
  }
  cpu.does = CpuActivity::kNothingSeen;
  Come(change.incoming, change.cpu, change.time, began);
  if (began != Bound::kSeen) cpu.priority.reset();  // synthesised, as the rest of that record
  EmitSwitch(sides, change.cpu, cpu, change.time);
}

template <typename Handler>
void Timeline<Handler>::OnWakeup(const Wakeup& wakeup) {
  Emit(wakeup);
  Reach(wakeup.time);
  ++CpuAt(wakeup.cpu).wakeups;
  const ThreadIndex index = IndexOf(wakeup.thread);
  Thread* thread = ThreadAt(index);
  if (thread == nullptr || thread->running) return;
  if ((IsRunnable(thread->kind) || thread->kind == WaitKind::kThrottled) &&
      thread->losses == losses_) {
    return;
  }
  Wait wait = EndBy(wakeup, *thread, index);
  EmitSleepEnd(wait, *thread);
  BeginWaitForCpu(*thread, wakeup);
}

template <typename Handler>
void Timeline<Handler>::OnLoss(int32_t number, uint64_t time) {
  Reach(time);
  ++losses_;
  if (number < 0 || number > UINT16_MAX) return;
  Cpu& cpu = CpuAt(static_cast<uint32_t>(number));
  if (cpu.does == CpuActivity::kGap) {
    // Two gaps of different reasons cannot be distinguished: they are one.
    if (cpu.why != Gap::Why::kLost) ++lossy_cpus_;
    cpu.why = Gap::Why::kLost;
    return;
  }
  uint64_t since = std::max(time, cpu.since);
  if (cpu.does == CpuActivity::kNothingSeen) {
    since = cpu.since;
  } else {
    EndRun(static_cast<uint32_t>(number), cpu, since, Bound::kLoss, std::nullopt);
    Thread* thread = cpu.does == CpuActivity::kRun ? ThreadAt(cpu.index) : nullptr;
    if (thread != nullptr) BeginWait(*thread, WaitKind::kUnknown, since, Bound::kLoss);
  }
  BeginGap(cpu, Gap::Why::kLost, since);
}

template <typename Handler>
void Timeline<Handler>::OnUnseenSwitch(uint32_t number, uint64_t time) {
  Reach(time);
  Cpu& cpu = CpuAt(number);
  cpu.unseen_declared = true;
  if (cpu.does != CpuActivity::kGap) Disown(cpu);
}

template <typename Handler>
void Timeline<Handler>::OnFork(fxt::Koid koid, uint64_t time) {
  Reach(time);
  const size_t before = threads().size();
  const ThreadIndex index = IndexOf(koid);
  // A thread that was seen before has its fork event late.
  if (index != kNoThread && index >= before) ThreadAt(index)->kind = WaitKind::kAbsent;
}

template <typename Handler>
void Timeline<Handler>::AddThrottled(const fxt::Event& event, uint64_t time) {
  const auto value = [&](std::string_view name) {
    const auto number = IntegerValue(FindArgument(event.arguments, name));
    return static_cast<uint64_t>(std::max<int64_t>(0, number.value_or(0)));
  };
  const auto ago = [&](std::string_view name) { return time - std::min(time, value(name)); };
  CpuLimit limit{.cgroup = {},
                 .quota_ns = value(schema::argument::kQuota),
                 .period_ns = value(schema::argument::kPeriod)};
  const auto cgroup = TextOf(FindArgument(event.arguments, schema::argument::kCgroup));
  if (cgroup) limit.cgroup = *cgroup;
  OnThrottled(event.thread.thread, ago(schema::argument::kSince), ago(schema::argument::kUntil),
              time, std::move(limit));
}

template <typename Handler>
void Timeline<Handler>::OnThrottled(fxt::Koid koid, uint64_t begin, uint64_t end, uint64_t time,
                                    CpuLimit limit) {
  Reach(time);
  const ThreadIndex index = IndexOf(koid);
  Thread* thread = ThreadAt(index);
  if (thread == nullptr || thread->running) return;
  const bool is_throttled = thread->kind == WaitKind::kThrottled;
  if (!is_throttled && !IsRunnable(thread->kind)) return;
  begin = is_throttled ? thread->since : std::max(begin, thread->since);
  end = std::clamp(end, begin, std::max(begin, time));
  if (!is_throttled && end == begin) return;
  const uint32_t losses = thread->losses;
  if (!is_throttled && begin > thread->since) {
    Wait before = EndOfWait(*thread, index, begin, Bound::kSeen);
    EmitEnd(before);
  }
  const Bound began = begin > thread->since ? Bound::kSeen : thread->began;
  BeginWaitIn(*thread, FXR_STATE_THROTTLED, begin, false, 0);
  thread->began = began;
  thread->losses = losses;
  Wait throttled = EndOfWait(*thread, index, end, Bound::kSeen);
  throttled.limit = KeepLimit(std::move(limit));
  EmitEnd(throttled);
  BeginWaitIn(*thread, FXR_STATE_RUNNABLE, end, false, 0);
  thread->losses = losses;
}

template <typename Handler>
void Timeline<Handler>::Finish(uint64_t end) {
  Reach(end);
  end = latest();
  for (uint32_t number = 0; number < cpus().size(); ++number) {
    Cpu& cpu = CpuAt(number);
    if (cpu.does == CpuActivity::kGap) {
      EndGap(number, cpu, end, Bound::kFileEdge);
    } else if (cpu.does != CpuActivity::kNothingSeen) {
      EndRun(number, cpu, end, Bound::kFileEdge, std::nullopt);
    }
  }
  for (ThreadIndex index = 0; index < threads().size(); ++index) {
    Thread& thread = *ThreadAt(index);
    if (thread.running || thread.idle) continue;
    Wait wait = EndOfWait(thread, index, end, Bound::kFileEdge);
    EmitEnd(wait);
  }
}

}  // namespace facts
