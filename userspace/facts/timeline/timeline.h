// SPDX-License-Identifier: BSD-2-Clause
// The one place that knows who runs where, who waits for what, and what is not known.
//
// Hand over every record of a trace in file order; each fact (facts/fact.h) is told when it ends:
//
//   struct Handler {
//     void OnRun(const facts::Run& run);      // what is not there is not told
//     void OnWait(const facts::Wait& wait);
//     void OnIdle(const facts::Idle& idle);
//     void OnGap(const facts::Gap& gap);
//   } handler;
//   facts::Timeline timeline(handler);
//   while (reader.Next() == fxt::ReadStatus::kRecord) timeline.Add(reader);
//   timeline.Finish(timeline.latest());
//
// - **Switch.** Where the thread that leaves is the one that came, its Run ends, and a Wait of the
//   kind of its state begins; the wait of the one that comes ends.
// - **Another one leaves.** A switch is missing: the CPU is in a Gap since its last switch, the
//   thread that was there waits in kUnknown from then, and the one that leaves did so up to now; it
//   has a Run of length 0 that begins kUnseen. The same where a thread comes to a CPU while it is
//   on another one: that one is in a Gap since it came there.
// - **`unseen_switch`.** The same, declared. The switch behind it is the recorder's, to close the
//   time of the thread that was there: its outgoing state says nothing.
// - **A declared loss** of scheduling events of a CPU ends its Run or Idle (kLoss): it was there up
//   to the loss. The CPU is in a Gap up to the next switch that is not the recorder's closing one,
//   or to that one's incoming thread, "(lost events)" on the CPU or not. Waits that go on meanwhile
//   touch a loss, on whichever CPU it was.
// - **Wakeup.** Ends a sleep and begins the wait for a CPU. Of a thread that runs, or is runnable
//   as far as is known, it says nothing new and is passed over; after a loss it does.
// - **Edges.** Before its first switch a CPU is taken to run what leaves then, cut (kFileEdge),
//   unless that thread was seen elsewhere; at the end of the window all is cut.
// - **Filtered recordings** show all of the threads that they are of. Others may have left a CPU
// and
//   come back unseen.
// - **State.** That of Linux, as LinuxStateTracker has it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <variant>

#include "facts/recorder_facts.h"
#include "facts/scheduling.h"
#include "facts/timeline/fact.h"
#include "facts/timeline/fast_path.h"
#include "fxt/reader.h"
#include "schema/koid.h"
#include "schema/names.h"

namespace facts {

// For those who only ask what goes on.
struct NoFacts {};

template <typename Handler>
class Timeline : public FastPath {
 public:
  // `handler` must outlive the timeline. It may not ask the timeline while it is told.
  explicit Timeline(Handler& handler) : handler_(handler) {}
  Timeline(const Timeline&) = delete;
  Timeline& operator=(const Timeline&) = delete;

  // The record that `reader` stands at. Other kinds than switches, wakeups and what a recorder says
  // about losses, births and states pass.
  void Add(const fxt::Reader& reader) {
    const fxt::Record& record = reader.record();
    if (const auto change = AsSwitch(record, reader.provider())) return OnSwitch(*change);
    if (const auto wakeup = AsWakeup(record, reader.provider())) return OnWakeup(*wakeup);
    if (const auto* event = std::get_if<fxt::Event>(&record)) return AddEvent(reader, *event);
    if (const auto* filled = std::get_if<fxt::ProviderEvent>(&record)) {
      // fxt-record says more right behind it; of others nobody knows since when.
      if (filled->event == fxt::kProviderEventBufferFilledUp &&
          reader.provider().name() != schema::kRecorderName) {
        ++losses_;
      }
    }
  }

  void OnSwitch(const Switch& change);
  void OnWakeup(const Wakeup& wakeup);
  // Scheduling events of `cpu` are missing from `time` on; of a CPU below 0: of any, at some time
  // before, which leaves the waits open that go on.
  void OnLoss(int32_t cpu, uint64_t time);
  // A switch of `cpu` is missing between the last one and `time`; the next one closes its time.
  void OnUnseenSwitch(uint32_t cpu, uint64_t time);
  // `thread` is being made.
  void OnFork(fxt::Koid thread, uint64_t time);

  // Cuts what goes on, at `end`, or at the latest switch, wakeup or loss if that is later. Nothing
  // may be added any more.
  void Finish(uint64_t end);

 private:
  using Does = Cpu::Does;

  void AddEvent(const fxt::Reader& reader, const fxt::Event& event) {
    if (event.type != fxt::EventType::kInstant) return;
    const uint64_t time = reader.ToNanoseconds(event.timestamp);
    if (event.category.text == schema::kRecorderName) {
      AddRecorderEvent(event, time);
    } else if (IsLinuxState(event)) {
      Reach(time);
      NoteState(event);
    } else if (event.category.text == schema::category::kTask &&
               event.name.text == schema::event::kFork) {
      const auto child = KoidOf(FindArgument(event.arguments, schema::argument::kChild));
      if (child) OnFork(*child, time);
    }
  }
  void AddRecorderEvent(const fxt::Event& event, uint64_t time);

