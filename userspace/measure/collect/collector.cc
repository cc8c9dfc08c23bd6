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

// What a wait is counted as, by its kind.
struct DurationOfKind {
  Duration duration = Duration::kSlice;
  bool any = false;
};
constexpr std::array<DurationOfKind, 7> kDurationOf = {{
    {},
    {},
    {Duration::kWakeupLatency, true},
    {Duration::kPreemptedWait, true},
    {Duration::kSleep, true},
    {Duration::kBlocked, true},
    {},
}};
static_assert(static_cast<size_t>(WaitKind::kWakeup) == 2 &&
              static_cast<size_t>(WaitKind::kBlocked) == 5 &&
              static_cast<size_t>(WaitKind::kStopped) + 1 == kDurationOf.size());

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
  if (const auto* event = std::get_if<fxt::Event>(&record)) {
    if (options_.watcher != nullptr) options_.watcher->OnEvent(reader);
    return AddEvent(reader, *event);
  }
  if (const auto* object = std::get_if<fxt::KernelObject>(&record)) {
    tasks_.NoteObject(*object);
    if (options_.watcher != nullptr) options_.watcher->OnObject(record);
    return;
  }
  timeline_.Add(reader);
}

void Collector::AddSwitch(const facts::Switch& change) {
  LookAtOrder(change.time);
  if (finds_holders()) {
    idle_clock_ = IdleClock(change.time);
    idle_since_ = std::max(idle_since_, change.time);
  }
  change_ = &change;
  preempted_ = facts::kNoThread;
  timeline_.OnSwitch(change);
  change_ = nullptr;
  const auto& cpu = timeline_.cpus()[change.cpu];
  const uint32_t group = GroupOn(cpu);
  if (finds_holders()) {
    LookAtCpu(change.cpu, change.time);
    history_.Open(change.cpu, {.begin = change.time,
                               .group = group,
                               .priority = PriorityOf(cpu.priority, cpu.process.has_value())});
  }
  if (preempted_ != facts::kNoThread) {
    ThreadAt(preempted_).preemptor = group == CpuHistory::kIdle ? kNoGroup : group;
  }
}

void Collector::AddWakeup(const facts::Wakeup& wakeup, const fxt::ReaderProvider& provider) {
  LookAtOrder(wakeup.time);
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
  const uint32_t group = accounts_.GroupOf(member);
  if (finds_holders()) {
    history_.Add(whole.cpu, {.begin = whole.begin,
                             .end = whole.end,
                             .group = group,
                             .priority = PriorityOf(whole.priority, whole.process.has_value())});
  }
  const bool began_elsewhere = thread.cpu != Thread::kNoCpu && thread.cpu != whole.cpu;
  thread.cpu = whole.cpu;
  if (finds_holders()) thread.idle_clock = IdleClock(whole.end);
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
  const uint64_t idle_clock = thread.idle_clock;
  if (finds_holders()) thread.idle_clock = IdleClock(whole.end);
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
  // Without branches on the kind, which nobody can foresee.
  const DurationOfKind& duration = kDurationOf[static_cast<size_t>(wait.kind)];
  note.has_duration = duration.any;
  note.duration = duration.duration;
  const bool is_wakeup = wait.kind == WaitKind::kWakeup;
  note.after_blocked = is_wakeup & after_blocked & (note.extent == Extent::kWhole);
  note.other = wait.kind == WaitKind::kPreempted ? thread.preemptor : kNoGroup;
  if (is_woken) note.other = waker_group_;
  const bool runnable = wait.kind == WaitKind::kWakeup || wait.kind == WaitKind::kPreempted;
  if (finds_holders() && runnable && comes && note.extent == Extent::kWhole) {
    const uint64_t any_idle = IdleClock(wait.end) - idle_clock;
    note.unconserved_ns = whole.begin == wait.begin ? any_idle : 0;
    const auto& incoming = change_->incoming;
    const int32_t priority = PriorityOf(incoming.priority, incoming.process.has_value());
    const uint64_t own_idle = Charge(wait.begin, wait.end, change_->cpu, priority, thread);
    note.unconserved_ns -= std::min(note.unconserved_ns, own_idle);
    return accounts_.Add(member, note, {held_.data(), held_count_});
  }
  accounts_.Add(member, note);
}

uint64_t Collector::Charge(uint64_t begin, uint64_t end, uint32_t cpu, int32_t priority,
                           const Thread& thread) {
  held_count_ = 0;
  return LookAtHolders(begin, end, cpu, priority, thread,
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
  if (finds_holders()) {
    history_.Add(whole.cpu, {.begin = whole.begin, .end = whole.end, .group = CpuHistory::kIdle});
  }
  const facts::Idle* idle = Clip(whole);
  if (idle == nullptr) return;
  by_cpu_.At(idle->cpu).idle_ns += idle->end - idle->begin;
  if (Watcher* watching = watcher()) watching->OnIdle(*idle);
}

void Collector::AddGap(const facts::Gap& whole) {
  if (finds_holders()) {
    history_.Add(whole.cpu,
                 {.begin = whole.begin, .end = whole.end, .group = CpuHistory::kUnknown});
  }
  const facts::Gap* gap = Clip(whole);
  if (gap == nullptr) return;
  by_cpu_.At(gap->cpu).unknown_ns += gap->end - gap->begin;
  if (Watcher* watching = watcher()) watching->OnGap(*gap);
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

bool TakeHolders(Capture& times, Capture&& holders) {
  const auto same = [](const Group& a, const Group& b) { return a.name == b.name; };
  if (!std::equal(times.groups.begin(), times.groups.end(), holders.groups.begin(),
                  holders.groups.end(), same)) {
    return false;
  }
  for (size_t i = 0; i < times.groups.size(); ++i) {
    Group& group = times.groups[i];
    Group& other = holders.groups[i];
    group.inversion_ns = other.inversion_ns;
    group.unconserved_ns = other.unconserved_ns;
    for (const Attribution why : {Attribution::kHeldCpu, Attribution::kHeldCpuLower}) {
      auto& blames = group.blames[static_cast<size_t>(why)];
      blames = std::move(other.blames[static_cast<size_t>(why)]);
    }
  }
  return true;
}

}  // namespace measure
