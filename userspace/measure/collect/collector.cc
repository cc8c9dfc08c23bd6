// SPDX-License-Identifier: BSD-2-Clause
#include "measure/collect/collector.h"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "facts/recorder_facts.h"
#include "measure/collect/session_info.h"
#include "schema/koid.h"
#include "schema/names.h"

namespace measure {
namespace {

using facts::Bound;
using facts::CpuActivity;
using facts::WaitKind;

template <typename Fact>
Extent ExtentOf(const Fact& fact) {
  const auto open = [](Bound bound) { return bound != Bound::kSeen && bound != Bound::kFileEdge; };
  if (open(fact.began) || open(fact.ended)) return Extent::kUnknown;
  const bool cut = fact.began == Bound::kFileEdge || fact.ended == Bound::kFileEdge;
  return cut ? Extent::kCut : Extent::kWhole;
}

// The kernel's priority, which the legacy layout has; the newer one has weights, where more is
// more.
int16_t PriorityOf(const std::optional<int64_t>& priority, bool is_legacy) {
  return priority && is_legacy ? static_cast<int16_t>(*priority) : int16_t{-1};
}

bool IsOver(fxr_task_state state) { return state == FXR_STATE_DEAD || state == FXR_STATE_ZOMBIE; }

// The duration that a wait counts as, by its kind.
struct DurationOfKind {
  Duration duration = Duration::kSlice;
  bool any = false;
};
constexpr std::array<DurationOfKind, 8> kDurationOf = {{
    {},
    {},
    {Duration::kWakeupLatency, true},
    {Duration::kPreemptedWait, true},
    {Duration::kSleep, true},
    {Duration::kBlocked, true},
    {},
    {},
}};
static_assert(static_cast<size_t>(WaitKind::kWakeup) == 2 &&
              static_cast<size_t>(WaitKind::kBlocked) == 5 &&
              static_cast<size_t>(WaitKind::kThrottled) + 1 == kDurationOf.size());

}  // namespace

void Collector::Start(const fxt::Reader& reader) {
  const auto time = facts::TimeOf(reader.record(), reader.provider());
  if (!time) return;
  started_ = true;
  first_ = *time;
  const auto move = [&](uint64_t& edge) {
    edge = edge > UINT64_MAX - *time ? UINT64_MAX : edge + *time;
  };
  if (options_.from_is_relative) move(options_.from);
  if (options_.to_is_relative) move(options_.to);
  if (meter_) meter_->SetWindow(options_.from, options_.to);
}

template <typename Each>
inline Collector::Charged Collector::ForEachHolder(const facts::WholeWait& wait,
                                                   const Thread& thread, Each&& each) const {
  uint64_t idle = 0;
  facts::RunnableReasons::OpenWait reasons(reasons_, wait.index, wait.next_priority);
  const auto look = [&](const facts::CpuHistory::Span& part, uint64_t began)
      __attribute__((always_inline)) {
    const uint64_t length = part.end - part.begin;
    if (part.group == facts::CpuHistory::kIdle) {
      idle += length;
      reasons.AddIdle(began, part.begin, part.end);
    } else {
      reasons.AddHolder(began, part.begin, part.end, part.cgroup, part.priority);
      const bool lower = wait.next_priority >= 0 && part.priority > wait.next_priority;
      each(part.group, lower, length);
    }
  };
  const bool moved = thread.moved_from != Thread::kNoCpu && thread.moved_at > wait.begin &&
                     thread.moved_at < wait.end && thread.moved_from != wait.end_cpu;
  uint32_t cpu = wait.end_cpu;
  uint64_t begin = moved ? thread.moved_at : wait.begin;
  uint64_t end = wait.end;
  while (true) {
    history_.Look(cpu, begin, end, look);
    if (!moved || cpu == thread.moved_from) break;
    cpu = thread.moved_from;
    begin = wait.begin;
    end = thread.moved_at;
  }
  return {.idle_ns = idle, .parts = reasons.End(wait)};
}

// --- whole facts

template <typename Full>
inline void Collector::Facts::OnWholeRun(const facts::WholeRun& run, Full&& full) const {
  Collector& c = collector;
  Accounts::Member& member = c.accounts_.Settled(run.index);
  Thread& thread = c.threads_[run.index];
  c.history_.Add(run.cpu, {.begin = run.begin,
                           .end = run.end,
                           .group = member.group_number(),
                           .priority = static_cast<int16_t>(run.priority),
                           .cgroup = c.reasons_.CgroupOf(run.index)});
  thread.idle_clock = c.IdleClock(run.end);
  c.reasons_.OnEnd(run.index, run.end);
  const bool migrated = thread.cpu != Thread::kNoCpu && thread.cpu != run.cpu;
  thread.cpu = run.cpu;
  thread.after_blocked = false;
  if (c.paths_ != nullptr) c.paths_->Add(run);
  Watcher* const watcher = c.options_.watcher;
  if (watcher != nullptr && !watcher->TakesRun(run.cpu, run.thread, run.begin, run.end)) {
    watcher->OnRun(full());
  }
  c.accounts_.AddRun(member, {run.begin, run.end - run.begin, run.thread, run.cpu},
                     run.is_preempted(), migrated);
}

template <typename Full>
inline void Collector::Facts::OnWholeSleep(const facts::WholeWait& sleep, const facts::Wakeup& end,
                                           Full&& full) const {
  Collector& c = collector;
  Thread& thread = c.threads_[sleep.index];
  const bool blocked = sleep.kind == WaitKind::kBlocked;
  thread.idle_clock = c.IdleClock(sleep.end);
  c.reasons_.OnEnd(sleep.index, sleep.end);
  thread.after_blocked = blocked;
  if (c.paths_ != nullptr) c.paths_->Add(sleep, end);
  Watcher* const watcher = c.options_.watcher;
  if (watcher != nullptr &&
      (blocked || !watcher->TakesSleep(sleep.index, sleep.thread, sleep.end, end.waker, end.via))) {
    watcher->OnWait(full());
  }
  uint32_t waker = c.has_wakers_ || end.by_interrupt ? kInterrupt : kNoGroup;
  if (end.waker) waker = c.accounts_.Settled(sleep.waker).group_number();
  const uint32_t cpu = thread.cpu == Thread::kNoCpu ? 0 : thread.cpu;
  const facts::WaitsFor waits_for = c.purposes_.OnWait(sleep, end, c.timeline_);
  if (waker == c.accounts_.Settled(sleep.index).group_number()) waker = c.GiverGroup(waker);
  // It may introduce a thread, which moves the members.
  const uint32_t whom = c.WhomOf(waits_for, waker);
  c.accounts_.AddSleep(c.accounts_.Settled(sleep.index),
                       {sleep.begin, sleep.end - sleep.begin, sleep.thread, cpu}, blocked, waker,
                       waits_for, whom);
}

template <typename Full>
inline void Collector::Facts::OnWholeWait(const facts::WholeWait& wait, Full&& full) const {
  Collector& c = collector;
  Accounts::Member& member = c.accounts_.Settled(wait.index);
  Thread& thread = c.threads_[wait.index];
  const uint64_t idle_clock = std::exchange(thread.idle_clock, c.IdleClock(wait.end));
  if (c.paths_ != nullptr) c.paths_->Add(wait);
  Watcher* const watcher = c.options_.watcher;
  if (watcher != nullptr && !watcher->TakesWait(wait.end_cpu, wait.begin, wait.end)) {
    watcher->OnWait(full());
  }
  const Instance instance{wait.begin, wait.end - wait.begin, wait.thread, wait.end_cpu};
  c.accounts_.AddRunnable(member, instance, wait.kind == WaitKind::kPreempted, thread.preemptor,
                          std::exchange(thread.after_blocked, false));
  const uint64_t any_idle = thread.idle_clock - idle_clock;
  Charged charged;
  c.held_count_ = 0;
  if (c.accounts_.HasParts(member)) [[likely]] {
    BlameLedger::Parts parts = c.accounts_.PartsOf(member);
    uint64_t inversion = 0;
    charged = c.ForEachHolder(wait, thread, [&](uint32_t group, bool lower, uint64_t ns) {
      if (parts.Add(group, lower, ns)) {
        inversion += lower ? ns : 0;
      } else {
        c.Hold(group, lower, ns);
      }
    });
    if (inversion != 0) c.accounts_.AddInversion(member, inversion);
  } else {
    charged = c.Charge(wait, thread);
  }
  c.accounts_.AddHolders(member, any_idle - std::min(any_idle, charged.idle_ns), charged.parts,
                         {c.held_.data(), c.held_count_});
  c.reasons_.OnEnd(wait.index, wait.end);
}

template <typename Full>
inline void Collector::Facts::OnWholeSwitch(const facts::WholeSwitch& change, Full&&) const {
  Collector& c = collector;
  const uint32_t group =
      change.idle ? facts::CpuHistory::kIdle : c.accounts_.Settled(change.index).group_number();
  c.LookAtCpu(change.cpu, change.idle, change.time);
  c.history_.Open(change.cpu,
                  {.begin = change.time,
                   .group = group,
                   .priority = static_cast<int16_t>(change.priority),
                   .cgroup = change.idle ? uint16_t{0} : c.reasons_.CgroupOf(change.index)});
  if (change.preempted != facts::kNoThread) {
    c.threads_[change.preempted].preemptor = change.idle ? kNoGroup : group;
  }
}

inline void Collector::Facts::OnCpuSwitch(const facts::CpuSwitch& change) const {
  Collector& c = collector;
  c.LookAtOrder(change.time);
  uint32_t group = facts::CpuHistory::kUnknown;
  if (change.activity == CpuActivity::kIdle) {
    group = facts::CpuHistory::kIdle;
  } else if (change.activity == CpuActivity::kRun && change.index != facts::kNoThread) {
    group = c.accounts_.GroupOf(c.accounts_.Introduce(change.index, change.thread, change.process));
    if (change.process) c.NoteProcess(change.index, change.thread, *change.process);
  }
  c.LookAtCpu(change.cpu, group == facts::CpuHistory::kIdle, change.time);
  c.history_.Open(change.cpu, {.begin = change.time,
                               .group = group,
                               .priority = PriorityOf(change.priority, change.process.has_value()),
                               .cgroup = c.reasons_.CgroupOf(change.index)});
  if (change.preempted != facts::kNoThread) {
    c.ThreadAt(change.preempted).preemptor = group == facts::CpuHistory::kIdle ? kNoGroup : group;
  }
}

// --- records

void Collector::Add(const fxt::Reader& reader) {
  if (!started_) Start(reader);
  bool may_be_span = true;
  AddRecord(reader, may_be_span);
  if (!meter_) return;
  // The caller may select system calls, too.
  meter_->Note(reader, may_be_span || options_.wants_request != nullptr);
  if (paths_ == nullptr && meter_->is_awake()) paths_ = &meter_->builder();
}

void Collector::AddRecord(const fxt::Reader& reader, bool& may_be_span) {
  const fxt::Record& record = reader.record();
  if (!timeline_.IsKernels(reader.provider())) return AddProviderRecord(record);
  if (const auto* event = std::get_if<fxt::Event>(&record)) {
    if (options_.watcher != nullptr) options_.watcher->OnEvent(reader);
    may_be_span = AddEvent(reader, *event);
  } else if (const auto* object = std::get_if<fxt::KernelObject>(&record)) {
    tasks_.NoteObject(*object);
    purposes_.NoteProgram(*object);
    if (options_.watcher != nullptr) options_.watcher->OnObject(record);
  } else {
    timeline_.Add(reader);
  }
}

// The recorder declares a provider's losses in the provider's section. All else is the provider's
// own.
void Collector::AddProviderRecord(const fxt::Record& record) {
  const auto* event = std::get_if<fxt::Event>(&record);
  if (event == nullptr) return;
  if (const auto loss = facts::AsLoss(*event)) capture_.lost_events += loss->count.value_or(0);
}

uint64_t Collector::AddFastPath(fxt::Reader& reader, uint64_t most) {
  // The watcher has to know the window first. Whole facts are not clipped.
  if (!started_ || is_windowed() || (options_.watcher != nullptr && !begun_)) return 0;
  const uint64_t taken = timeline_.AddFastPath(reader, most);
  if (paths_ != nullptr) paths_->HandOut();
  return taken;
}

template <typename Fact>
const Fact* Collector::Cut(const Fact& fact) {
  if (fact.begin < options_.from && fact.end <= options_.from) return nullptr;
  if (fact.end > options_.to && fact.begin >= options_.to) return nullptr;
  Fact& rest = std::get<Fact>(cut_);
  rest = fact;
  if (fact.begin < options_.from) {
    rest.begin = options_.from;
    if constexpr (requires { rest.began; }) rest.began = Bound::kFileEdge;
  }
  if (fact.end > options_.to) {
    rest.end = options_.to;
    if constexpr (std::is_same_v<Fact, facts::Wait>) rest.target_cpu = fact.run_cpu();
    rest.ended = Bound::kFileEdge;
  }
  return &rest;
}

void Collector::AddRun(const facts::Run& whole) {
  if (paths_ != nullptr) paths_->Add(whole);
  Thread& thread = ThreadAt(whole.index);
  Accounts::Member& member = accounts_.Introduce(whole.index, whole.thread, whole.process);
  if (whole.process) NoteProcess(whole.index, whole.thread, *whole.process);
  const uint32_t group = accounts_.GroupOf(member);
  history_.Add(whole.cpu, {.begin = whole.begin,
                           .end = whole.end,
                           .group = group,
                           .priority = PriorityOf(whole.priority, whole.process.has_value()),
                           .cgroup = reasons_.CgroupOf(whole.index)});
  reasons_.OnEnd(whole.index, whole.end);
  const bool began_elsewhere = thread.cpu != Thread::kNoCpu && thread.cpu != whole.cpu;
  thread.cpu = whole.cpu;
  thread.idle_clock = IdleClock(whole.end);
  thread.after_blocked = false;
  const bool left = whole.ended == Bound::kSeen && whole.end_state.has_value();
  const bool preempted = whole.is_preempted();
  const facts::Run* run = Clip(whole);
  if (run == nullptr) return;
  if (is_windowed()) by_cpu_.At(run->cpu).busy_ns += run->end - run->begin;
  if (Watcher* watching = watcher()) watching->OnRun(*run);
  const bool ended_here = run->ended == Bound::kSeen;
  accounts_.Add(member, {.begin = run->begin,
                         .end = run->end,
                         .thread = run->thread,
                         .cpu = run->cpu,
                         .share = facts::ShareOf(*run),
                         .has_duration = true,
                         .duration = Duration::kSlice,
                         .extent = ExtentOf(*run),
                         .voluntary = left && !preempted && ended_here,
                         .involuntary = preempted && ended_here,
                         .migrated = began_elsewhere && whole.begin >= options_.from});
  if (left && IsOver(*run->end_state)) accounts_.NoteEnd(member);
}

void Collector::AddWait(const facts::Wait& whole) {
  if (paths_ != nullptr) paths_->Add(whole);
  Thread& thread = ThreadAt(whole.index);
  accounts_.Introduce(whole.index, whole.thread, kNoProcess);
  const uint64_t idle_clock = thread.idle_clock;
  thread.idle_clock = IdleClock(whole.end);
  const bool after_blocked = std::exchange(
      thread.after_blocked, whole.kind == WaitKind::kBlocked && whole.ended == Bound::kSeen);
  const facts::WaitsFor waits_for = purposes_.OnWait(whole, timeline_);
  // The state of the whole wait: it does not depend on the window.
  const facts::Share share = facts::ShareOf(whole);
  const facts::Wait* clipped = Clip(whole);
  if (clipped == nullptr) return;
  const facts::Wait& wait = *clipped;
  if (Watcher* watching = watcher()) watching->OnWait(wait);
  const bool comes = whole.ends_in_run();
  const bool is_woken = wait.ends_in_wakeup() && wait.kind != WaitKind::kAbsent;
  CountedFact note{.begin = wait.begin, .end = wait.end, .thread = wait.thread};
  if (comes) {
    note.cpu = wait.end_cpu;
  } else {
    note.cpu = wait.target_cpu.value_or(thread.cpu == Thread::kNoCpu ? 0 : thread.cpu);
  }
  note.share = share;
  if (share == facts::Share::kUnknown) note.unknown = facts::UnknownCauseOf(whole);
  note.extent = note.share == facts::Share::kUnknown ? Extent::kUnknown : ExtentOf(wait);
  note.woken = is_woken;
  note.waits_for = waits_for;
  // Without branches on the kind, which no CPU can predict.
  const DurationOfKind& duration = kDurationOf[static_cast<size_t>(wait.kind)];
  note.has_duration = duration.any;
  note.duration = duration.duration;
  const bool is_wakeup = wait.kind == WaitKind::kWakeup;
  note.after_blocked = is_wakeup & after_blocked & (note.extent == Extent::kWhole);
  note.other = wait.kind == WaitKind::kPreempted ? thread.preemptor : kNoGroup;
  if (is_woken) {
    note.other = WakerGroup(wait);
    const uint32_t own =
        accounts_.GroupOf(accounts_.Introduce(whole.index, whole.thread, kNoProcess));
    if (note.other == own) note.other = GiverGroup(note.other);
    note.whom = WhomOf(waits_for, note.other);
    if (whole.object != nullptr && waits_for != facts::WaitsFor::kWork) [[unlikely]] {
      note.object =
          accounts_.ObjectNumber(*whole.object, wait.kind == WaitKind::kBlocked, waits_for);
    }
  }
  if (wait.kind == WaitKind::kThrottled) [[unlikely]] {
    note.limit = wait.limit;
    thread.preemptor = kNoGroup;
  }
  // The wakers were introduced, which may move the members.
  Accounts::Member& member = accounts_.Introduce(whole.index, whole.thread, kNoProcess);
  if (wait.is_runnable() && comes && note.extent == Extent::kWhole) {
    const uint64_t any_idle = IdleClock(wait.end) - idle_clock;
    note.unconserved_ns = whole.begin == wait.begin ? any_idle : 0;
    // The parts are those of the whole wait.
    const Charged charged = Charge({.index = wait.index,
                                    .kind = wait.kind,
                                    .begin = wait.begin,
                                    .end = wait.end,
                                    .end_cpu = wait.end_cpu,
                                    .next_priority = wait.next_priority},
                                   thread);
    note.unconserved_ns -= std::min(note.unconserved_ns, charged.idle_ns);
    if (whole.begin == wait.begin) note.parts = charged.parts;
    accounts_.Add(member, note, {held_.data(), held_count_});
  } else {
    accounts_.Add(member, note);
  }
  reasons_.OnEnd(whole.index, whole.end);
}

uint32_t Collector::WakerGroup(const facts::Wait& wait) {
  if (!wait.end_waker) return has_wakers_ || wait.end_by_interrupt ? kInterrupt : kNoGroup;
  const facts::ThreadIndex index = timeline_.Find(*wait.end_waker);
  if (index == facts::kNoThread) return tasks_.GroupOf(tasks_.Find(*wait.end_waker, kNoProcess));
  return accounts_.GroupOf(accounts_.Introduce(index, *wait.end_waker, kNoProcess));
}

void Collector::NoteProcess(facts::ThreadIndex index, fxt::Koid thread, fxt::Koid process) {
  purposes_.NoteProcess(index, process);
  reasons_.NoteProcess(index, thread, process);
}

bool Collector::TrySettle(facts::ThreadIndex index) {
  if (!accounts_.TrySettle(index)) return false;
  // No switch has named the process of a thread that was only woken up to now.
  if (const auto process = accounts_.ProcessOf(index)) {
    NoteProcess(index, timeline_.threads()[index].koid, *process);
  }
  return true;
}

uint32_t Collector::GiverGroup(uint32_t waker) {
  const facts::ThreadIndex giver = purposes_.giver();
  if (giver == facts::kNoThread) return waker;
  return accounts_.GroupOf(accounts_.Introduce(giver, timeline_.threads()[giver].koid, kNoProcess));
}

uint32_t Collector::WhomOf(facts::WaitsFor waits_for, uint32_t waker) {
  if (waits_for != facts::WaitsFor::kLock) return waker;
  const facts::ThreadIndex holder = purposes_.holder();
  if (holder == facts::kNoThread) return waker;
  const fxt::Koid koid = timeline_.threads()[holder].koid;
  return accounts_.GroupOf(accounts_.Introduce(holder, koid, kNoProcess));
}

Collector::Charged Collector::Charge(const facts::WholeWait& wait, const Thread& thread) {
  held_count_ = 0;
  return ForEachHolder(wait, thread,
                       [&](uint32_t group, bool lower, uint64_t ns) { Hold(group, lower, ns); });
}

void Collector::Hold(uint32_t group, bool lower, uint64_t ns) {
  Held* last = held_.data() + held_count_;
  for (Held* held = held_.data(); held != last; ++held) {
    if (held->group != group || held->lower != lower) continue;
    held->ns += ns;
    return;
  }
  *last = {group, lower, ns};
  ++held_count_;
}

void Collector::AddIdle(const facts::Idle& whole) {
  if (paths_ != nullptr) paths_->Add(whole);
  history_.Add(whole.cpu,
               {.begin = whole.begin, .end = whole.end, .group = facts::CpuHistory::kIdle});
  const facts::Idle* idle = Clip(whole);
  if (idle == nullptr) return;
  if (is_windowed()) by_cpu_.At(idle->cpu).idle_ns += idle->end - idle->begin;
  if (Watcher* watching = watcher()) watching->OnIdle(*idle);
}

void Collector::AddGap(const facts::Gap& whole) {
  history_.Add(whole.cpu,
               {.begin = whole.begin, .end = whole.end, .group = facts::CpuHistory::kUnknown});
  const facts::Gap* gap = Clip(whole);
  if (gap == nullptr) return;
  if (is_windowed()) by_cpu_.At(gap->cpu).unknown_ns += gap->end - gap->begin;
  if (Watcher* watching = watcher()) watching->OnGap(*gap);
}

bool Collector::AddEvent(const fxt::Reader& reader, const fxt::Event& event) {
  const uint64_t time = reader.ToNanoseconds(event.timestamp);
  if (const auto kind = SpanMeter::KindOf(event)) {
    AddSpan(event, *kind, time);
    return false;
  }
  timeline_.Add(reader);
  if (event.type == fxt::EventType::kInstant) AddInstant(event, time);
  return true;
}

void Collector::AddInstant(const fxt::Event& event, uint64_t time) {
  if (event.category.text == schema::category::kTask) return AddTaskEvent(event, time);
  if (const auto settings = facts::AsSettings(event)) {
    reasons_.AddSettings(*settings, time);
    return settings_.Add(*settings);
  }
  if (event.category.text == schema::category::kSched) {
    if (event.name.text != schema::event::kMigrate) return;
    const auto from =
        facts::IntegerValue(facts::FindArgument(event.arguments, schema::argument::kFrom));
    const facts::ThreadIndex index = timeline_.Find(event.thread.thread);
    if (!from || *from < 0 || *from > UINT16_MAX || index == facts::kNoThread) return;
    ThreadAt(index).moved_from = static_cast<uint32_t>(*from);
    ThreadAt(index).moved_at = time;
  } else if (event.category.text == schema::kRecorderName) {
    if (const auto loss = facts::AsLoss(event)) {
      capture_.lost_events += loss->count.value_or(0);
      spans_.NoteLoss();
    } else if (facts::AsUnseenSwitch(event)) {
      if (time >= options_.from && time <= options_.to) ++capture_.unseen_switches;
    } else if (facts::IsSession(event) && !has_session_) {
      has_session_ = true;
      ReadSession(event, capture_);
      if (const auto command = CommandOf(event)) tasks_.SetCommand(*command);
    } else if (facts::IsFilteringTrim(event)) {
      ReadTrim(event, capture_);
    }
    for (uint32_t cpu = 0; cpu < timeline_.cpus().size(); ++cpu) {
      LookAtCpu(cpu, timeline_.cpus()[cpu].does == CpuActivity::kIdle, time);
    }
  }
}

void Collector::AddTaskEvent(const fxt::Event& event, uint64_t time) {
  const auto command = tasks_.tree().command();
  if (event.name.text == schema::event::kFork) {
    const auto child =
        facts::KoidOf(facts::FindArgument(event.arguments, schema::argument::kChild));
    if (!child) return;
    const bool of_process = tasks_.NoteFork(event.thread.process, *child);
    const facts::ThreadIndex made = timeline_.Find(*child);
    if (made != facts::kNoThread) accounts_.NoteBirth(made);
    const facts::ThreadIndex maker = timeline_.Find(event.thread.thread);
    purposes_.NoteFork(maker, made);
    reasons_.NoteFork(*child);
    if (maker == facts::kNoThread || time < options_.from || time > options_.to) return;
    CountedFact note{.begin = time, .end = time, .thread = event.thread.thread};
    note.forked_process = of_process;
    note.forked_thread = !of_process;
    accounts_.Add(accounts_.Introduce(maker, event.thread.thread, event.thread.process), note);
  } else if (event.name.text == schema::event::kExec) {
    if (command == event.thread.process && !command_began_) command_began_ = time;
  } else if (event.name.text == schema::event::kExit) {
    purposes_.NoteExit(timeline_.Find(event.thread.thread));
    if (command == event.thread.thread) command_ended_ = time;
  }
}

void Collector::AddSpan(const fxt::Event& event, SpanKind kind, uint64_t time) {
  facts::ThreadIndex owner = facts::kNoThread;
  const fxt::Koid track = event.thread.thread;
  if (kind == SpanKind::kSyscall) {
    owner = timeline_.Find(track);
  } else if (schema::IsCpuTrack(track)) {
    const auto* cpu = timeline_.cpu(schema::TidOfKoid(track));
    if (cpu != nullptr && cpu->does == CpuActivity::kRun) owner = cpu->index;
  }
  if (event.type == fxt::EventType::kDurationBegin) {
    spans_.Begin(kind, event, time, owner);
  } else if (const auto span = spans_.End(kind, event, time, timeline_.begin(), owner)) {
    Count(*span);
  }
}

void Collector::Count(const ClosedSpan& span) {
  if (span.end < options_.from || span.begin > options_.to) return;
  const bool reaches_over = span.begin < options_.from || span.end > options_.to;
  CountedFact note{.begin = std::max(span.begin, options_.from),
                   .end = std::min(span.end, options_.to),
                   .thread = span.track};
  note.extent = reaches_over && span.extent == Extent::kWhole ? Extent::kCut : span.extent;
  if (span.kind == SpanKind::kSyscall) {
    note.call = accounts_.CallNumber(spans_.names()[span.name]);
    note.cpu = span.owner < threads_.size() ? threads_[span.owner].cpu : 0;
  } else {
    note.cpu = schema::IsCpuTrack(span.track) ? schema::TidOfKoid(span.track) : 0;
    const uint32_t name = span.name << 1 | (span.kind == SpanKind::kIrq ? 1 : 0);
    AddLength(handlers_[name], note);
    note.has_duration = true;
    note.duration = span.kind == SpanKind::kIrq ? Duration::kIrq : Duration::kSoftirq;
    const auto* thread =
        span.owner < timeline_.threads().size() ? &timeline_.threads()[span.owner] : nullptr;
    if (thread == nullptr) return;
    note.thread = thread->koid;
  }
  if (span.owner == facts::kNoThread && note.call != CountedFact::kNoCall) {
    // It runs since before the capture: no switch has named it yet.
    return accounts_.CountCall(tasks_.GroupOf(tasks_.Find(span.track, kNoProcess)), note);
  }
  accounts_.Add(accounts_.Introduce(span.owner, note.thread, kNoProcess), note);
}

Capture Collector::Finish() {
  if (meter_) capture_.requests = meter_->Finish(capture_.requests_left_out);
  paths_ = nullptr;
  timeline_.Finish(timeline_.latest());
  capture_.begin = std::max(timeline_.begin(), options_.from);
  capture_.end = std::max(capture_.begin, std::min(timeline_.latest(), options_.to));
  for (const ClosedSpan& span : spans_.Finish(timeline_.latest())) Count(span);
  if (!is_windowed()) {
    const auto& cpus = timeline_.cpus();
    for (uint32_t cpu = 0; cpu < cpus.size(); ++cpu) {
      if (cpus[cpu].does == CpuActivity::kNothingSeen) continue;
      by_cpu_.At(cpu) = {cpus[cpu].busy_ns, cpus[cpu].idle_ns, cpus[cpu].unknown_ns};
    }
  }
  capture_.by_cpu = std::move(by_cpu_.values());
  if (capture_.cpus == 0) capture_.cpus = static_cast<uint32_t>(capture_.by_cpu.size());
  for (const auto& [key, times] : handlers_) {
    const std::string& name = spans_.names()[key >> 1];
    capture_.handlers[(key & 1) != 0 ? name : "softirq " + name].Merge(times);
  }
  if (tasks_.tree().command() && command_ended_) {
    const uint64_t began = command_began_.value_or(capture_.begin);
    if (*command_ended_ >= began) capture_.elapsed_ns = *command_ended_ - began;
  }
  capture_.groups = accounts_.Finish(capture_.length());
  capture_.settings = settings_.Finish(tasks_.tree());
  return std::move(capture_);
}

}  // namespace measure
