// SPDX-License-Identifier: BSD-2-Clause
#include "export/perfetto/sched_packets.h"

#include <charconv>
#include <utility>

namespace exporting::perfetto {
namespace {

constexpr size_t kMaxSymbolBytes = size_t{16} << 20;
constexpr int32_t kIdlePriority = 120;

// A signed value of a packed field, as protobuf has it.
uint64_t Extended(int64_t value) { return static_cast<uint64_t>(value); }

bool IsAtLeast(std::string_view release, unsigned major, unsigned minor) {
  unsigned found[2] = {};
  const char* at = release.data();
  const char* end = at + release.size();
  for (unsigned& part : found) {
    const auto [next, error] = std::from_chars(at, end, part);
    if (error != std::errc()) return false;
    at = next;
    if (&part == &found[0] && (at == end || *at++ != '.')) return false;
  }
  return std::pair(found[0], found[1]) >= std::pair(major, minor);
}

}  // namespace

RawStates::RawStates(std::string_view release) : current_(IsAtLeast(release, 4, 14)) {}

// Kernel, include/linux/sched.h and include/trace/events/sched.h: TASK_REPORT and what 4.4 had.
int64_t RawStates::Of(fxr_task_state state) const {
  switch (state) {
    case FXR_STATE_RUNNABLE:
    case FXR_STATE_WOKEN:
      return 0;
    case FXR_STATE_PREEMPTED:
      return current_ ? 0x100 : 0x800;
    case FXR_STATE_INTERRUPTIBLE:
      return 0x01;
    case FXR_STATE_UNINTERRUPTIBLE:
      return 0x02;
    case FXR_STATE_STOPPED:
      return 0x04;
    case FXR_STATE_TRACED:
      return 0x08;
    case FXR_STATE_DEAD:
      return 0x10;
    case FXR_STATE_ZOMBIE:
      return 0x20;
    case FXR_STATE_PARKED:
      return current_ ? 0x40 : 0x200;
    case FXR_STATE_IDLE:
      return current_ ? 0x80 : 0x402;
    default:
      return kUnknown;
  }
}

SchedPackets::Cpu* SchedPackets::At(uint32_t cpu) {
  if (cpu >= kMaxCpus) return nullptr;
  if (cpu >= cpus_.size()) cpus_.resize(cpu + size_t{1});
  return &cpus_[cpu];
}

uint64_t SchedPackets::CommNumber(Cpu& cpu, std::string_view comm) {
  const auto [found, is_new] =
      cpu.comm_numbers.try_emplace(std::string(comm), static_cast<uint32_t>(cpu.comms.size()));
  if (is_new) cpu.comms.emplace_back(comm);
  return found->second;
}

void SchedPackets::Switch(uint32_t number, uint64_t time, int64_t state, const SchedTask& task) {
  Cpu* cpu = At(number);
  if (cpu == nullptr) return;
  if (!std::exchange(cpu->begun, true)) {
    // A compact event has no outgoing side; the reader takes that of the event before.
    WriteSwitch(number, time, {0, kIdlePriority, "swapper"}, 0, task);
    return;
  }
  ProtoWriter::AppendVarint(cpu->switch_timestamp, time - cpu->last_switch);
  cpu->last_switch = time;
  ProtoWriter::AppendVarint(cpu->switch_prev_state, Extended(state));
  ProtoWriter::AppendVarint(cpu->switch_next_pid, Extended(task.pid));
  ProtoWriter::AppendVarint(cpu->switch_next_prio, Extended(task.priority));
  ProtoWriter::AppendVarint(cpu->switch_comm, CommNumber(*cpu, task.comm));
  Full(number, *cpu);
}

void SchedPackets::Visit(uint32_t cpu, uint64_t time, const SchedTask& task,
                         const SchedTask& occupant) {
  if (cpu >= kMaxCpus) return;
  WriteSwitch(cpu, time, occupant, RawStates::kUnknown, task);
  WriteSwitch(cpu, time, task, RawStates::kUnknown, occupant);
}

void SchedPackets::Waking(uint32_t number, uint64_t time, const SchedTask& task,
                          uint32_t target_cpu, bool by_interrupt) {
  Cpu* cpu = At(number);
  if (cpu == nullptr) return;
  ProtoWriter::AppendVarint(cpu->waking_timestamp, time - cpu->last_waking);
  cpu->last_waking = time;
  ProtoWriter::AppendVarint(cpu->waking_pid, Extended(task.pid));
  ProtoWriter::AppendVarint(cpu->waking_target, target_cpu);
  ProtoWriter::AppendVarint(cpu->waking_prio, Extended(task.priority));
  ProtoWriter::AppendVarint(cpu->waking_comm, CommNumber(*cpu, task.comm));
  ProtoWriter::AppendVarint(cpu->waking_flags, by_interrupt ? compact_sched::kFlagHardirq : 0);
  Full(number, *cpu);
}

void SchedPackets::WakingBy(int32_t waker, uint64_t time, const SchedTask& task,
                            uint32_t target_cpu) {
  if (target_cpu >= kMaxCpus) return;
  WriteEvent(target_cpu, time, waker, nullptr, [&](ProtoWriter& out) {
    namespace field = ftrace_event::sched_waking;
    const ProtoWriter::Nested event(out, ftrace_event::kSchedWaking);
    out.String(field::kComm, task.comm);
    out.Varint(field::kPid, task.pid);
    out.Varint(field::kPrio, task.priority);
    out.Varint(field::kSuccess, 1);
    out.Varint(field::kTargetCpu, target_cpu);
  });
}

void SchedPackets::BlockedReason(int32_t pid, uint64_t time, std::string_view reason, bool io) {
  if (symbols_.bytes() > kMaxSymbolBytes) {
    symbols_.Clear();
    stream_.ClearState(Sequence::kSched);
  }
  ProtoWriter entries;
  const uint64_t symbol = symbols_.Number(reason, entries);
  WriteEvent(0, time, pid, &entries, [&](ProtoWriter& out) {
    namespace field = ftrace_event::blocked_reason;
    const ProtoWriter::Nested event(out, ftrace_event::kBlockedReason);
    out.Varint(field::kPid, pid);
    out.Varint(field::kCaller, symbol);
    out.Varint(field::kIoWait, io);
  });
}

void SchedPackets::Lost(uint32_t cpu) {
  if (Cpu* found = At(cpu)) found->lost = true;
}

template <typename Fill>
void SchedPackets::WriteEvent(uint32_t cpu, uint64_t time, int32_t pid, const ProtoWriter* entries,
                              Fill&& fill) {
  stream_.Write(Sequence::kSched, std::nullopt, [&](ProtoWriter& out) {
    if (entries != nullptr && entries->size() > 0) {
      out.Bytes(packet::kInternedData, entries->bytes());
    }
    const ProtoWriter::Nested bundle(out, packet::kFtraceEvents);
    out.Varint(ftrace_bundle::kCpu, cpu);
    const ProtoWriter::Nested event(out, ftrace_bundle::kEvent);
    out.Varint(ftrace_event::kTimestamp, time);
    out.Varint(ftrace_event::kPid, pid);
    fill(out);
  });
}

void SchedPackets::WriteSwitch(uint32_t cpu, uint64_t time, const SchedTask& left, int64_t state,
                               const SchedTask& came) {
  WriteEvent(cpu, time, left.pid, nullptr, [&](ProtoWriter& out) {
    namespace field = ftrace_event::sched_switch;
    const ProtoWriter::Nested event(out, ftrace_event::kSchedSwitch);
    out.String(field::kPrevComm, left.comm);
    out.Varint(field::kPrevPid, left.pid);
    out.Varint(field::kPrevPrio, left.priority);
    out.Varint(field::kPrevState, state);
    out.String(field::kNextComm, came.comm);
    out.Varint(field::kNextPid, came.pid);
    out.Varint(field::kNextPrio, came.priority);
  });
}

void SchedPackets::WriteBundle(uint32_t number, Cpu& cpu) {
  stream_.Write(Sequence::kSched, std::nullopt, [&](ProtoWriter& out) {
    const ProtoWriter::Nested bundle(out, packet::kFtraceEvents);
    out.Varint(ftrace_bundle::kCpu, number);
    if (cpu.lost) out.Varint(ftrace_bundle::kLostEvents, true);
    const ProtoWriter::Nested compact(out, ftrace_bundle::kCompactSched);
    for (const std::string& comm : cpu.comms) out.String(compact_sched::kInternTable, comm);
    out.Packed(compact_sched::kSwitchTimestamp, cpu.switch_timestamp);
    out.Packed(compact_sched::kSwitchPrevState, cpu.switch_prev_state);
    out.Packed(compact_sched::kSwitchNextPid, cpu.switch_next_pid);
    out.Packed(compact_sched::kSwitchNextPrio, cpu.switch_next_prio);
    out.Packed(compact_sched::kSwitchNextComm, cpu.switch_comm);
    out.Packed(compact_sched::kWakingTimestamp, cpu.waking_timestamp);
    out.Packed(compact_sched::kWakingPid, cpu.waking_pid);
    out.Packed(compact_sched::kWakingTargetCpu, cpu.waking_target);
    out.Packed(compact_sched::kWakingPrio, cpu.waking_prio);
    out.Packed(compact_sched::kWakingComm, cpu.waking_comm);
    out.Packed(compact_sched::kWakingFlags, cpu.waking_flags);
  });
  for (Varints* list :
       {&cpu.switch_timestamp, &cpu.switch_prev_state, &cpu.switch_next_pid, &cpu.switch_next_prio,
        &cpu.switch_comm, &cpu.waking_timestamp, &cpu.waking_pid, &cpu.waking_target,
        &cpu.waking_prio, &cpu.waking_comm, &cpu.waking_flags}) {
    list->clear();
  }
  cpu.comms.clear();
  cpu.comm_numbers.clear();
  cpu.events = 0;
  cpu.last_switch = cpu.last_waking = 0;
  cpu.lost = false;
}

void SchedPackets::Flush() {
  for (uint32_t number = 0; number < cpus_.size(); ++number) {
    if (cpus_[number].events > 0 || cpus_[number].lost) WriteBundle(number, cpus_[number]);
  }
}

}  // namespace exporting::perfetto
