// SPDX-License-Identifier: BSD-2-Clause
#include "facts/timeline/runnable_meter.h"

#include "facts/scheduling.h"
#include "facts/settings_event.h"
#include "schema/names.h"

namespace facts {
namespace {

// The newer layout has weights instead of the kernel's priorities, and no process.
int16_t PriorityOf(const std::optional<int64_t>& priority,
                   const std::optional<fxt::Koid>& process) {
  return priority && process ? static_cast<int16_t>(*priority) : int16_t{-1};
}

}  // namespace

void RunnableMeter::AddEvent(const fxt::Event& event, uint64_t time,
                             const TimelineState& timeline) {
  if (event.type != fxt::EventType::kInstant) return;
  if (const auto settings = AsSettings(event)) return reasons_.AddSettings(*settings, time);
  const auto argument = [&](std::string_view name) { return FindArgument(event.arguments, name); };
  if (event.category.text == schema::category::kTask && event.name.text == schema::event::kFork) {
    if (const auto child = KoidOf(argument(schema::argument::kChild))) reasons_.NoteFork(*child);
  } else if (event.category.text == schema::category::kSched &&
             event.name.text == schema::event::kMigrate) {
    const auto from = IntegerValue(argument(schema::argument::kFrom));
    const ThreadIndex thread = timeline.Find(event.thread.thread);
    if (!from || *from < 0 || *from > UINT16_MAX || thread == kNoThread) return;
    moves_.At(thread) = {.from = static_cast<uint32_t>(*from), .time = time};
  }
}

void RunnableMeter::Add(const Run& run) {
  if (run.process) reasons_.NoteProcess(run.index, run.thread, *run.process);
  history_.Add(run.cpu, {.begin = run.begin,
                         .end = run.end,
                         .group = run.index,
                         .priority = PriorityOf(run.priority, run.process),
                         .cgroup = reasons_.CgroupOf(run.index)});
  reasons_.OnEnd(run.index, run.end);
}

void RunnableMeter::Add(const Idle& idle) {
  history_.Add(idle.cpu, {.begin = idle.begin, .end = idle.end, .group = CpuHistory::kIdle});
}

void RunnableMeter::Add(const Gap& gap) {
  history_.Add(gap.cpu, {.begin = gap.begin, .end = gap.end});
}

void RunnableMeter::Add(const CpuSwitch& change) {
  const bool idle = change.activity == CpuActivity::kIdle;
  const bool runs = change.activity == CpuActivity::kRun && change.index != kNoThread;
  if (runs && change.process) {
    reasons_.NoteProcess(change.index, change.thread, *change.process);
  }
  reasons_.OnCpu(change.cpu, idle, change.time);
  CpuHistory::Span span{.begin = change.time};
  if (idle) span.group = CpuHistory::kIdle;
  if (runs) {
    span.group = change.index;
    span.priority = PriorityOf(change.priority, change.process);
    span.cgroup = reasons_.CgroupOf(change.index);
  }
  history_.Open(change.cpu, span);
}

RunnableParts RunnableMeter::Add(const Wait& wait) {
  RunnableParts parts;
  if (wait.is_runnable() && wait.ends_in_run() && wait.began == Bound::kSeen &&
      !wait.touches_loss) {
    const WholeWait whole{.index = wait.index,
                          .thread = wait.thread,
                          .kind = wait.kind,
                          .begin = wait.begin,
                          .end = wait.end,
                          .end_cpu = wait.end_cpu,
                          .next_priority = wait.next_priority};
    RunnableReasons::OpenWait open(reasons_, wait.index, wait.next_priority);
    const auto look = [&](const CpuHistory::Span& part, uint64_t began) {
      if (part.group == CpuHistory::kIdle) {
        open.AddIdle(began, part.begin, part.end);
      } else {
        open.AddHolder(began, part.begin, part.end, part.cgroup, part.priority);
      }
    };
    const Move move = wait.index < moves_.size() ? moves_[wait.index] : Move();
    const bool moved = move.time > wait.begin && move.time < wait.end && move.from != wait.end_cpu;
    history_.Look(wait.end_cpu, moved ? move.time : wait.begin, wait.end, look);
    if (moved) history_.Look(move.from, wait.begin, move.time, look);
    parts = open.End(whole);
  }
  reasons_.OnEnd(wait.index, wait.end);
  return parts;
}

}  // namespace facts
