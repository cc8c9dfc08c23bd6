// SPDX-License-Identifier: BSD-2-Clause
#include "translate/sched_translator.h"

#include <fmt/format.h>

#include <array>

#include "fxt_record/slot_body.h"
#include "schema/koid.h"
#include "schema/linux_state.h"

namespace translate {
namespace {

using model::kNoHandle;
using model::ThreadHandle;

// The kernel's priority, 0 to 139. A deadline task's -1 and the idle task's are written as 0.
constexpr uint8_t kDeadline = 0xff;
constexpr uint8_t Priority(uint32_t tid, uint8_t priority) {
  return tid == 0 || priority == kDeadline ? 0 : priority;
}

// The two priorities of a switch are adjacent in the body and are read as one field of 16 bits.
constexpr unsigned kPrioritiesAt = FXR_switch_prev_priority_AT;
static_assert(FXR_switch_next_priority_AT == kPrioritiesAt + 8);

// True if either priority is a deadline task's.
constexpr bool HasDeadlinePriority(uint64_t body) {
  constexpr uint64_t kOnes = uint64_t{0x0101} << kPrioritiesAt;
  // The lower seven bits of a byte carry into the eighth if all are set.
  return (((body & kOnes * 0x7f) + kOnes) & body & kOnes * 0x80) != 0;
}
static_assert(HasDeadlinePriority(uint64_t{0xff78} << kPrioritiesAt));
static_assert(HasDeadlinePriority(uint64_t{0x78ff} << kPrioritiesAt));
static_assert(!HasDeadlinePriority(~(uint64_t{0x0101} << kPrioritiesAt)));

constexpr uint32_t LowByteIf(bool condition) { return static_cast<uint8_t>(-int{condition}); }

// The state in which a thread leaves a CPU whose switch was not recorded. Its real state is
// unknown. Viewers show `blocked` as sleeping, which most threads are most of the time; runnable
// would look like a wait for a CPU.
constexpr fxt::ThreadState kHiddenState = fxt::ThreadState::kBlocked;

// Sizes of the records of the fast path.
constexpr uint64_t kSwitchBytes = 16;
constexpr uint64_t kWakeupBytes = 40;
constexpr uint64_t kWakeupViaBytes = 48;

// True if a task that is switched out in this state never runs again.
constexpr bool IsLast(fxr_task_state state) {
  return state == FXR_STATE_ZOMBIE || state == FXR_STATE_DEAD;
}

}  // namespace

ThreadHandle SchedTranslator::IdleOf(uint32_t cpu) {
  Cpu& state = CpuAt(cpu);
  if (state.idle == kNoHandle) {
    model::TaskTable& table = file_.tasks();
    if (idle_process_ == kNoHandle) {
      idle_process_ = table.PseudoProcess(schema::kIdleProcessKoid, "swapper");
    }
    state.idle =
        table.PseudoThread(idle_process_, schema::IdleKoid(cpu), fmt::format("swapper/{}", cpu));
  }
  return state.idle;
}

void SchedTranslator::SetRunning(Cpu& state, ThreadHandle thread) {
  state.in_gap = thread == state.lost;
  state.running = state.in_gap ? nullptr : &file_.thread(thread);
  if (thread == state.idle) state.idle_thread = state.running;
}

ThreadHandle SchedTranslator::ThreadOn(uint32_t cpu, uint32_t tid) {
  if (tid == 0) return IdleOf(cpu);
  return tid <= schema::kTidMask ? tasks_.Thread(tid) : Unnumbered(cpu);
}

ThreadHandle SchedTranslator::Unnumbered(uint32_t cpu) {
  const Cpu& state = CpuAt(cpu);
  if (state.running) return state.running->handle;
  model::TaskTable& table = file_.tasks();
  constexpr fxt::Koid kUnknown = schema::kUnknownProcessKoid;
  return table.PseudoThread(table.PseudoProcess(kUnknown, "unknown"), kUnknown, "unknown");
}

std::optional<uint32_t> SchedTranslator::RunningTid(uint32_t cpu) const {
  if (cpu >= cpus_.size() || !cpus_[cpu].running) return std::nullopt;
  return cpus_[cpu].running->tid;
}

void SchedTranslator::WriteSwitch(uint32_t cpu, uint64_t time, fxt::ThreadState state,
                                  ThreadHandle outgoing, ThreadHandle incoming,
                                  uint8_t outgoing_priority, uint8_t incoming_priority) {
  const fxt::ThreadKey out = file_.Mention(outgoing);
  const fxt::ThreadKey in = file_.Mention(incoming);
  if (cpu <= 0xff) [[likely]] {
    file_.CountRefusal(file_.writer().WriteContextSwitch(
        time, static_cast<uint8_t>(cpu), state, out, in, outgoing_priority, incoming_priority));
    return;
  }
  // The older layout has eight bits for the CPU.
  file_.Begin().Write(fxt::ContextSwitch{.timestamp = time,
                                         .cpu = static_cast<uint16_t>(cpu),
                                         .outgoing_state = state,
                                         .outgoing_thread = out.thread,
                                         .incoming_thread = in.thread,
                                         .arguments = {}});
}

void SchedTranslator::WriteLinuxState(uint64_t time, ThreadHandle thread, fxr_task_state state) {
  OpenRecord record = file_.Begin(thread);
  const fxt::Argument argument{record.Ref(CommonString::kState),
                               record.Intern(schema::StateLetters(state))};
  record.Write(fxt::Event{.type = fxt::EventType::kInstant,
                          .timestamp = time,
                          .thread = record.thread(),
                          .category = record.Ref(FXR_CATEGORY_SCHED),
                          .name = record.Ref(CommonString::kLinuxState),
                          .arguments = {&argument, 1}});
}

void SchedTranslator::LeaveCpu(ThreadHandle thread) {
  if (thread != kNoHandle) file_.thread(thread).on_cpu = -1;
}

// Called when the outgoing thread is not the thread that the CPU is known to run. Ends the run of
// the known thread, which viewers would otherwise draw without an end.
void SchedTranslator::CloseGap(uint32_t cpu, uint64_t time, ThreadHandle outgoing) {
  Cpu& state = CpuAt(cpu);
  if (!state.in_gap) {
    ++stats_.unseen_switches;
    OpenRecord record = file_.Begin(outgoing);
    const fxt::Argument argument{record.Ref(CommonString::kCpu), static_cast<int32_t>(cpu)};
    record.Write(fxt::Event{.type = fxt::EventType::kInstant,
                            .timestamp = time,
                            .thread = record.thread(),
                            .category = record.Ref(CommonString::kCategoryRecorder),
                            .name = record.Ref(CommonString::kUnseenSwitch),
                            .arguments = {&argument, 1}});
  }
  ++stats_.gap_switches;
  const ThreadHandle running = RunningOn(state);
  WriteSwitch(cpu, time, kHiddenState, running, outgoing, 0, 0);
  LeaveCpu(running);
}

ThreadHandle SchedTranslator::LostOf(uint32_t cpu) {
  Cpu& state = CpuAt(cpu);
  if (state.lost == kNoHandle) {
    model::TaskTable& table = file_.tasks();
    if (lost_process_ == kNoHandle) {
      lost_process_ = table.PseudoProcess(schema::kLostProcessKoid, "(lost events)");
    }
    state.lost = table.PseudoThread(lost_process_, schema::LostKoid(cpu),
                                    fmt::format("(lost events)/{}", cpu));
  }
  return state.lost;
}

void SchedTranslator::OnRunning(uint32_t cpu, uint64_t time, uint32_t tid) {
  if (!expect_continuity_) return;
  const ThreadHandle lost = LostOf(cpu);
  const ThreadHandle running = ThreadOn(cpu, tid);
  Cpu& state = CpuAt(cpu);
  // The thread exited since, or runs on another CPU according to earlier events.
  if (state.running || file_.thread(running).on_cpu >= 0) return;
  ++stats_.gap_switches;
  WriteSwitch(cpu, time, kHiddenState, lost, running, 0, 0);
  file_.thread(running).on_cpu = static_cast<int32_t>(cpu);
  SetRunning(state, running);
}

void SchedTranslator::OnLostSwitches(uint32_t cpu, uint64_t time) {
  Cpu& state = CpuAt(cpu);
  if (!expect_continuity_ || !state.running) return;
  LostOf(cpu);
  ++stats_.gap_switches;
  WriteSwitch(cpu, time, kHiddenState, state.running->handle, state.lost, 0, 0);
  LeaveCpu(state.running->handle);
  SetRunning(state, state.lost);
}

void SchedTranslator::AddFastPathCounts(TranslationStats& stats) const {
  stats.switches += fast_switches_;
  stats.switch_bytes += fast_switches_ * kSwitchBytes;
  const uint64_t wakeups = fast_wakeups_ + fast_wakeups_via_;
  stats.wakeups += wakeups;
  stats.wakeup_bytes += fast_wakeups_ * kWakeupBytes + fast_wakeups_via_ * kWakeupViaBytes;
  stats.events[FXR_CATEGORY_SCHED] += fast_switches_ + wakeups;
  stats.recorded[FXR_CATEGORY_SCHED] += fast_switches_ + wakeups;
}

void SchedTranslator::OnSwitch(uint32_t cpu, uint64_t time, uint64_t body) {
  if (cpu >= fast_path_cpus_) [[unlikely]] {
    return OnSwitchSlowPath(cpu, time, body);
  }
  const fxr_switch_body fields = fxr_unpack_switch(body, 0);
  const uint32_t outgoing_tid = fields.prev_tid;
  const uint32_t incoming_tid = fields.next_tid;
  const unsigned state_index = fields.prev_state;
  const auto task_state = static_cast<fxr_task_state>(state_index);
  Cpu& state = cpus_[cpu];
  FileThread* const out = state.running;
  FileThread* const in = file_.FindAnnounced(incoming_tid, state.idle_thread);
  // `tid` of an idle thread is kNotAnnounced until it is announced, and 0 afterwards.
  if (!out || !in || out->tid != outgoing_tid || in->on_cpu >= 0 ||
      !out->emitted_states.IsEmitted(task_state) || IsLast(task_state) || HasDeadlinePriority(body))
      [[unlikely]] {
    return OnSwitchSlowPath(cpu, time, body);
  }
  const auto priorities = static_cast<uint16_t>(
      body >> kPrioritiesAt & (LowByteIf(outgoing_tid != 0) | LowByteIf(incoming_tid != 0) << 8));
  fxt::ProviderWriter& writer = file_.writer();
  if (!writer.TryWriteContextSwitch(time, static_cast<uint8_t>(cpu),
                                    schema::ThreadStateOf(state_index), out->slot, in->slot,
                                    priorities)) [[unlikely]] {
    // The threads may be in the current thread table at other slots.
    if (!writer.TryWriteContextSwitch(time, static_cast<uint8_t>(cpu),
                                      schema::ThreadStateOf(state_index), out->handle, in->handle,
                                      priorities)) {
      return OnSwitchSlowPath(cpu, time, body);
    }
    CacheSlot(out->handle);
    CacheSlot(in->handle);
  }
  out->on_cpu = -1;
  in->on_cpu = static_cast<int32_t>(cpu);
  state.running = in;
  ++fast_switches_;
}

void SchedTranslator::CacheSlot(ThreadHandle thread) {
  FileThread& announced = file_.thread(thread);
  announced.slot = file_.writer().SlotOf({thread, announced.process_koid, announced.koid});
  // Each thread's first switch in a file comes here, because the thread has no slot yet.
  announced.has_run = true;
}

// During exec of a non-leader thread, it and the exiting leader exchange tids (fs/exec.c:
// de_thread) without an event. Detects the exchange when a CPU runs one of them and switches out
// the tid of the other.
ThreadHandle SchedTranslator::ResolveOutgoing(const Cpu& state, ThreadHandle outgoing,
                                              fxr_task_state task_state) {
  model::TaskTable& table = file_.tasks();
  if (!state.running || state.running->handle == outgoing) return outgoing;
  const ThreadHandle running = state.running->handle;
  const model::Thread& here = table.thread(running);
  const model::Thread& named = table.thread(outgoing);
  if (here.process != named.process || here.exiting == named.exiting) return outgoing;
  if (named.exiting) {
    tasks_.BecomeLeader(running, named.tid);
  } else if (here.tid == table.process(here.process).tgid && IsLast(task_state)) {
    tasks_.BecomeLeader(outgoing, here.tid);
  } else {
    return outgoing;
  }
  return running;
}

// Detects the same exchange when a thread is switched in that runs on another CPU.
ThreadHandle SchedTranslator::ResolveIncoming(uint32_t cpu, ThreadHandle incoming) {
  model::TaskTable& table = file_.tasks();
  const model::Thread& named = table.thread(incoming);
  const int32_t on_cpu = file_.thread(incoming).on_cpu;
  if (on_cpu < 0 || on_cpu == static_cast<int32_t>(cpu) || named.exiting) return incoming;
  const uint32_t tgid = table.process(named.process).tgid;
  const ThreadHandle leader = table.Find(tgid);
  if (leader == kNoHandle || leader == incoming) return incoming;
  const model::Thread& first = table.thread(leader);
  if (!first.exiting || file_.thread(leader).on_cpu >= 0 || first.process != named.process) {
    return incoming;
  }
  tasks_.BecomeLeader(incoming, tgid);
  return leader;
}

void SchedTranslator::OnSwitchSlowPath(uint32_t cpu, uint64_t time, uint64_t body) {
  const fxr_switch_body fields = fxr_unpack_switch(body, 0);
  const uint32_t outgoing_tid = fields.prev_tid;
  const uint32_t incoming_tid = fields.next_tid;
  const auto task_state = static_cast<fxr_task_state>(fields.prev_state);
  const uint64_t bytes_before = file_.bytes();
  ++stats_.events[FXR_CATEGORY_SCHED];
  Cpu& state = CpuAt(cpu);
  model::TaskTable& table = file_.tasks();

  ThreadHandle outgoing;
  // Under a filter the running thread's switch-out may be missing. It may have exited on another
  // CPU, and its tid may have been reused.
  if (const ThreadHandle running = RunningOn(state); running != kNoHandle && outgoing_tid != 0 &&
                                                     table.IsAlive(running) &&
                                                     table.thread(running).tid == outgoing_tid) {
    outgoing = running;
  } else {
    outgoing = ThreadOn(cpu, outgoing_tid);
  }
  outgoing = ResolveOutgoing(state, outgoing, task_state);
  const ThreadHandle incoming = ResolveIncoming(cpu, ThreadOn(cpu, incoming_tid));
  Cpu& now = CpuAt(cpu);
  if (const ThreadHandle running = RunningOn(now); running != kNoHandle && running != outgoing) {
    if (expect_continuity_) {
      CloseGap(cpu, time, outgoing);
    } else {
      LeaveCpu(running);
    }
  }
  if (file_.thread(outgoing).emitted_states.Emit(task_state))
    WriteLinuxState(time, outgoing, task_state);
  WriteSwitch(cpu, time, schema::ThreadStateOf(task_state), outgoing, incoming,
              Priority(outgoing_tid, fields.prev_priority),
              Priority(incoming_tid, fields.next_priority));
  CacheSlot(outgoing);
  CacheSlot(incoming);
  stats_.switch_bytes += file_.bytes() - bytes_before;
  ++stats_.switches;
  ++stats_.recorded[FXR_CATEGORY_SCHED];
  const int32_t was_on = file_.thread(outgoing).on_cpu;
  LeaveCpu(outgoing);
  file_.thread(incoming).on_cpu = static_cast<int32_t>(cpu);
  SetRunning(now, incoming);
  // A thread that still counts as running on another CPU is kept until that CPU's next switch or
  // until Sweep().
  if (IsLast(task_state) && (was_on < 0 || was_on == static_cast<int32_t>(cpu))) {
    tasks_.OnLastSwitch(outgoing);
  }
}

void SchedTranslator::OnWaking(uint64_t time, uint64_t body, uint64_t extra) {
  const fxr_waking_body fields = fxr_unpack_waking(body, extra);
  const FileThread* woken = file_.FindAnnounced(fields.woken_tid);
  // FindAnnounced(0) is null.
  const FileThread* waker = file_.FindAnnounced(fields.waker_tid);
  if (!woken || !waker || woken->on_cpu >= 0) [[unlikely]] {
    return OnWakingSlowPath(time, body, extra);
  }
  fxt::ProviderWriter& writer = file_.writer();
  if (fields.via_net_rx) [[unlikely]] {
    if (!writer.TryWriteWakeup(time, fields.target_cpu, woken->koid, file_.Id(CommonString::kWaker),
                               waker->koid, file_.Id(CommonString::kVia),
                               file_.Id(CommonString::kNetRx))) {
      return OnWakingSlowPath(time, body, extra);
    }
    ++fast_wakeups_via_;
    return;
  }
  if (!writer.TryWriteWakeup(time, fields.target_cpu, woken->koid, file_.Id(CommonString::kWaker),
                             waker->koid)) [[unlikely]] {
    return OnWakingSlowPath(time, body, extra);
  }
  ++fast_wakeups_;
}

void SchedTranslator::OnThrottled(uint64_t time, const fxr_throttled_long& event,
                                  uint64_t event_time, std::string_view cgroup) {
  constexpr uint64_t kNoLimit = UINT64_MAX;
  const ThreadHandle thread = tasks_.Thread(event.tid);
  OpenRecord record = file_.Begin(thread);
  std::array<fxt::Argument, 5> arguments;
  size_t count = 0;
  const auto add = [&](std::string_view name, fxt::ArgumentValue value) {
    arguments[count++] = {record.Intern(name), value};
  };
  add(schema::argument::kSince, event_time - std::min<uint64_t>(event_time, event.begin));
  add(schema::argument::kUntil, event_time - std::min<uint64_t>(event_time, event.end));
  if (!cgroup.empty()) add(schema::argument::kCgroup, record.Intern(cgroup));
  if (event.quota != kNoLimit && event.period != 0) {
    add(schema::argument::kQuota, uint64_t{event.quota});
    add(schema::argument::kPeriod, uint64_t{event.period});
  }
  record.Write(fxt::Event{.type = fxt::EventType::kInstant,
                          .timestamp = time,
                          .thread = record.thread(),
                          .category = record.Ref(FXR_CATEGORY_SCHED),
                          .name = record.Intern(schema::event::kThrottled),
                          .arguments = {arguments.data(), count}});
}

void SchedTranslator::OnWakingSlowPath(uint64_t time, uint64_t body, uint64_t extra) {
  ++stats_.events[FXR_CATEGORY_SCHED];
  const fxr_waking_body fields = fxr_unpack_waking(body, extra);
  const ThreadHandle woken = tasks_.Thread(fields.woken_tid);
  const uint32_t waker_tid = fields.waker_tid;
  const uint16_t target_cpu = fields.target_cpu;
  // Perfetto shortens the slice of a running thread at a wakeup.
  if (file_.thread(woken).on_cpu >= 0) {
    ++stats_.wakeups_of_running;
    return;
  }
  const fxt::Koid koid = file_.KoidOf(woken);
  const uint64_t bytes_before = file_.bytes();
  if (fields.via_net_rx) {
    const fxt::Koid waker = file_.KoidOf(tasks_.Thread(waker_tid));
    OpenRecord record = file_.Begin();
    const std::array<fxt::Argument, 2> arguments = {
        fxt::Argument{record.Ref(CommonString::kWaker), fxt::KoidValue{waker}},
        fxt::Argument{record.Ref(CommonString::kVia), record.Ref(CommonString::kNetRx)}};
    record.Write(fxt::ThreadWakeup{
        .timestamp = time, .cpu = target_cpu, .thread = koid, .arguments = arguments});
  } else if (waker_tid != 0) {
    file_.CountRefusal(file_.writer().WriteWakeup(time, target_cpu, koid,
                                                  file_.Id(CommonString::kWaker),
                                                  file_.KoidOf(tasks_.Thread(waker_tid))));
  } else {
    file_.Begin().Write(
        fxt::ThreadWakeup{.timestamp = time, .cpu = target_cpu, .thread = koid, .arguments = {}});
  }
  stats_.wakeup_bytes += file_.bytes() - bytes_before;
  ++stats_.wakeups;
  ++stats_.recorded[FXR_CATEGORY_SCHED];
}

}  // namespace translate
