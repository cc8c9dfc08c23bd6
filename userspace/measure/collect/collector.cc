// SPDX-License-Identifier: BSD-2-Clause
#include "measure/collect/collector.h"

#include <algorithm>

#include "facts/recorder_facts.h"
#include "measure/collect/session_info.h"
#include "schema/koid.h"
#include "schema/names.h"

namespace measure {
namespace {

using facts::Bound;
using facts::WaitKind;
using Does = facts::TimelineState::Cpu::Does;

template <typename Fact>
Extent ExtentOf(const Fact& fact) {
  const auto open = [](Bound bound) { return bound != Bound::kSeen && bound != Bound::kFileEdge; };
  if (open(fact.began) || open(fact.ended)) return Extent::kUnknown;
  const bool cut = fact.began == Bound::kFileEdge || fact.ended == Bound::kFileEdge;
  return cut ? Extent::kCut : Extent::kWhole;
}

// The kernel's, of the legacy layout; the newer one has weights, where more is more.
int32_t PriorityOf(const std::optional<int64_t>& priority, bool is_legacy) {
  return priority && is_legacy ? static_cast<int32_t>(*priority) : -1;
}

bool IsOver(fxr_task_state state) { return state == FXR_STATE_DEAD || state == FXR_STATE_ZOMBIE; }

bool IsRunnable(fxr_task_state state) {
  return state == FXR_STATE_RUNNABLE || state == FXR_STATE_PREEMPTED;
}

constexpr std::optional<fxt::Koid> kNobody;

}  // namespace

void Collector::Start(const fxt::Reader& reader) {
  const auto time = facts::TimeOf(reader.record(), reader.provider());
  if (!time) return;
  started_ = true;
  const auto move = [&](uint64_t& edge) {
    edge = edge > UINT64_MAX - *time ? UINT64_MAX : edge + *time;
  };
  if (options_.from_is_relative) move(options_.from);
  if (options_.to_is_relative) move(options_.to);
}

void Collector::Add(const fxt::Reader& reader) {
  const fxt::Record& record = reader.record();
  if (!started_) Start(reader);
  if (const auto* legacy = std::get_if<fxt::LegacyContextSwitch>(&record)) [[likely]] {
    facts::Switch change;
    facts::ReadSwitch(*legacy, reader.provider(), change);
    return AddSwitch(change);
  }
  if (const auto change = facts::AsSwitch(record, reader.provider())) return AddSwitch(*change);
  if (const auto wakeup = facts::AsWakeup(record, reader.provider())) {
    return AddWakeup(*wakeup, reader.provider());
  }
  if (const auto* event = std::get_if<fxt::Event>(&record)) return AddEvent(reader, *event);
  if (const auto* object = std::get_if<fxt::KernelObject>(&record)) {
    tasks_.NoteObject(*object);
    if (options_.watcher != nullptr) options_.watcher->OnObject(record);
    return;
  }
  timeline_.Add(reader);
}

void Collector::AddSwitch(const facts::Switch& change) {
  idle_clock_ = IdleClock(change.time);
  idle_since_ = std::max(idle_since_, change.time);
  change_ = &change;
  preempted_ = facts::kNoThread;
  timeline_.OnSwitch(change);
  change_ = nullptr;
  LookAtCpu(change.cpu, change.time);
  const auto& cpu = timeline_.cpus()[change.cpu];
  const uint32_t group = GroupOn(cpu);
  history_.Open(change.cpu, {.begin = change.time,
                             .group = group,
                             .priority = PriorityOf(cpu.priority, cpu.process.has_value())});
  if (preempted_ != facts::kNoThread) {
    ThreadAt(preempted_).preemptor = group == CpuHistory::kIdle ? kNoGroup : group;
  }
}

void Collector::AddWakeup(const facts::Wakeup& wakeup, const fxt::ReaderProvider& provider) {
  if (wakeup.waker) {
    has_wakers_ = true;
    const facts::ThreadIndex index = timeline_.Find(*wakeup.waker);
    if (index == facts::kNoThread) {
      waker_group_ = tasks_.GroupOf(tasks_.Find(*wakeup.waker, std::nullopt));
    } else {
      waker_group_ = accounts_.GroupOf(accounts_.Introduce(index, *wakeup.waker, kNobody));
    }
  } else {
    waker_group_ = has_wakers_ || provider.name() == schema::kRecorderName ? kInterrupt : kNoGroup;
  }
  wakeup_ = &wakeup;
  timeline_.OnWakeup(wakeup);
  wakeup_ = nullptr;
}

void Collector::AddEvent(const fxt::Reader& reader, const fxt::Event& event) {
  const uint64_t time = reader.ToNanoseconds(event.timestamp);
  if (const auto kind = SpanMeter::KindOf(event)) return AddSpan(event, *kind, time);
  timeline_.Add(reader);
  if (event.type != fxt::EventType::kInstant) return;
  if (event.category.text == schema::category::kTask) return AddTaskEvent(event, time);
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
    }
    for (uint32_t cpu = 0; cpu < timeline_.cpus().size(); ++cpu) LookAtCpu(cpu, time);
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
    if (maker == facts::kNoThread || time < options_.from || time > options_.to) return;
    Note note{.begin = time, .end = time, .thread = event.thread.thread};
    note.forked_process = of_process;
    note.forked_thread = !of_process;
    accounts_.Add(accounts_.Introduce(maker, event.thread.thread, event.thread.process), note);
  } else if (event.name.text == schema::event::kExec) {
    if (command == event.thread.process && !command_began_) command_began_ = time;
  } else if (event.name.text == schema::event::kExit) {
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
    if (cpu != nullptr && cpu->does == Does::kRun) owner = cpu->index;
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
  Note note{.begin = std::max(span.begin, options_.from),
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
  if (span.owner == facts::kNoThread && note.call != Note::kNoCall) {
    // No switch has told of it yet: it runs since before the capture.
    return accounts_.CountCall(tasks_.GroupOf(tasks_.Find(span.track, kNobody)), note);
  }
  accounts_.Add(accounts_.Introduce(span.owner, note.thread, kNobody), note);
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
    rest.ended = Bound::kFileEdge;
  }
  return &rest;
}

