// SPDX-License-Identifier: BSD-2-Clause
#include "translate/sched_translator.h"

#include <fmt/format.h>

#include <array>

#include "model/koid.h"
#include "model/linux_state.h"

namespace translate {
namespace {

using model::kNoHandle;
using model::ThreadHandle;

constexpr uint64_t kTid = FXR_TID_MASK;

// The kernel's 0..139 in the low 8 bits; a deadline task's -1 (255 in the event) is written as 0,
// and so is idle's.
constexpr uint8_t Priority(uint32_t tid, uint64_t bits) {
  const auto priority = static_cast<uint8_t>(bits);
  return tid == 0 || priority == 0xff ? 0 : priority;
}

// Whether a task switched out in this state does not come back.
constexpr bool IsLast(fxr_task_state state) {
  return state == FXR_STATE_ZOMBIE || state == FXR_STATE_DEAD;
}

}  // namespace

ThreadHandle SchedTranslator::IdleOf(uint32_t cpu) {
  Cpu& state = CpuAt(cpu);
  if (state.idle == kNoHandle) {
    model::TaskTable& table = file_.tasks();
    if (idle_process_ == kNoHandle) {
      idle_process_ = table.AddPseudoProcess(model::kIdleProcessKoid, "swapper");
    }
    state.idle =
        table.AddPseudoThread(idle_process_, model::IdleKoid(cpu), fmt::format("swapper/{}", cpu));
    state.idle_thread = &table.thread(state.idle);
  }
  return state.idle;
}

void SchedTranslator::SetRunning(Cpu& state, ThreadHandle thread) {
  state.running = thread;
  state.running_thread = thread == state.lost ? nullptr : &file_.tasks().thread(thread);
}

ThreadHandle SchedTranslator::ThreadOn(uint32_t cpu, uint32_t tid) {
  return tid == 0 ? IdleOf(cpu) : tasks_.Thread(tid);
}

ThreadHandle SchedTranslator::Running(uint32_t cpu) {
  ThreadHandle running = CpuAt(cpu).running;
  return running == kNoHandle ? IdleOf(cpu) : running;
}

void SchedTranslator::WriteSwitch(uint32_t cpu, uint64_t time, fxt::ThreadState state,
                                  ThreadHandle outgoing, ThreadHandle incoming,
                                  uint8_t outgoing_priority, uint8_t incoming_priority) {
  const fxt::ThreadKey out = file_.Mention(outgoing);
  const fxt::ThreadKey in = file_.Mention(incoming);
  if (cpu <= 0xff) [[likely]] {
    file_.Note(file_.writer().WriteContextSwitch(time, static_cast<uint8_t>(cpu), state, out, in,
                                                 outgoing_priority, incoming_priority));
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

void SchedTranslator::TellState(uint64_t time, ThreadHandle thread, fxr_task_state state) {
  OpenRecord record = file_.Begin(thread);
  const fxt::Argument argument{record.Ref(Word::kState), record.Intern(model::StateLetters(state))};
  record.Write(fxt::Event{.type = fxt::EventType::kInstant,
                          .timestamp = time,
                          .thread = record.thread(),
                          .category = record.Ref(Word::kCategorySched),
                          .name = record.Ref(Word::kLinuxState),
                          .arguments = {&argument, 1}});
}

void SchedTranslator::LeaveCpu(ThreadHandle thread) {
  if (thread != kNoHandle) file_.tasks().thread(thread).on_cpu = -1;
}

// The CPU was seen with another thread than the one that leaves it now: say so, and close the other
// one's time on the CPU, which a viewer would draw on forever.
void SchedTranslator::CloseGap(uint32_t cpu, uint64_t time, ThreadHandle outgoing) {
  Cpu& state = CpuAt(cpu);
  if (state.running != state.lost) {
    ++stats_.unseen_switches;
    OpenRecord record = file_.Begin(outgoing);
    const fxt::Argument argument{record.Ref(Word::kCpu), static_cast<int32_t>(cpu)};
    record.Write(fxt::Event{.type = fxt::EventType::kInstant,
                            .timestamp = time,
                            .thread = record.thread(),
                            .category = record.Ref(Word::kCategoryRecorder),
                            .name = record.Ref(Word::kUnseenSwitch),
                            .arguments = {&argument, 1}});
  }
  ++stats_.gap_switches;
  WriteSwitch(cpu, time, fxt::ThreadState::kNew, state.running, outgoing, 0, 0);
  LeaveCpu(state.running);
}

void SchedTranslator::OnLostSwitches(uint32_t cpu, uint64_t time) {
  Cpu& state = CpuAt(cpu);
  if (!expect_continuity_ || state.running == kNoHandle || state.running == state.lost) return;
  if (state.lost == kNoHandle) {
    model::TaskTable& table = file_.tasks();
    if (lost_process_ == kNoHandle) {
      lost_process_ = table.AddPseudoProcess(model::kLostProcessKoid, "(lost events)");
    }
    state.lost = table.AddPseudoThread(lost_process_, model::LostKoid(cpu),
                                       fmt::format("(lost events)/{}", cpu));
  }
  ++stats_.gap_switches;
  WriteSwitch(cpu, time, fxt::ThreadState::kNew, state.running, state.lost, 0, 0);
  LeaveCpu(state.running);
  SetRunning(state, state.lost);
}

void SchedTranslator::OnSwitch(uint32_t cpu, uint64_t time, uint64_t body) {
  constexpr size_t kBytes = 16;
  if (cpu >= cpus_.size() || cpu > 0xff) [[unlikely]] {
    return OnAnySwitch(cpu, time, body);
  }
  const auto outgoing_tid = static_cast<uint32_t>(body & kTid);
  const auto incoming_tid = static_cast<uint32_t>((body >> 22) & kTid);
  const auto task_state = static_cast<fxr_task_state>(body >> 60);
  Cpu& state = cpus_[cpu];
  model::Thread* const out = state.running_thread;
  model::Thread* const in =
      incoming_tid == 0 ? state.idle_thread : file_.tasks().FindThread(incoming_tid);
  // Idle threads have tid 0.
  if (!out || !in || out->tid != outgoing_tid || !out->announced || !in->announced ||
      in->on_cpu >= 0 || !out->told_states.IsTold(task_state) || IsLast(task_state) ||
      !file_.writer().TryWriteContextSwitch(
          time, static_cast<uint8_t>(cpu), model::ThreadStateOf(task_state), out->handle,
          in->handle, Priority(outgoing_tid, body >> 44), Priority(incoming_tid, body >> 52)))
      [[unlikely]] {
    return OnAnySwitch(cpu, time, body);
  }
  out->on_cpu = -1;
  in->on_cpu = static_cast<int32_t>(cpu);
  state.running = in->handle;
  state.running_thread = in;
  stats_.switch_bytes += kBytes;
  ++stats_.switches;
  ++stats_.recorded[FXR_CATEGORY_SCHED];
}

// In exec of a thread that is not the leader, it and the leader, which is on its way out, exchange
// their tids (fs/exec.c: de_thread), and nothing tells when. It shows when one of them is known to
// be on the CPU and the other's tid leaves it.
ThreadHandle SchedTranslator::SettleOutgoing(const Cpu& state, ThreadHandle outgoing,
                                             fxr_task_state task_state) {
  model::TaskTable& table = file_.tasks();
  const ThreadHandle running = state.running;
  if (running == kNoHandle || running == state.lost || running == outgoing) return outgoing;
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

// Or when the one that is on another CPU comes to this one.
ThreadHandle SchedTranslator::SettleIncoming(uint32_t cpu, ThreadHandle incoming) {
  model::TaskTable& table = file_.tasks();
  const model::Thread& named = table.thread(incoming);
  if (named.on_cpu < 0 || named.on_cpu == static_cast<int32_t>(cpu) || named.exiting) {
    return incoming;
  }
  const uint32_t tgid = table.process(named.process).tgid;
  const ThreadHandle leader = table.Find(tgid);
  if (leader == kNoHandle || leader == incoming) return incoming;
  const model::Thread& first = table.thread(leader);
  if (!first.exiting || first.on_cpu >= 0 || first.process != named.process) return incoming;
  tasks_.BecomeLeader(incoming, tgid);
  return leader;
}

void SchedTranslator::OnAnySwitch(uint32_t cpu, uint64_t time, uint64_t body) {
  const auto outgoing_tid = static_cast<uint32_t>(body & kTid);
  const auto incoming_tid = static_cast<uint32_t>((body >> 22) & kTid);
  const auto task_state = static_cast<fxr_task_state>(body >> 60);
  const uint64_t bytes_before = file_.bytes();
  Cpu& state = CpuAt(cpu);
  model::TaskTable& table = file_.tasks();

  ThreadHandle outgoing;
  if (state.running != kNoHandle && state.running != state.lost && outgoing_tid != 0 &&
      table.thread(state.running).tid == outgoing_tid) {
    outgoing = state.running;
  } else {
    outgoing = ThreadOn(cpu, outgoing_tid);
  }
  outgoing = SettleOutgoing(state, outgoing, task_state);
  const ThreadHandle incoming = SettleIncoming(cpu, ThreadOn(cpu, incoming_tid));
  Cpu& now = CpuAt(cpu);
  if (now.running != kNoHandle && now.running != outgoing) {
    if (expect_continuity_) {
      CloseGap(cpu, time, outgoing);
    } else {
      LeaveCpu(now.running);
    }
  }
  if (table.thread(outgoing).told_states.Tell(task_state)) TellState(time, outgoing, task_state);
  WriteSwitch(cpu, time, model::ThreadStateOf(task_state), outgoing, incoming,
              Priority(outgoing_tid, body >> 44), Priority(incoming_tid, body >> 52));
  stats_.switch_bytes += file_.bytes() - bytes_before;
  ++stats_.switches;
  ++stats_.recorded[FXR_CATEGORY_SCHED];
  const int32_t was_on = table.thread(outgoing).on_cpu;
  LeaveCpu(outgoing);
  table.thread(incoming).on_cpu = static_cast<int32_t>(cpu);
  SetRunning(now, incoming);
  // One that is taken to run on another CPU stays for that CPU's next switch; Sweep lets go of it.
  if (IsLast(task_state) && (was_on < 0 || was_on == static_cast<int32_t>(cpu))) {
    tasks_.OnLastSwitch(outgoing);
  }
}

void SchedTranslator::OnWaking(uint64_t time, uint64_t body) {
  const auto tid = static_cast<uint32_t>(body & kTid);
  const auto waker_tid = static_cast<uint32_t>((body >> 22) & kTid);
  const auto target_cpu = static_cast<uint16_t>((body >> 52) & 0xfff);
  const model::Thread* woken = file_.tasks().FindThread(tid);
  if (!woken) [[unlikely]] {
    woken = &file_.tasks().thread(tasks_.Thread(tid));
  }
  // One viewer shortens a running thread's slice when a wakeup comes inside it.
  if (woken->on_cpu >= 0) {
    ++stats_.wakeups_of_running;
    return;
  }
  if (!woken->announced) [[unlikely]] {
    file_.Announce(woken->handle);
  }
  const fxt::Koid koid = woken->koid;
  const uint64_t bytes_before = file_.bytes();
  if (waker_tid != 0) {
    file_.Note(file_.writer().WriteWakeup(time, target_cpu, koid, file_.Id(Word::kWaker),
                                          file_.KoidOf(tasks_.Thread(waker_tid))));
  } else {
    file_.Begin().Write(
        fxt::ThreadWakeup{.timestamp = time, .cpu = target_cpu, .thread = koid, .arguments = {}});
  }
  stats_.wakeup_bytes += file_.bytes() - bytes_before;
  ++stats_.wakeups;
  ++stats_.recorded[FXR_CATEGORY_SCHED];
}

void SchedTranslator::OnMigrate(uint64_t time, uint64_t body) {
  ThreadHandle thread = tasks_.Thread(static_cast<uint32_t>(body & kTid));
  OpenRecord record = file_.Begin(thread);
  const std::array arguments = {
      fxt::Argument{record.Ref(Word::kFrom), static_cast<int32_t>((body >> 22) & 0x1fff)},
      fxt::Argument{record.Ref(Word::kTo), static_cast<int32_t>((body >> 35) & 0x1fff)}};
  record.Write(fxt::Event{.type = fxt::EventType::kInstant,
                          .timestamp = time,
                          .thread = record.thread(),
                          .category = record.Ref(Word::kCategorySched),
                          .name = record.Ref(Word::kMigrate),
                          .arguments = arguments});
  ++stats_.migrations;
  ++stats_.recorded[FXR_CATEGORY_SCHED];
}

}  // namespace translate
