// SPDX-License-Identifier: BSD-2-Clause
#include "tables/fact_rows.h"

#include <string_view>

#include "facts/timeline/share.h"
#include "schema/linux_state.h"
#include "tables/put.h"

namespace tables {
namespace {

using facts::Bound;
using facts::WaitKind;

constexpr std::string_view kBounds[] = {"seen", "edge", "loss", "unseen", "no_wakeup"};
constexpr std::string_view kKinds[] = {"unknown", "absent",  "wakeup", "preempted",
                                       "sleep",   "blocked", "stopped"};

void PutBound(Cell& cell, Bound bound) { cell.Set(kBounds[static_cast<size_t>(bound)]); }

// What an edge of the capture cuts is longer than anybody knows.
template <typename Fact>
void PutDuration(Cell& cell, const Fact& fact) {
  if (fact.began == Bound::kFileEdge || fact.ended == Bound::kFileEdge) {
    cell.SetNull();
  } else {
    cell.Set(fact.end - fact.begin);
  }
}

void PutState(Cell& cell, const std::optional<fxr_task_state>& state) {
  if (state) {
    cell.Set(schema::StateLetters(*state));
  } else {
    cell.SetNull();
  }
}

}  // namespace

FactRows::FactRows(TaskNames& names, const Batches& batches, bool with_timeline, bool with_times)
    : names_(names),
      slices_(batches.of(Table::kSlices)),
      idle_(batches.of(Table::kIdle)),
      waits_(batches.of(Table::kWaits)),
      wakeups_(batches.of(Table::kWakeups)),
      with_timeline_(with_timeline),
      with_times_(with_times),
      with_reasons_(waits_ != nullptr && waits_->Wants(waits::kReason)) {}

bool FactRows::Add(const fxt::Reader& reader) {
  const fxt::Record& record = reader.record();
  if (with_reasons_) NoteReasons(reader);
  if (std::holds_alternative<fxt::KernelObject>(record)) return false;
  if (with_timeline_) {
    if (const auto change = facts::AsSwitch(record, reader.provider())) {
      AddSwitch(*change);
      return true;
    }
  }
  if (const auto wakeup = facts::AsWakeup(record, reader.provider())) {
    AddWakeup(*wakeup);
    return true;
  }
  if (with_timeline_) timeline_.Add(reader);
  return false;
}

void FactRows::NoteSide(const facts::SwitchSide& side, uint64_t time) {
  if (!side.lost) names_.NoteThread(side.thread, side.process, time, side.idle);
}

void FactRows::AddSwitch(const facts::Switch& change) {
  if (with_times_) [[unlikely]] {
    NoteSide(change.outgoing, change.time);
    NoteSide(change.incoming, change.time);
  }
  change_ = &change;
  timeline_.OnSwitch(change);
  change_ = nullptr;
  ++CpuAt(change.cpu).switches;
}

void FactRows::AddWakeup(const facts::Wakeup& wakeup) {
  latest_wakeup_ = std::max(latest_wakeup_, wakeup.time);
  if (with_timeline_) {
    if (with_times_) names_.NoteThread(wakeup.thread, std::nullopt, wakeup.time, false);
    ++CpuAt(wakeup.cpu).wakeups;
    wakeup_ = &wakeup;
    timeline_.OnWakeup(wakeup);
    wakeup_ = nullptr;
  }
  if (wakeups_ != nullptr) PutWakeup(wakeup);
}

void FactRows::PutWakeup(const facts::Wakeup& wakeup) {
  const RowFilter& filter = wakeups_->filter();
  if (!filter.HasTime(wakeup.time) || !filter.HasCpu(wakeup.cpu) ||
      (filter.tid && !filter.HasTid(names_.NumberOf(wakeup.thread)))) {
    return wakeups_->PassOver();
  }
  wakeups_->Add([&](uint8_t column, Cell& cell) {
    switch (column) {
      case wakeups::kTs:
        return cell.Set(wakeup.time);
      case wakeups::kCpu:
        return cell.Set(uint64_t{wakeup.cpu});
      case wakeups::kWakerTid:
        return PutNumber(cell, names_, wakeup.waker);
      case wakeups::kWaker:
        return PutThreadName(cell, names_, wakeup.waker);
      case wakeups::kTid:
        return PutTask<TaskColumn::kTid>(cell, names_, {wakeup.thread, {}});
      case wakeups::kPid:
        return PutTask<TaskColumn::kPid>(cell, names_, {wakeup.thread, {}});
      case wakeups::kThread:
        return PutTask<TaskColumn::kThread>(cell, names_, {wakeup.thread, {}});
      case wakeups::kProcess:
        return PutTask<TaskColumn::kProcess>(cell, names_, {wakeup.thread, {}});
      default:
        return cell.SetId(wakeup.thread);
    }
  });
}

void FactRows::AddRun(const facts::Run& run) {
  fxt::Koid preemptor = kNobody;
  if (change_ != nullptr && run.ended == Bound::kSeen && run.end_state &&
      IsPreempted(*run.end_state) && !change_->incoming.idle && !change_->incoming.lost) {
    preemptor = change_->incoming.thread;
  }
  AddRun(run, preemptor);
}

void FactRows::PutRun(const facts::Run& run) {
  const RowFilter& filter = slices_->filter();
  if (!filter.HasTime(run.begin) || !filter.HasCpu(run.cpu) ||
      (filter.tid && !filter.HasTid(names_.NumberOf(run.thread)))) {
    return slices_->PassOver();
  }
  const TaskRef task{run.thread, run.process};
  slices_->Add([&](uint8_t column, Cell& cell) {
    switch (column) {
      case slices::kTs:
        return cell.Set(run.begin);
      case slices::kDur:
        return PutDuration(cell, run);
      case slices::kCpu:
        return cell.Set(uint64_t{run.cpu});
      case slices::kTid:
        return PutTask<TaskColumn::kTid>(cell, names_, task);
      case slices::kPid:
        return PutTask<TaskColumn::kPid>(cell, names_, task);
      case slices::kThread:
        return PutTask<TaskColumn::kThread>(cell, names_, task);
      case slices::kProcess:
        return PutTask<TaskColumn::kProcess>(cell, names_, task);
      case slices::kPriority:
        return cell.Set(run.priority);
      case slices::kEndState:
        return PutState(cell, run.end_state);
      case slices::kKoid:
        return cell.SetId(run.thread);
      case slices::kLength:
        return cell.Set(run.end - run.begin);
      case slices::kBegan:
        return PutBound(cell, run.began);
      default:
        return PutBound(cell, run.ended);
    }
  });
}

void FactRows::PutIdle(const facts::Idle& idle) {
  if (!idle_->filter().HasTime(idle.begin) || !idle_->filter().HasCpu(idle.cpu)) {
    return idle_->PassOver();
  }
  idle_->Add([&](uint8_t column, Cell& cell) {
    switch (column) {
      case idle::kTs:
        return cell.Set(idle.begin);
      case idle::kDur:
        return PutDuration(cell, idle);
      case idle::kCpu:
        return cell.Set(uint64_t{idle.cpu});
      case idle::kLength:
        return cell.Set(idle.end - idle.begin);
      case idle::kBegan:
        return PutBound(cell, idle.began);
      default:
        return PutBound(cell, idle.ended);
    }
  });
}

void FactRows::AddWait(const facts::Wait& wait) {
  if (waits_ == nullptr || wait.kind == WaitKind::kUnknown || wait.kind == WaitKind::kAbsent) {
    return;
  }
  const bool seen = wait.ended == Bound::kSeen;
  const bool woken = wakeup_ != nullptr && seen && wakeup_->thread == wait.thread;
  const bool comes = change_ != nullptr && seen && change_->incoming.thread == wait.thread;
  std::optional<uint32_t> cpu = wait.target_cpu;
  if (woken) cpu = wakeup_->cpu;
  if (comes) cpu = change_->cpu;
  AddWait(wait, cpu, woken ? wakeup_->waker : wait.waker);
}

void FactRows::AddWait(const facts::Wait& wait, const std::optional<uint32_t>& cpu,
                       const std::optional<fxt::Koid>& waker) {
  const RowFilter& filter = waits_->filter();
  if (!filter.HasTime(wait.begin) || !filter.HasCpu(cpu) ||
      (filter.tid && !filter.HasTid(names_.NumberOf(wait.thread)))) {
    return waits_->PassOver();
  }
  std::optional<fxt::Koid> preemptor;
  if (wait.kind == WaitKind::kPreempted && wait.index != facts::kNoThread &&
      PreemptorOf(wait.index) != kNobody) {
    preemptor = PreemptorOf(wait.index);
  }
  const Parties parties{cpu, waker, preemptor};
  if (!with_reasons_ || wait.kind != WaitKind::kBlocked) {
    return waits_->Add([&](uint8_t column, Cell& cell) {
      if (column == waits::kReason) return cell.SetNull();
      PutWait(column, cell, wait, parties);
    });
  }
  std::string reason;
  if (wait.ended == Bound::kSeen)
    reason = reasons_.ReasonOf(wait.thread, wait.begin, wait.end, waker.has_value());
  Hold(wait, parties, reason);
  if (!reasons_.has_stacks()) Release(wait.thread);
}

void FactRows::Hold(const facts::Wait& wait, const Parties& parties, std::string_view reason) {
  constexpr size_t kMaxHeld = 65'536;
  Release(wait.thread);
  HeldRow row{.begin = wait.begin, .id = waits_->TakeId(), .reason = std::string(reason)};
  for (uint8_t column = 0; column < row.cells.size(); ++column) {
    if (waits_->Wants(column)) PutWait(column, row.cells[column], wait, parties);
  }
  if (held_.size() >= kMaxHeld) return PutHeld(row);
  held_.emplace(wait.thread, std::move(row));
}

void FactRows::Release(fxt::Koid thread) {
  const auto held = held_.find(thread);
  if (held == held_.end()) return;
  PutHeld(held->second);
  held_.erase(held);
}

void FactRows::PutHeld(const HeldRow& row) {
  waits_->Add(row.id, [&](uint8_t column, Cell& cell) {
    if (column != waits::kReason) {
      cell = row.cells[column];
    } else if (row.reason.empty()) {
      cell.SetNull();
    } else {
      cell.Set(waits_->KeepClean(row.reason));
    }
  });
}

void FactRows::NoteReasons(const fxt::Reader& reader) {
  reasons_.Note(reader);
  const auto& slept = reasons_.slept();
  if (!slept) return;
  const auto held = held_.find(slept->thread);
  if (held == held_.end() || !facts::IsOf(*slept, held->second.begin)) return;
  held->second.reason = facts::JoinReasons(held->second.reason, slept->in);
  Release(slept->thread);
}

void FactRows::PutWait(uint8_t column, Cell& cell, const facts::Wait& wait,
                       const Parties& parties) const {
  const TaskRef task{wait.thread, {}};
  switch (column) {
    case waits::kTs:
      return cell.Set(wait.begin);
    case waits::kDur:
      return PutDuration(cell, wait);
    case waits::kKind:
      return cell.Set(kKinds[static_cast<size_t>(wait.kind)]);
    case waits::kTid:
      return PutTask<TaskColumn::kTid>(cell, names_, task);
    case waits::kPid:
      return PutTask<TaskColumn::kPid>(cell, names_, task);
    case waits::kThread:
      return PutTask<TaskColumn::kThread>(cell, names_, task);
    case waits::kProcess:
      return PutTask<TaskColumn::kProcess>(cell, names_, task);
    case waits::kCpu:
      return cell.Set(parties.cpu ? std::optional<uint64_t>(*parties.cpu) : std::nullopt);
    case waits::kWakerTid:
      return PutNumber(cell, names_, parties.waker);
    case waits::kWaker:
      return PutThreadName(cell, names_, parties.waker);
    case waits::kPreemptorTid:
      return PutNumber(cell, names_, parties.preemptor);
    case waits::kPreemptor:
      return PutThreadName(cell, names_, parties.preemptor);
    case waits::kState:
      return PutState(cell, wait.state);
    case waits::kKoid:
      return cell.SetId(wait.thread);
    case waits::kLength:
      return cell.Set(wait.end - wait.begin);
    case waits::kBegan:
      return PutBound(cell, wait.began);
    case waits::kEnded:
      return PutBound(cell, wait.ended);
    default:
      return cell.Set(uint64_t{facts::ShareOf(wait) != facts::Share::kUnknown});
  }
}

bool FactRows::IsPast(int64_t from, int64_t to, uint32_t cpus) const {
  const auto after = [&](uint64_t when) { return to < 0 || when > static_cast<uint64_t>(to); };
  if (!with_timeline_) return after(latest_wakeup_);
  if (!after(timeline_.latest())) return false;
  for (const auto& [thread, row] : held_) {
    if (!after(row.begin)) return false;
  }
  // Facts are told when they end; of those that go on, none may have begun before.
  if (waits_ != nullptr) {
    const auto& threads = timeline_.threads();
    const RowFilter& filter = waits_->filter();
    for (const auto& thread : threads) {
      const bool told = thread.kind != WaitKind::kUnknown && thread.kind != WaitKind::kAbsent;
      if (told && !thread.running && !thread.idle && !after(thread.since) &&
          filter.HasTid(names_.NumberOf(thread.koid))) {
        return false;
      }
    }
  }
  uint32_t seen = 0;
  for (const auto& cpu : timeline_.cpus()) {
    if (cpu.does == facts::TimelineState::Cpu::Does::kNothingSeen) continue;
    ++seen;
    if (!after(cpu.since)) return false;
  }
  // What a CPU did before its first switch began with the window.
  const bool begin_is_wanted = from < 0 || static_cast<uint64_t>(from) <= timeline_.begin();
  return !begin_is_wanted || (cpus != 0 && seen >= cpus);
}

void FactRows::Finish() {
  if (with_timeline_) timeline_.Finish(timeline_.latest());
  for (const auto& [thread, row] : held_) PutHeld(row);
  held_.clear();
}

}  // namespace tables