void Collector::AddRun(const facts::Run& whole) {
  Thread& thread = ThreadAt(whole.index);
  Accounts::Member& member = accounts_.Introduce(whole.index, whole.thread, whole.process);
  history_.Add(whole.cpu, {.begin = whole.begin,
                           .end = whole.end,
                           .group = accounts_.GroupOf(member),
                           .priority = PriorityOf(whole.priority, whole.process.has_value())});
  const bool began_elsewhere = thread.cpu != Thread::kNoCpu && thread.cpu != whole.cpu;
  thread.cpu = whole.cpu;
  thread.idle_clock = IdleClock(whole.end);
  thread.after_blocked = false;
  const bool left = whole.ended == Bound::kSeen && whole.end_state.has_value();
  const bool preempted = left && IsRunnable(*whole.end_state);
  if (preempted) preempted_ = whole.index;
  const facts::Run* run = Clip(whole);
  if (run == nullptr) return;
  by_cpu_.At(run->cpu).busy_ns += run->end - run->begin;
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
  Thread& thread = ThreadAt(whole.index);
  Accounts::Member& member = accounts_.Introduce(whole.index, whole.thread, kNobody);
  const bool woken = wakeup_ != nullptr && whole.ended == Bound::kSeen &&
                     whole.kind != WaitKind::kAbsent && whole.thread == wakeup_->thread;
  const bool comes =
      change_ != nullptr && whole.ended == Bound::kSeen && whole.thread == change_->incoming.thread;
  const uint64_t idle_clock = std::exchange(thread.idle_clock, IdleClock(whole.end));
  const bool after_blocked = std::exchange(
      thread.after_blocked, whole.kind == WaitKind::kBlocked && whole.ended == Bound::kSeen);
  // Of all of it: what is known does not depend on the window.
  const facts::Share share = facts::ShareOf(whole);
  const facts::Wait* clipped = Clip(whole);
  if (clipped == nullptr) return;
  const facts::Wait& wait = *clipped;
  std::optional<uint32_t> cpu;
  if (comes) {
    cpu = change_->cpu;
  } else if (wait.target_cpu) {
    cpu = wait.target_cpu;
  }
  const bool is_woken = woken && wait.ended == Bound::kSeen;
  if (Watcher* watching = watcher()) {
    watching->OnWait(wait, cpu, is_woken ? wakeup_->waker : kNobody);
  }
  Note note{.begin = wait.begin, .end = wait.end, .thread = wait.thread};
  note.cpu = cpu.value_or(thread.cpu == Thread::kNoCpu ? 0 : thread.cpu);
  note.share = share;
  note.extent = note.share == facts::Share::kUnknown ? Extent::kUnknown : ExtentOf(wait);
  note.woken = is_woken;
  note.has_duration = true;
  switch (wait.kind) {
    case WaitKind::kWakeup:
      note.duration = Duration::kWakeupLatency;
      note.after_blocked = after_blocked && note.extent == Extent::kWhole;
      break;
    case WaitKind::kPreempted:
      note.duration = Duration::kPreemptedWait;
      note.other = thread.preemptor;
      break;
    case WaitKind::kSleep:
      note.duration = Duration::kSleep;
      break;
    case WaitKind::kBlocked:
      note.duration = Duration::kBlocked;
      break;
    default:
      note.has_duration = false;
  }
  if (is_woken) note.other = waker_group_;
  const bool runnable = wait.kind == WaitKind::kWakeup || wait.kind == WaitKind::kPreempted;
  if (runnable && comes && note.extent == Extent::kWhole) {
    const uint64_t any_idle = IdleClock(wait.end) - idle_clock;
    note.unconserved_ns = whole.begin == wait.begin ? any_idle : 0;
    held_count_ = 0;
    note.unconserved_ns -= std::min(note.unconserved_ns, Charge(wait, thread));
    return accounts_.Add(member, note, {held_.data(), held_count_});
  }
  accounts_.Add(member, note);
}