  void Tell(const Run& run) {
    if constexpr (requires { handler_.OnRun(run); }) handler_.OnRun(run);
  }
  void Tell(const Wait& wait) {
    if constexpr (requires { handler_.OnWait(wait); }) handler_.OnWait(wait);
  }
  void Tell(const Idle& idle) {
    if constexpr (requires { handler_.OnIdle(idle); }) handler_.OnIdle(idle);
  }
  void Tell(const Gap& gap) {
    if constexpr (requires { handler_.OnGap(gap); }) handler_.OnGap(gap);
  }

  void EndWait(Thread& thread, ThreadIndex index, uint64_t time, Bound ended);
  void EndRun(uint32_t number, const Cpu& cpu, uint64_t time, Bound ended,
              const std::optional<fxr_task_state>& state);
  void EndGap(uint32_t number, Cpu& cpu, uint64_t time, Bound ended);
  void BeginGap(Cpu& cpu, Gap::Why why, uint64_t time);
  void Disown(Cpu& cpu);
  void TakeOver(const Switch& change, Cpu& cpu);
  void Leave(Cpu& cpu, const Switch& change);
  void Come(const SwitchSide& side, uint32_t number, uint64_t time, Bound began);
  Gap::Why WhyMissing() const { return filtered_ ? Gap::Why::kFiltered : Gap::Why::kUnseen; }

