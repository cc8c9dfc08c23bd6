// SPDX-License-Identifier: BSD-2-Clause
// The short way from the words of a switch or wakeup about which nothing is odd to the rows. What
// it does is what AddSwitch() and AddWakeup() do of them: whatever is not known to be plain goes
// there.
#include <algorithm>
#include <optional>

#include "facts/timeline/fact.h"
#include "facts/timeline/fast_path_tables.h"
#include "facts/timeline/timeline.h"
#include "tables/fact_rows.h"

namespace tables {

// With a timeline.
struct FactRows::Plain {
  using Cpu = facts::TimelineState::Cpu;
  using Step = facts::FastPath::Step;

  FactRows& rows;
  facts::FastPathTables::Table& table;

  [[gnu::always_inline]] bool OnSwitch(const fxt::UnresolvedSwitch& record) const {
    const facts::FastPathTables::Slot& out = table.slots[record.outgoing()];
    const facts::FastPathTables::Slot& in = table.slots[record.incoming()];
    if (!IsKnown(out, record.outgoing()) || !IsKnown(in, record.incoming())) [[unlikely]] {
      return false;
    }
    Step step{
        .time = table.provider->ToNanoseconds(record.timestamp),
        .cpu = record.cpu(),
        .outgoing = out.index,
        .incoming = in.index,
        .outgoing_state = record.outgoing_state(),
        .outgoing_priority = record.outgoing_priority(),
        .incoming_priority = record.incoming_priority(),
        .process = in.process,
    };
    step.idle = step.process == 0 && step.incoming_priority == 0;
    if (!rows.timeline_.IsPlain(step)) [[unlikely]] {
      return false;
    }
    if (rows.with_times_) [[unlikely]] {
      const bool was_idle = out.process == 0 && step.outgoing_priority == 0;
      rows.names_.NoteThread(KoidOf(step.outgoing), out.process, step.time, was_idle);
      rows.names_.NoteThread(KoidOf(step.incoming), in.process, step.time, step.idle);
    }
    const Cpu& cpu = rows.timeline_.cpus()[step.cpu];
    if (cpu.does == Cpu::Does::kRun) {
      EndRun(step, cpu);
    } else {
      rows.AddIdle({.cpu = step.cpu,
                    .index = step.outgoing,
                    .thread = cpu.thread,
                    .begin = cpu.since,
                    .end = step.time});
    }
    if (rows.waits_ != nullptr && !step.idle) {
      const facts::Wait wait = rows.timeline_.WaitOf(step.incoming, step.time);
      rows.AddWait(wait, step.cpu, wait.waker);
    }
    rows.timeline_.Take(step);
    ++rows.CpuAt(step.cpu).switches;
    return true;
  }

  [[gnu::always_inline]] bool OnWakeup(const fxt::UnresolvedWakeup& record) const {
    const uint64_t time = table.provider->ToNanoseconds(record.timestamp);
    const facts::ThreadIndex index = rows.timeline_.Find(record.thread);
    if (!rows.timeline_.IsFastWakeup(index, time)) return false;
    std::optional<fxt::Koid> waker;
    if (record.argument_name != 0) {
      if (!facts::FastPathTables::IsWaker(table, record.argument_name)) [[unlikely]] {
        return false;
      }
      waker = record.argument_koid;
    }
    if (rows.with_times_) [[unlikely]] {
      rows.names_.NoteThread(record.thread, std::nullopt, time, false);
    }
    rows.latest_wakeup_ = std::max(rows.latest_wakeup_, time);
    ++rows.CpuAt(record.cpu).wakeups;
    if (rows.waits_ != nullptr) {
      rows.AddWait(rows.timeline_.WaitOf(index, time), record.cpu, waker);
    }
    rows.timeline_.TakeWakeup(index, time, record.cpu, waker);
    if (rows.wakeups_ != nullptr) {
      rows.PutWakeup(
          {.time = time, .cpu = record.cpu, .thread = record.thread, .waker = waker, .weight = {}});
    }
    return true;
  }

 private:
  bool IsKnown(const facts::FastPathTables::Slot& slot, uint8_t number) const {
    return slot.index != facts::kNoThread ||
           facts::FastPathTables::Resolve(table, number, rows.timeline_);
  }
  fxt::Koid KoidOf(facts::ThreadIndex index) const { return rows.timeline_.threads()[index].koid; }

  [[gnu::always_inline]] void EndRun(const Step& step, const Cpu& cpu) const {
    const fxr_task_state state = rows.timeline_.OutgoingState(step);
    const bool preempted = IsPreempted(state) && !step.idle;
    rows.AddRun({.cpu = step.cpu,
                 .index = step.outgoing,
                 .thread = cpu.thread,
                 .process = cpu.process,
                 .begin = cpu.since,
                 .end = step.time,
                 .priority = step.outgoing_priority,
                 .end_state = state},
                preempted ? KoidOf(step.incoming) : kNobody);
  }
};

// Without one: wakeups are rows of their own, switches nothing.
struct FactRows::Passed {
  FactRows& rows;
  facts::FastPathTables::Table& table;

  bool OnSwitch(const fxt::UnresolvedSwitch& record) const {
    const fxt::ReaderProvider& provider = *table.provider;
    if (!provider.has_thread(record.outgoing()) || !provider.has_thread(record.incoming())) {
      return false;
    }
    rows.latest_passed_ = std::max(rows.latest_passed_, provider.ToNanoseconds(record.timestamp));
    return true;
  }
  bool OnWakeup(const fxt::UnresolvedWakeup& record) const {
    if (record.argument_name != 0 && !facts::FastPathTables::IsWaker(table, record.argument_name))
      return false;
    facts::Wakeup wakeup{.time = table.provider->ToNanoseconds(record.timestamp),
                         .cpu = record.cpu,
                         .thread = record.thread,
                         .waker = {},
                         .weight = {}};
    if (record.argument_name != 0) wakeup.waker = record.argument_koid;
    rows.AddWakeup(wakeup);
    return true;
  }
};

uint64_t FactRows::AddFastPath(fxt::Reader& reader, uint64_t most) {
  facts::FastPathTables::Table& table = fast_path_tables_.Of(reader.provider());
  if (!with_timeline_) return reader.VisitSchedulingRecords(Passed{*this, table}, most);
  return reader.VisitSchedulingRecords(Plain{*this, table}, most);
}

}  // namespace tables