uint64_t Collector::Charge(const facts::Wait& wait, const Thread& thread) {
  const auto& incoming = change_->incoming;
  const int32_t priority = PriorityOf(incoming.priority, incoming.process.has_value());
  const bool moved = thread.moved_from != Thread::kNoCpu && thread.moved_at > wait.begin &&
                     thread.moved_at < wait.end && thread.moved_from != change_->cpu;
  const uint64_t since = moved ? thread.moved_at : wait.begin;
  uint64_t own_idle = ChargeOn(change_->cpu, since, wait.end, priority);
  if (moved) own_idle += ChargeOn(thread.moved_from, wait.begin, since, priority);
  return own_idle;
}

uint64_t Collector::ChargeOn(uint32_t cpu, uint64_t begin, uint64_t end, int32_t priority) {
  uint64_t idle = 0;
  Held* last = held_.data() + held_count_;
  history_.Look(cpu, begin, end, [&](const CpuHistory::Span& part) {
    const uint64_t length = part.end - part.begin;
    if (part.group == CpuHistory::kIdle) {
      idle += length;
      return;
    }
    const bool lower = priority >= 0 && part.priority > priority;
    for (Held* held = held_.data(); held != last; ++held) {
      if (held->group != part.group || held->lower != lower) continue;
      held->ns += length;
      return;
    }
    last->group = part.group;
    last->lower = lower;
    last->ns = length;
    ++last;
  });
  held_count_ = static_cast<size_t>(last - held_.data());
  return idle;
}

void Collector::AddIdle(const facts::Idle& whole) {
  history_.Add(whole.cpu, {.begin = whole.begin, .end = whole.end, .group = CpuHistory::kIdle});
  const facts::Idle* idle = Clip(whole);
  if (idle == nullptr) return;
  by_cpu_.At(idle->cpu).idle_ns += idle->end - idle->begin;
  if (Watcher* watching = watcher()) watching->OnIdle(*idle);
}

void Collector::AddGap(const facts::Gap& whole) {
  history_.Add(whole.cpu, {.begin = whole.begin, .end = whole.end, .group = CpuHistory::kUnknown});
  const facts::Gap* gap = Clip(whole);
  if (gap == nullptr) return;
  by_cpu_.At(gap->cpu).unknown_ns += gap->end - gap->begin;
  if (Watcher* watching = watcher()) watching->OnGap(*gap);
}

void Collector::LookAtCpu(uint32_t cpu, uint64_t time) {
  const bool idle = timeline_.cpus()[cpu].does == Does::kIdle;
  uint8_t& was_idle = is_idle_.At(cpu);
  if (idle == was_idle) return;
  idle_clock_ = IdleClock(time);
  idle_since_ = std::max(idle_since_, time);
  was_idle = idle;
  idle_cpus_ += idle ? 1 : UINT32_MAX;
}

uint32_t Collector::GroupOn(const facts::TimelineState::Cpu& cpu) {
  if (cpu.does == Does::kIdle) return CpuHistory::kIdle;
  if (cpu.does != Does::kRun || cpu.index == facts::kNoThread) return CpuHistory::kUnknown;
  return accounts_.GroupOf(accounts_.Introduce(cpu.index, cpu.thread, cpu.process));
}

Capture Collector::Finish() {
  timeline_.Finish(timeline_.latest());
  capture_.begin = std::max(timeline_.begin(), options_.from);
  capture_.end = std::max(capture_.begin, std::min(timeline_.latest(), options_.to));
  for (const ClosedSpan& span : spans_.Finish(timeline_.latest())) Count(span);
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
  return std::move(capture_);
}

}  // namespace measure