  Handler& handler_;
};

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
void Timeline<Handler>::EndWait(Thread& thread, ThreadIndex index, uint64_t time, Bound ended) {
  Wait wait = EndOfWait(thread, index, time, ended);
  // What comes again was not gone.
  if (wait.kind == WaitKind::kAbsent && wait.state && ended != Bound::kFileEdge) {
    wait.kind = WaitKind::kUnknown;
  }
  if (wait.kind != WaitKind::kUnknown || wait.end > wait.begin) Tell(wait);
}

template <typename Handler>
void Timeline<Handler>::EndRun(uint32_t number, const Cpu& cpu, uint64_t time, Bound ended,
                               const std::optional<fxr_task_state>& state) {
  const uint64_t end = std::max(time, cpu.since);
  if (cpu.does == Does::kIdle) {
    Tell(Idle{number, cpu.index, cpu.thread, cpu.since, end, cpu.began, ended});
  } else {
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
    Tell(run);
  }
}

template <typename Handler>
void Timeline<Handler>::EndGap(uint32_t number, Cpu& cpu, uint64_t time, Bound ended) {
  if (cpu.why == Gap::Why::kLost) --lossy_cpus_;
  const uint64_t end = std::max(time, cpu.since);
  if (end > cpu.since) Tell(Gap{number, cpu.since, end, cpu.why, cpu.shown, ended});
}

template <typename Handler>
void Timeline<Handler>::BeginGap(Cpu& cpu, Gap::Why why, uint64_t time) {
  cpu.does = Does::kGap;
  cpu.why = why;
  cpu.since = time;
  cpu.shown = false;
  if (why == Gap::Why::kLost) ++lossy_cpus_;
}

// What is on the CPU left it at an unknown time since it came.
template <typename Handler>
void Timeline<Handler>::Disown(Cpu& cpu) {
  if (cpu.does == Does::kRun) {
    if (Thread* thread = ThreadAt(cpu.index)) {
      BeginWait(*thread, WaitKind::kUnknown, cpu.since, Bound::kUnseen);
    }
  }
  BeginGap(cpu, WhyMissing(), cpu.since);
}

template <typename Handler>
void Timeline<Handler>::Leave(Cpu& cpu, const Switch& change) {
  Thread* thread = ThreadAt(cpu.index);
  const auto state = StateOf(thread, change.outgoing_state);
  Assign(cpu.priority, change.outgoing.priority);
  EndRun(change.cpu, cpu, change.time, Bound::kSeen, state);
  if (cpu.does == Does::kIdle || thread == nullptr) return;
  BeginWait(*thread, state ? KindOf(*state) : WaitKind::kUnknown, change.time, Bound::kSeen);
  if (!state) return;
  thread->left = true;
  thread->state = static_cast<uint8_t>(*state);
}

// The thread that leaves is there up to now, and nothing tells since when.
template <typename Handler>
void Timeline<Handler>::TakeOver(const Switch& change, Cpu& cpu) {
  Bound began = Bound::kUnseen;
  const ThreadIndex index = IndexOf(change.outgoing.thread);
  const Thread* known = ThreadAt(index);
  const bool fresh =
      known == nullptr || change.outgoing.idle ||
      (known->began == Bound::kFileEdge && known->kind == WaitKind::kUnknown && !known->running);
  if (cpu.does == Does::kNothingSeen && fresh) {
    began = Bound::kFileEdge;
  } else {
    if (cpu.does == Does::kGap && cpu.why == Gap::Why::kLost) began = Bound::kLoss;
    if (cpu.does != Does::kGap) Disown(cpu);
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
    EndWait(*thread, index, time, began == Bound::kSeen && asleep ? Bound::kNoWakeup : began);
    thread->running = true;
    thread->cpu = number;
  }
  Cpu& cpu = CpuAt(number);
  cpu.does = side.idle ? Does::kIdle : Does::kRun;
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
  const bool there =
      (cpu.does == Does::kRun || cpu.does == Does::kIdle) && cpu.thread == change.outgoing.thread;
  if (change.incoming.lost) [[unlikely]] {
    // The loss has said so already, unless it was trimmed away.
    OnLoss(static_cast<int32_t>(change.cpu), change.time);
    cpu.shown = true;
    cpu.unseen_told = false;
    return;
  }
  if (cpu.unseen_told || change.outgoing.lost) [[unlikely]] {
    // The recorder's own: what it says of the outgoing thread is made up.
    if (cpu.does != Does::kGap) Disown(cpu);
    began = cpu.why == Gap::Why::kLost ? Bound::kLoss : Bound::kUnseen;
    EndGap(change.cpu, cpu, change.time, Bound::kSeen);
    cpu.unseen_told = false;
  } else {
    if (!there) [[unlikely]] {
      TakeOver(change, cpu);
    }
    Leave(cpu, change);
  }
  cpu.does = Does::kNothingSeen;
  Come(change.incoming, change.cpu, change.time, began);
  if (began != Bound::kSeen) cpu.priority.reset();  // made up, as the rest of that record
}

template <typename Handler>
void Timeline<Handler>::OnWakeup(const Wakeup& wakeup) {
  Reach(wakeup.time);
  const ThreadIndex index = IndexOf(wakeup.thread);
  Thread* thread = ThreadAt(index);
  if (thread == nullptr || thread->running) return;
  if (IsRunnable(thread->kind) && thread->losses == losses_) return;
  EndWait(*thread, index, wakeup.time, Bound::kSeen);
  Woken(*thread, wakeup.time, wakeup.cpu, wakeup.waker);
}

template <typename Handler>
void Timeline<Handler>::OnLoss(int32_t number, uint64_t time) {
  Reach(time);
  ++losses_;
  if (number < 0 || number > UINT16_MAX) return;
  Cpu& cpu = CpuAt(static_cast<uint32_t>(number));
  if (cpu.does == Does::kGap) {
    // Of the other kind: both are one as far as anybody can tell.
    if (cpu.why != Gap::Why::kLost) ++lossy_cpus_;
    cpu.why = Gap::Why::kLost;
    return;
  }
  uint64_t since = std::max(time, cpu.since);
  if (cpu.does == Does::kNothingSeen) {
    since = cpu.since;
  } else {
    EndRun(static_cast<uint32_t>(number), cpu, since, Bound::kLoss, std::nullopt);
    Thread* thread = cpu.does == Does::kRun ? ThreadAt(cpu.index) : nullptr;
    if (thread != nullptr) BeginWait(*thread, WaitKind::kUnknown, since, Bound::kLoss);
  }
  BeginGap(cpu, Gap::Why::kLost, since);
}

template <typename Handler>
void Timeline<Handler>::OnUnseenSwitch(uint32_t number, uint64_t time) {
  Reach(time);
  Cpu& cpu = CpuAt(number);
  cpu.unseen_told = true;
  if (cpu.does != Does::kGap) Disown(cpu);
}

template <typename Handler>
void Timeline<Handler>::OnFork(fxt::Koid koid, uint64_t time) {
  Reach(time);
  const size_t before = threads().size();
  const ThreadIndex index = IndexOf(koid);
  // One that was seen before is told late.
  if (index != kNoThread && index >= before) ThreadAt(index)->kind = WaitKind::kAbsent;
}

template <typename Handler>
void Timeline<Handler>::Finish(uint64_t end) {
  Reach(end);
  end = latest();
  for (uint32_t number = 0; number < cpus().size(); ++number) {
    Cpu& cpu = CpuAt(number);
    if (cpu.does == Does::kGap) {
      EndGap(number, cpu, end, Bound::kFileEdge);
    } else if (cpu.does != Does::kNothingSeen) {
      EndRun(number, cpu, end, Bound::kFileEdge, std::nullopt);
    }
  }
  for (ThreadIndex index = 0; index < threads().size(); ++index) {
    Thread& thread = *ThreadAt(index);
    if (!thread.running && !thread.idle) EndWait(thread, index, end, Bound::kFileEdge);
  }
}

}  // namespace facts
