// SPDX-License-Identifier: BSD-2-Clause
#include "export/perfetto/perfetto_export.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "facts/recorder_facts.h"
#include "facts/scheduling.h"
#include "facts/wait_reasons.h"
#include "schema/names.h"

namespace exporting::perfetto {
namespace {

// syslog(3): LOG_INFO. Kernel messages come without their level.
constexpr uint32_t kInfo = 6;
constexpr size_t kMaxLostTimes = 64;
constexpr int32_t kDefaultPriority = 120;
// Names of what stands for the thread of a CPU that is not known.
constexpr std::string_view kLost = "(lost events)";
constexpr std::string_view kNotKnown = "(not known)";

std::string_view TextArgument(std::span<const fxt::Argument> arguments, std::string_view name) {
  return facts::TextOf(facts::FindArgument(arguments, name)).value_or(std::string_view());
}

// True for a sleep in which the kernel sets in_iowait. Other reasons do not say.
bool IsIo(std::string_view reason) {
  return reason.starts_with("block") || reason.starts_with("page fault") ||
         reason.starts_with("io_schedule");
}

}  // namespace

PerfettoExport::PerfettoExport(fxt::ByteSink& sink, SampleFormat format)
    : stream_(sink),
      states_(""),
      sched_(stream_),
      events_(stream_, numbers_, names_),
      stacks_(stream_, numbers_, format) {}

PerfettoExport::Counts PerfettoExport::counts() const {
  return {stream_.packets(), stream_.bytes(), stacks_.undefined(), events_.left_out()};
}

const PerfettoExport::Task& PerfettoExport::TaskOf(facts::ThreadIndex index, fxt::Koid koid) {
  if (index != facts::kNoThread && index >= tasks_.size()) tasks_.resize(index + size_t{1});
  Task& task = index == facts::kNoThread ? unnumbered_ : tasks_[index];
  if (task.names == names_generation_ && index != facts::kNoThread) return task;
  task.names = names_generation_;
  task.pid = numbers_.Of(koid);
  task.comm = names_.thread_name(koid);
  return task;
}

SchedTask PerfettoExport::StandIn(uint32_t cpu, facts::Gap::Why why) {
  if (why == facts::Gap::Why::kLost) {
    return {numbers_.Of(schema::LostKoid(cpu)), kDefaultPriority, kLost};
  }
  // A thread of its own, since a thread has one name. No recording has such a koid.
  return {numbers_.Of(schema::kMaxKoid + 1 + cpu), kDefaultPriority, kNotKnown};
}

void PerfettoExport::Occupy(uint32_t number, uint64_t begin, const SchedTask& task, int64_t left,
                            uint64_t end, facts::Bound ended) {
  if (number >= SchedPackets::kMaxCpus) return;
  Cpu& cpu = CpuAt(number);
  sched_.Switch(number, begin, cpu.left_state, task);
  cpu.left_state = left;
  cpu.end = end;
  cpu.ended = ended;
}

void PerfettoExport::AddRun(const facts::Run& run) {
  blocked_.Release(run.thread);
  const Task& task = TaskOf(run.index, run.thread);
  const int64_t left = run.end_state ? states_.Of(*run.end_state) : RawStates::kUnknown;
  const auto priority = static_cast<int32_t>(
      std::clamp<int64_t>(run.priority.value_or(kDefaultPriority), INT32_MIN, INT32_MAX));
  Occupy(run.cpu, run.begin, {task.pid, priority, task.comm}, left, run.end, run.ended);
}

void PerfettoExport::AddIdle(const facts::Idle& idle) {
  Occupy(idle.cpu, idle.begin, {0, kDefaultPriority, "swapper"}, 0, idle.end, idle.ended);
}

// No thread of the machine is said to run there: one that stands for it is shown.
void PerfettoExport::AddGap(const facts::Gap& gap) {
  const bool lost = gap.why == facts::Gap::Why::kLost;
  const Cpu& cpu = CpuAt(gap.cpu);
  // The thread that came where the gap begins did come, which ended its wait.
  if (cpu.came_at == gap.begin && !cpu.came_idle) {
    const Task& task = TaskOf(timeline_.Find(cpu.came), cpu.came);
    Occupy(gap.cpu, gap.begin, {task.pid, kDefaultPriority, task.comm}, RawStates::kUnknown,
           gap.begin, facts::Bound::kUnseen);
  }
  Occupy(gap.cpu, gap.begin, StandIn(gap.cpu, gap.why), RawStates::kUnknown, gap.end, gap.ended);
  if (!lost) return;
  if (lost_times_.size() == kMaxLostTimes) lost_times_.pop_front();
  lost_times_.push_back({gap.cpu, gap.begin, gap.end});
}

void PerfettoExport::AddSwitch(const facts::Switch& change) {
  if (change.cpu >= SchedPackets::kMaxCpus) return;
  if (const PendingWaking& waking = CpuAt(change.cpu).waking; waking.time != 0) {
    // Perfetto takes a switch of the same moment for the earlier one.
    WriteWaking(change.cpu, waking.time == change.time);
  }
  timeline_.OnSwitch(change);
  Cpu& cpu = CpuAt(change.cpu);
  cpu.came_at = change.time;
  cpu.came = change.incoming.thread;
  cpu.came_idle = change.incoming.idle || change.incoming.lost;
}

void PerfettoExport::WriteWaking(uint32_t number, bool explicitly) {
  const PendingWaking waking = std::exchange(CpuAt(number).waking, {});
  if (waking.time == 0) return;
  const Task& known = TaskOf(timeline_.Find(waking.thread), waking.thread);
  const SchedTask task{known.pid, kDefaultPriority, known.comm};
  if (explicitly) {
    sched_.WakingBy(numbers_.Of(waking.waker), waking.time, task, waking.target_cpu);
  } else {
    sched_.Waking(number, waking.time, task, waking.target_cpu, false);
  }
}

void PerfettoExport::AddWait(const facts::Wait& wait) {
  if (wait.kind != facts::WaitKind::kBlocked || wait.ended != facts::Bound::kSeen) return;
  blocked_.Hold(wait, true, {numbers_.Of(wait.thread), wait.end});
}

void PerfettoExport::WriteReason(const BlockedSleep& sleep, const std::string& reason) {
  const std::string kind = facts::KindOfReason(reason);
  if (!kind.empty()) sched_.BlockedReason(sleep.pid, sleep.end, kind, IsIo(kind));
}

void PerfettoExport::AddWakeup(const facts::Wakeup& wakeup) {
  const auto runnable_since = [&]() -> std::optional<uint64_t> {
    const facts::TimelineState::Thread* thread = timeline_.thread(wakeup.thread);
    if (thread == nullptr || thread->running) return std::nullopt;
    const bool runnable =
        thread->kind == facts::WaitKind::kWakeup || thread->kind == facts::WaitKind::kPreempted;
    return runnable ? std::optional(thread->since) : std::nullopt;
  };
  const auto before = runnable_since();
  timeline_.OnWakeup(wakeup);
  const auto after = runnable_since();
  // A thread that runs or is runnable already is not woken.
  const bool woken = after && after != before;
  if (!woken) return;
  const Task& known = TaskOf(timeline_.Find(wakeup.thread), wakeup.thread);
  const SchedTask task{known.pid, kDefaultPriority, known.comm};
  if (before) AddLostRun(task, *before, wakeup.time);
  if (!wakeup.waker) return sched_.Waking(wakeup.cpu, wakeup.time, task, wakeup.cpu, true);
  const auto cpu = timeline_.CpuOf(*wakeup.waker);
  if (cpu && *cpu < SchedPackets::kMaxCpus) {
    WriteWaking(*cpu, false);
    CpuAt(*cpu).waking = {wakeup.time, *wakeup.waker, wakeup.thread, wakeup.cpu};
    return;
  }
  sched_.WakingBy(numbers_.Of(*wakeup.waker), wakeup.time, task, wakeup.cpu);
}

// A runnable thread that is woken ran and slept where events were lost. Perfetto ignores the waking
// of a runnable thread: a run of length 0 in the lost time ends the state.
void PerfettoExport::AddLostRun(const SchedTask& task, uint64_t begin, uint64_t end) {
  const auto visit = [&](uint32_t cpu, uint64_t from, uint64_t to) {
    const uint64_t time = std::max(begin, from) + 1;
    if (time >= std::min(end, to)) return false;
    sched_.Visit(cpu, time, task, StandIn(cpu, facts::Gap::Why::kLost));
    return true;
  };
  for (const LostTime& lost : lost_times_) {
    if (visit(lost.cpu, lost.begin, lost.end)) return;
  }
  const auto& cpus = timeline_.cpus();
  for (uint32_t number = 0; number < cpus.size(); ++number) {
    const bool is_lost =
        cpus[number].does == facts::CpuActivity::kGap && cpus[number].why == facts::Gap::Why::kLost;
    if (is_lost && visit(number, cpus[number].since, end)) return;
  }
}

void PerfettoExport::AddObject(const fxt::KernelObject& object) {
  ++names_generation_;
  const bool is_process = object.type == static_cast<uint8_t>(fxt::KernelObjectType::kProcess);
  const bool is_thread = object.type == static_cast<uint8_t>(fxt::KernelObjectType::kThread);
  if ((!is_process && !is_thread) || IsPseudo(object.koid) ||
      (is_process && object.koid == schema::kIdleProcessKoid)) {
    return;
  }
  if (is_thread) {
    const auto process =
        facts::KoidOf(facts::FindArgument(object.arguments, schema::argument::kProcess));
    if (!process || IsPseudo(*process)) return;
    stream_.Write(Sequence::kEvents, timeline_.latest(), [&](ProtoWriter& out) {
      const ProtoWriter::Nested tree(out, packet::kProcessTree);
      const ProtoWriter::Nested thread(out, process_tree::kThreads);
      out.Varint(process_tree::thread::kTid, numbers_.Of(object.koid));
      out.String(process_tree::thread::kName, object.name.text);
      out.Varint(process_tree::thread::kProcess, numbers_.Of(*process));
    });
    return;
  }
  const std::string_view line = TextArgument(object.arguments, schema::argument::kCommandLine);
  const auto number = [&](std::string_view name) {
    return facts::IntegerValue(facts::FindArgument(object.arguments, name));
  };
  stream_.Write(Sequence::kEvents, timeline_.latest(), [&](ProtoWriter& out) {
    const ProtoWriter::Nested tree(out, packet::kProcessTree);
    const ProtoWriter::Nested process(out, process_tree::kProcesses);
    out.Varint(process_tree::process::kPid, numbers_.Of(object.koid));
    if (const auto parent = number(schema::argument::kParent)) {
      out.Varint(process_tree::process::kParent, *parent);
    }
    // The trace has the arguments with spaces between them. The reader takes what stands before the
    // first space for the program.
    out.String(process_tree::process::kCommandLine, line.empty() ? object.name.text : line);
    if (const auto user = number(schema::argument::kUser)) {
      out.Varint(process_tree::process::kUser, *user);
    }
    if (line.empty()) out.Varint(process_tree::process::kCommandLineIsComm, true);
  });
  const std::string_view cgroup = TextArgument(object.arguments, schema::argument::kCgroup);
  if (!cgroup.empty() && cgroup != "/") {
    events_.LabelProcess(object.koid, fmt::format("cgroup {}", cgroup));
  }
}

void PerfettoExport::AddLog(const fxt::Reader& reader, const fxt::Log& log) {
  const bool is_task = !IsPseudo(log.thread.process) && !IsPseudo(log.thread.thread);
  const bool kernel = reader.provider().name() == schema::kRecorderName;
  stream_.Write(Sequence::kEvents, reader.ToNanoseconds(log.timestamp), [&](ProtoWriter& out) {
    const ProtoWriter::Nested event(out, packet::kJournaldEvent);
    if (is_task && log.thread.process != 0) {
      out.Varint(journald_event::kPid, static_cast<uint32_t>(numbers_.Of(log.thread.process)));
      out.Varint(journald_event::kTid, static_cast<uint32_t>(numbers_.Of(log.thread.thread)));
    }
    out.Varint(journald_event::kPriority, kInfo);
    out.String(journald_event::kTag,
               kernel ? std::string_view("kernel") : std::string_view(reader.provider().name()));
    out.String(journald_event::kMessage, log.message);
    const std::string& comm = names_.thread_name(log.thread.thread);
    if (!comm.empty()) out.String(journald_event::kComm, comm);
    if (kernel) out.String(journald_event::kTransport, "kernel");
  });
}

void PerfettoExport::BeginWithSession(const fxt::Event& session, uint64_t time) {
  const std::string_view release = TextArgument(session.arguments, "kernel");
  states_ = RawStates(release);
  const auto number = [&](std::string_view name) {
    return facts::IntegerValue(facts::FindArgument(session.arguments, name));
  };
  if (const auto ahead = number(schema::argument::kRealtimeAhead); ahead && *ahead >= 0) {
    stream_.Write(Sequence::kEvents, std::nullopt, [&](ProtoWriter& out) {
      const ProtoWriter::Nested snapshot(out, packet::kClockSnapshot);
      const auto clock = [&](uint32_t id, uint64_t value) {
        const ProtoWriter::Nested one(out, clock_snapshot::kClocks);
        out.Varint(clock_snapshot::kClockId, id);
        out.Varint(clock_snapshot::kTimestamp, value);
      };
      clock(clock_snapshot::kBoottime, time);
      clock(clock_snapshot::kRealtime, time + static_cast<uint64_t>(*ahead));
      out.Varint(clock_snapshot::kPrimaryTraceClock, clock_snapshot::kBoottime);
    });
  }
  stream_.Write(Sequence::kEvents, std::nullopt, [&](ProtoWriter& out) {
    const ProtoWriter::Nested system(out, packet::kSystemInfo);
    {
      const ProtoWriter::Nested uname(out, system_info::kUtsname);
      out.String(system_info::kSysname, "Linux");
      if (states_.is_current()) out.String(system_info::kRelease, release);
      out.String(system_info::kMachine, TextArgument(session.arguments, "machine"));
    }
    if (const auto cpus = number("cpus"); cpus && *cpus > 0) {
      out.Varint(system_info::kCpus, *cpus);
    }
  });
}

bool PerfettoExport::Add(const fxt::Reader& reader) {
  if (timeline_.IsKernels(reader.provider())) {
    AddKernelRecord(reader);
  } else if (const auto* event = std::get_if<fxt::Event>(&reader.record())) {
    // A program speaks for its own spans and messages only.
    events_.Add(reader, *event);
  } else if (const auto* log = std::get_if<fxt::Log>(&reader.record())) {
    AddLog(reader, *log);
  }
  return !stream_.failed();
}

void PerfettoExport::AddKernelRecord(const fxt::Reader& reader) {
  const fxt::Record& record = reader.record();
  names_.Note(record);
  blocked_.NoteObject(record);
  blocked_.NoteEvent(reader);
  if (const auto* object = std::get_if<fxt::KernelObject>(&record)) return AddObject(*object);
  if (const auto change = facts::AsSwitch(record, reader.provider())) return AddSwitch(*change);
  if (const auto wakeup = facts::AsWakeup(record, reader.provider())) return AddWakeup(*wakeup);
  if (const auto* log = std::get_if<fxt::Log>(&record)) return AddLog(reader, *log);
  timeline_.Add(reader);
  const bool is_stack = stacks_.Add(reader);
  const auto* event = std::get_if<fxt::Event>(&record);
  if (event == nullptr) return;
  if (facts::IsSession(*event) && !std::exchange(begun_, true)) {
    BeginWithSession(*event, reader.ToNanoseconds(event->timestamp));
  }
  if (const auto loss = facts::AsLoss(*event); loss && loss->cpu.value_or(-1) >= 0) {
    sched_.Lost(static_cast<uint32_t>(*loss->cpu));
  }
  if (!is_stack && !facts::IsLinuxState(*event)) events_.Add(reader, *event);
}

bool PerfettoExport::Finish() {
  timeline_.Finish(timeline_.latest());
  blocked_.Finish();
  for (uint32_t number = 0; number < cpus_.size(); ++number) {
    WriteWaking(number, false);
    const Cpu& cpu = cpus_[number];
    // An interval that the end of the trace cuts stays open; what ended before it does not.
    if (cpu.end != 0 && cpu.ended != facts::Bound::kFileEdge) {
      sched_.Switch(number, cpu.end, cpu.left_state, StandIn(number, facts::Gap::Why::kUnseen));
    }
  }
  sched_.Flush();
  return stream_.Flush();
}

}  // namespace exporting::perfetto
