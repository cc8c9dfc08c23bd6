// SPDX-License-Identifier: BSD-2-Clause
#include "tables/fact_rows.h"

#include <string_view>
#include <utility>

#include "facts/record_kind.h"
#include "facts/scheduling.h"
#include "facts/timeline/share.h"
#include "schema/linux_state.h"
#include "schema/names.h"
#include "tables/put.h"
#include "tables/stack_rows.h"

namespace tables {
namespace {

using facts::Bound;
using facts::WaitKind;

constexpr std::string_view kBounds[] = {"seen", "edge", "loss", "unseen", "no_wakeup"};
constexpr std::string_view kKinds[] = {"unknown", "absent",  "wakeup",  "preempted",
                                       "sleep",   "blocked", "stopped", "throttled"};

void PutBound(Cell& cell, Bound bound) { cell.Set(kBounds[static_cast<size_t>(bound)]); }

// The length of a row that an edge of the capture cuts is unknown.
template <typename Fact>
void PutDuration(Cell& cell, const Fact& fact) {
  if (fact.began == Bound::kFileEdge || fact.ended == Bound::kFileEdge) {
    cell.SetNull();
  } else {
    cell.Set(fact.end - fact.begin);
  }
}

// Terms of a row: numbers of began, ended, state, and those of waits alone, from the lowest bit on.
constexpr unsigned kBoundBits = 3;
constexpr unsigned kStateBits = 8;
constexpr unsigned kStateAt = 2 * kBoundBits;
constexpr unsigned kKindAt = kStateAt + kStateBits;
constexpr unsigned kKindBits = 3;
constexpr unsigned kCertainAt = kKindAt + kKindBits;
constexpr unsigned kWaitsForAt = kCertainAt + 1;
constexpr unsigned kWaitsForBits = 4;
constexpr unsigned kViaAt = kWaitsForAt + kWaitsForBits;
static_assert(facts::kWaitsFor < size_t{1} << kWaitsForBits);
static_assert(std::size(kBounds) <= size_t{1} << kBoundBits);
static_assert(std::size(kKinds) <= size_t{1} << kKindBits);

constexpr uint64_t Term(uint64_t terms, unsigned at, unsigned bits) {
  return terms >> at & ((uint64_t{1} << bits) - 1);
}

uint64_t TermsOf(Bound began, Bound ended) {
  return static_cast<uint64_t>(began) | static_cast<uint64_t>(ended) << kBoundBits;
}

// 0: not known.
uint64_t TermOf(const std::optional<fxr_task_state>& state) {
  return state ? (uint64_t{*state} + 1) << kStateAt : 0;
}

void PutState(Cell& cell, const std::optional<fxr_task_state>& state) {
  if (state) {
    cell.Set(schema::StateLetters(*state));
  } else {
    cell.SetNull();
  }
}

// The index of a group's cell in HeldRow::cells.
constexpr size_t HeldCellOf(uint8_t group) { return waits::kSyscall + (group - kFirstGroup); }

// The CPU where the wait ended or is to end.
[[gnu::always_inline]] inline std::optional<uint32_t> EndCpuOf(const facts::Wait& wait) {
  return wait.ends_in_wakeup() ? wait.end_cpu : wait.run_cpu();
}

// The thread that woke it, at the end of the wait or at its begin.
const std::optional<fxt::Koid>& EndWakerOf(const facts::Wait& wait) {
  return wait.ends_in_wakeup() ? wait.end_waker : wait.waker;
}

facts::WakeVia EndViaOf(const facts::Wait& wait) {
  return wait.ends_in_wakeup() ? wait.end_via : wait.via;
}

void PutVia(Cell& cell, facts::WakeVia via) {
  if (via == facts::WakeVia::kNone) {
    cell.SetNull();
  } else {
    cell.Set(facts::NameOf(via));
  }
}

}  // namespace

inline uint64_t FactRows::TermsOf(const facts::Wait& wait) const {
  const bool is_sleep = wait.kind == WaitKind::kSleep || wait.kind == WaitKind::kBlocked;
  const uint64_t waits_for = is_sleep ? 1 + static_cast<uint64_t>(purpose_) : 0;
  const bool is_certain = facts::ShareOf(wait) != facts::Share::kUnknown;
  return tables::TermsOf(wait.began, wait.ended) | TermOf(wait.state) |
         static_cast<uint64_t>(wait.kind) << kKindAt | uint64_t{is_certain} << kCertainAt |
         waits_for << kWaitsForAt | static_cast<uint64_t>(EndViaOf(wait)) << kViaAt;
}

inline void FactRows::PutWait(uint8_t column, Cell& cell, const facts::Wait& wait) const {
  const TaskRef task{wait.thread, {}};
  switch (column) {
    case waits::kTs:
      return cell.Set(wait.begin);
    case waits::kDur:
      return PutDuration(cell, wait);
    case waits::kKind:
      return cell.Set(kKinds[static_cast<size_t>(wait.kind)]);
    case waits::kTid:
      return PutTask<TaskColumn::kTid>(cell, &texts_, names_, task);
    case waits::kPid:
      return PutTask<TaskColumn::kPid>(cell, &texts_, names_, task);
    case waits::kThread:
      return PutTask<TaskColumn::kThread>(cell, &texts_, names_, task);
    case waits::kProcess:
      return PutTask<TaskColumn::kProcess>(cell, &texts_, names_, task);
    case waits::kCpu:
      return cell.Set(std::optional<uint64_t>(EndCpuOf(wait)));
    case waits::kWakerTid:
      return PutNumber(cell, names_, EndWakerOf(wait));
    case waits::kWaker:
      return PutThreadName(cell, &texts_, names_, EndWakerOf(wait));
    case waits::kPreemptorTid:
      return PutNumber(cell, names_, wait.preemptor);
    case waits::kPreemptor:
      return PutThreadName(cell, &texts_, names_, wait.preemptor);
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
    case waits::kWaitsFor:
      if (wait.kind != WaitKind::kSleep && wait.kind != WaitKind::kBlocked) return cell.SetNull();
      return cell.Set(std::string_view(facts::kWaitsForNames[static_cast<size_t>(purpose_)]));
    case waits::kVia:
      return PutVia(cell, EndViaOf(wait));
    case waits::kThrottledBy: {
      const std::string_view path = ThrottledBy(wait);
      if (path.empty()) return cell.SetNull();
      return cell.Set(waits_->KeepClean(path));
    }
    case waits::kTask:
      return cell.Set(uint64_t{tasks_.NumberOf(wait.thread, {})});
    case waits::kWakerTask: {
      const auto& waker = EndWakerOf(wait);
      return cell.Set(uint64_t{waker ? tasks_.NumberOf(*waker, {}) : 0});
    }
    case waits::kPreemptorTask:
      return cell.Set(uint64_t{wait.preemptor ? tasks_.NumberOf(*wait.preemptor, {}) : 0});
    case waits::kTerms:
      return cell.Set(TermsOf(wait));
    default:
      return cell.Set(uint64_t{facts::ShareOf(wait) != facts::Share::kUnknown});
  }
}

inline void FactRows::PutWakeupCell(uint8_t column, Cell& cell, const facts::Wakeup& wakeup) const {
  switch (column) {
    case wakeups::kTs:
      return cell.Set(wakeup.time);
    case wakeups::kCpu:
      return cell.Set(uint64_t{wakeup.cpu});
    case wakeups::kWakerTid:
      return PutNumber(cell, names_, wakeup.waker);
    case wakeups::kWaker:
      return PutThreadName(cell, &texts_, names_, wakeup.waker);
    case wakeups::kTid:
      return PutTask<TaskColumn::kTid>(cell, &texts_, names_, {wakeup.thread, {}});
    case wakeups::kPid:
      return PutTask<TaskColumn::kPid>(cell, &texts_, names_, {wakeup.thread, {}});
    case wakeups::kThread:
      return PutTask<TaskColumn::kThread>(cell, &texts_, names_, {wakeup.thread, {}});
    case wakeups::kProcess:
      return PutTask<TaskColumn::kProcess>(cell, &texts_, names_, {wakeup.thread, {}});
    case wakeups::kVia:
      return PutVia(cell, wakeup.via);
    case wakeups::kTask:
      return cell.Set(uint64_t{tasks_.NumberOf(wakeup.thread, {})});
    case wakeups::kWakerTask:
      return cell.Set(uint64_t{wakeup.waker ? tasks_.NumberOf(*wakeup.waker, {}) : 0});
    default:
      return cell.SetId(wakeup.thread);
  }
}

FactRows::FactRows(TaskNames& names, Batches& batches, bool with_timeline, bool with_times,
                   fxt::TableBudget* shared, size_t more_bytes)
    : names_(names),
      texts_(batches.texts()),
      tasks_(names),
      slices_(batches.of(Table::kSlices)),
      idle_(batches.of(Table::kIdle)),
      waits_(batches.of(Table::kWaits)),
      wakeups_(batches.of(Table::kWakeups)),
      has_cached_slices_(slices_ != nullptr && slices_->HasExactly(kCachedSlices)),
      has_cached_waits_(waits_ != nullptr && waits_->HasExactly(kCachedWaits)),
      has_cached_wakeups_(wakeups_ != nullptr && wakeups_->HasExactly(kCachedWakeups)),
      with_timeline_(with_timeline),
      with_times_(with_times),
      with_purposes_(waits_ != nullptr &&
                     (waits_->Wants(waits::kWaitsFor) || waits_->Wants(waits::kTerms))),
      with_parts_(waits_ != nullptr &&
                  (waits_->Wants(waits::kRtThrottled) || waits_->Wants(waits::kAffinity) ||
                   waits_->Wants(waits::kWeight))),
      with_reasons_(waits_ != nullptr &&
                    (waits_->Wants(waits::kReason) || waits_->Wants(waits::kDetails))),
      with_stacks_(waits_ != nullptr && waits_->Wants(waits::kStack)),
      with_waker_stacks_(wakeups_ != nullptr && wakeups_->Wants(wakeups::kStack)),
      timeline_(facts_, shared,
                more_bytes + (with_purposes_ ? facts::WaitPurposes::kBytesOfThread : 0) +
                    (with_parts_ ? facts::RunnableMeter::kBytesOfThread : 0)) {}

bool FactRows::Add(const fxt::Reader& reader) {
  const fxt::Record& record = reader.record();
  if (const auto* object = std::get_if<fxt::KernelObject>(&record)) {
    if (with_reasons_ || with_stacks_) held_.NoteObject(record);
    if (with_purposes_ && timeline_.IsKernels(reader.provider())) purposes_.NoteProgram(*object);
    return false;
  }
  const auto* event = std::get_if<fxt::Event>(&record);
  if ((with_reasons_ || with_stacks_ || with_waker_stacks_) && event != nullptr) {
    held_.NoteEvent(reader);
  }
  if (!held_wakeups_.empty() && event != nullptr && timeline_.IsKernels(reader.provider())) {
    NoteWaker(*event, reader.ToNanoseconds(event->timestamp));
  }
  const bool is_wakeup = std::holds_alternative<fxt::ThreadWakeup>(record);
  if (with_timeline_) {
    timeline_.Add(reader);
    if (with_purposes_ && event != nullptr) NoteTask(*event);
    if (with_parts_ && event != nullptr && timeline_.IsKernels(reader.provider())) {
      meter_.AddEvent(*event, reader.ToNanoseconds(event->timestamp), timeline_);
    }
  } else if (is_wakeup && timeline_.IsKernels(reader.provider())) {
    AddWakeup(*facts::AsWakeup(record, reader.provider()));
  }
  return is_wakeup || (with_timeline_ && facts::KindOf(record) == facts::RecordKind::kSwitch);
}

struct FactRows::WakeupTaker {
  FactRows& rows;
  facts::FastPathTables::Table& table;

  bool OnSwitch(const fxt::UnresolvedSwitch& words) const {
    const fxt::ReaderProvider& provider = *table.provider;
    if (!provider.has_thread(words.outgoing()) || !provider.has_thread(words.incoming())) {
      return false;
    }
    rows.latest_ = std::max(rows.latest_, provider.ToNanoseconds(words.timestamp));
    return true;
  }
  bool OnWakeup(const fxt::UnresolvedWakeup& words) const {
    if (words.argument_name != 0 && !facts::FastPathTables::IsWaker(table, words.argument_name))
      return false;
    facts::Wakeup wakeup{.time = table.provider->ToNanoseconds(words.timestamp),
                         .cpu = words.cpu,
                         .thread = words.thread,
                         .waker = {},
                         .weight = {}};
    if (words.argument_name != 0) wakeup.waker = words.argument_koid;
    if (words.text_name != 0) {
      if (!facts::FastPathTables::IsNetRx(table, words.text_name, words.text)) return false;
      wakeup.via = facts::WakeVia::kNetRx;
    }
    rows.AddWakeup(wakeup);
    return true;
  }
};

uint64_t FactRows::AddFastPath(fxt::Reader& reader, uint64_t most) {
  if (with_timeline_) return timeline_.AddFastPath(reader, most);
  if (!timeline_.IsKernels(reader.provider())) return 0;
  return reader.VisitSchedulingRecords(WakeupTaker{*this, wakeup_tables_.Of(reader.provider())},
                                       most);
}

void FactRows::NoteTask(const fxt::Event& event) {
  if (event.type != fxt::EventType::kInstant || event.category.text != schema::category::kTask) {
    return;
  }
  if (event.name.text == schema::event::kFork) {
    const auto child =
        facts::KoidOf(facts::FindArgument(event.arguments, schema::argument::kChild));
    if (!child) return;
    purposes_.NoteFork(timeline_.Find(event.thread.thread), timeline_.Find(*child));
  } else if (event.name.text == schema::event::kExit) {
    purposes_.NoteExit(timeline_.Find(event.thread.thread));
  }
}

void FactRows::NoteTimes(const facts::CpuSwitch& change) {
  const auto note = [&](facts::ThreadIndex index, fxt::Koid thread,
                        const std::optional<fxt::Koid>& process, bool idle) {
    const uint32_t place = names_.NoteThread(thread, process, change.time, idle);
    if (index != facts::kNoThread) noted_.At(index, facts::KoidIndex::kNone) = place;
  };
  if (change.outgoing) {
    note(timeline_.Find(*change.outgoing), *change.outgoing, change.outgoing_process,
         change.outgoing_idle);
  }
  if (change.activity == facts::CpuActivity::kGap) return;
  note(change.index, change.thread, change.process, change.activity == facts::CpuActivity::kIdle);
}

void FactRows::AddWakeup(const facts::Wakeup& wakeup) {
  latest_ = std::max(latest_, wakeup.time);
  if (with_times_) names_.NoteThread(wakeup.thread, std::nullopt, wakeup.time, false);
  if (wakeups_ != nullptr) PutWakeup(wakeup);
}

void FactRows::PutWakeup(const facts::Wakeup& wakeup) {
  // The waker's stack is unwound behind the wakeup.
  constexpr uint64_t kUnwindingNs = 1'000'000;
  constexpr size_t kMaxHeld = 16'384;
  if (wakeup.time > kUnwindingNs) ReleaseWakeups(wakeup.time - kUnwindingNs);
  if (held_wakeups_.size() > kMaxHeld) ReleaseWakeups(held_wakeups_.front().time);
  // Rows come in the order of wakeups: behind one that is held, all are.
  const bool may_have_stack = with_waker_stacks_ && (held_.has_stacks() || !held_wakeups_.empty());
  const RowFilter& filter = wakeups_->filter();
  if (!filter.HasTime(wakeup.time) || !filter.HasCpu(wakeup.cpu) ||
      (filter.tid && !filter.HasTid(names_.NumberOf(wakeup.thread)))) {
    if (may_have_stack) {
      held_wakeups_.push_back(
          {.id = 0, .time = wakeup.time, .thread = wakeup.thread, .is_chosen = false});
    }
    return wakeups_->PassOver();
  }
  if (!may_have_stack) {
    return AddRow<kCachedWakeups>(
        *wakeups_,
        has_cached_wakeups_, [&](uint8_t column, Cell & cell) __attribute__((always_inline)) {
          if (column == wakeups::kStack) return cell.SetNull();
          PutWakeupCell(column, cell, wakeup);
        });
  }
  for (const uint8_t column : wakeups_->columns()) {
    if (column != wakeups::kStack) PutWakeupCell(column, held_cells_.emplace_back(), wakeup);
  }
  held_wakeups_.push_back({.id = wakeups_->TakeId(), .time = wakeup.time, .thread = wakeup.thread});
}

void FactRows::NoteWaker(const fxt::Event& event, uint64_t time) {
  const auto stack = StackOf(event);
  if (!stack || event.name.text != schema::event::kStackWake) return;
  const auto woken = facts::KoidOf(facts::FindArgument(event.arguments, schema::argument::kWoken));
  for (auto row = held_wakeups_.rbegin(); row != held_wakeups_.rend(); ++row) {
    if (row->thread != woken || row->time > time) continue;
    row->stack = stack;
    return;
  }
}

void FactRows::ReleaseWakeups(uint64_t time) {
  while (!held_wakeups_.empty() && held_wakeups_.front().time <= time) {
    const HeldWakeup& row = held_wakeups_.front();
    if (row.is_chosen) {
      wakeups_->Add(row.id, [&](uint8_t column, Cell& cell) {
        if (column == wakeups::kStack) return cell.SetId(row.stack);
        cell = held_cells_.front();
        held_cells_.pop_front();
      });
    }
    held_wakeups_.pop_front();
  }
}

void FactRows::PutRun(const facts::Run& run) {
  const RowFilter& filter = slices_->filter();
  if (!filter.HasTime(run.begin) || !filter.HasCpu(run.cpu) ||
      (filter.tid && !filter.HasTid(names_.NumberOf(run.thread)))) {
    return slices_->PassOver();
  }
  const TaskRef task{run.thread, run.process};
  AddRow<kCachedSlices>(
      *slices_,
      has_cached_slices_, [&](uint8_t column, Cell & cell) __attribute__((always_inline)) {
        switch (column) {
          case slices::kTs:
            return cell.Set(run.begin);
          case slices::kDur:
            return PutDuration(cell, run);
          case slices::kCpu:
            return cell.Set(uint64_t{run.cpu});
          case slices::kTid:
            return PutTask<TaskColumn::kTid>(cell, &texts_, names_, task);
          case slices::kPid:
            return PutTask<TaskColumn::kPid>(cell, &texts_, names_, task);
          case slices::kThread:
            return PutTask<TaskColumn::kThread>(cell, &texts_, names_, task);
          case slices::kProcess:
            return PutTask<TaskColumn::kProcess>(cell, &texts_, names_, task);
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
          case slices::kTask:
            return cell.Set(uint64_t{tasks_.NumberOf(run.thread, run.process)});
          case slices::kTerms:
            return cell.Set(tables::TermsOf(run.began, run.ended) | TermOf(run.end_state));
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
      case idle::kTerms:
        return cell.Set(tables::TermsOf(idle.began, idle.ended));
      default:
        return PutBound(cell, idle.ended);
    }
  });
}

void FactRows::AddWait(const facts::Wait& wait) {
  if (wait.kind == WaitKind::kUnknown || wait.kind == WaitKind::kAbsent) return;
  const RowFilter& filter = waits_->filter();
  if (!filter.HasTime(wait.begin) || !filter.HasCpu(EndCpuOf(wait)) ||
      (filter.tid && !filter.HasTid(names_.NumberOf(wait.thread)))) {
    return waits_->PassOver();
  }
  const bool is_blocked = wait.kind == WaitKind::kBlocked;
  const bool has_stack =
      with_stacks_ && held_.has_stacks() && (is_blocked || wait.kind == WaitKind::kSleep);
  if (!has_stack && !(with_reasons_ && is_blocked)) {
    return AddRow<kCachedWaits>(
        *waits_,
        has_cached_waits_, [&](uint8_t column, Cell & cell) __attribute__((always_inline)) {
          if (column == waits::kReason || column == waits::kStack) return cell.SetNull();
          if (column == waits::kDetails)
            return PutDetails(cell, {}, ThrottledBy(wait), wait.object);
          if (column >= kFirstGroup) return PutWait(column, cell, wait);
          if (column >= waits::kRtThrottled) return PutPart(column, cell, wait);
          if (column >= waits::kSyscall) return PutObject(column, cell, wait.object);
          PutWait(column, cell, wait);
        });
  }
  HeldRow row{.id = waits_->TakeId(), .is_blocked = is_blocked};
  for (uint8_t column = 0; column < waits::kSyscall; ++column) {
    if (column != waits::kReason && waits_->Wants(column)) PutWait(column, row.cells[column], wait);
  }
  for (uint8_t group = waits::kTask; group < waits::kDetails; ++group) {
    if (waits_->Wants(group)) PutWait(group, row.cells[HeldCellOf(group)], wait);
  }
  if (waits_->Wants(waits::kDetails)) row.throttled_by = ThrottledBy(wait);
  if (wait.object != nullptr) row.object = *wait.object;
  held_.Hold(wait, is_blocked && wait.ended == Bound::kSeen, std::move(row), has_stack);
}

void FactRows::PutHeld(const HeldRow& row, const std::string& reason) {
  waits_->Add(row.id, [&](uint8_t column, Cell& cell) {
    if (column == waits::kStack) {
      cell.SetId(row.stack);
    } else if (column == waits::kDetails) {
      PutDetails(cell, row.is_blocked ? reason : std::string_view(), row.throttled_by,
                 row.object ? &*row.object : nullptr);
    } else if (column >= kFirstGroup) {
      cell = row.cells[HeldCellOf(column)];
    } else if (column >= waits::kRtThrottled) {
      cell.SetNull();  // it is not a wait for a CPU
    } else if (column >= waits::kSyscall) {
      PutObject(column, cell, row.object ? &*row.object : nullptr);
    } else if (column != waits::kReason) {
      cell = row.cells[column];
    } else if (reason.empty() || !row.is_blocked) {
      cell.SetNull();
    } else {
      cell.Set(waits_->KeepClean(reason));
    }
  });
}

void FactRows::PutObject(uint8_t column, Cell& cell, const facts::WaitObject* object) const {
  if (object == nullptr) return cell.SetNull();
  const auto put = [&](const std::string& text) {
    if (text.empty()) return cell.SetNull();
    cell.Set(waits_->KeepClean(text));
  };
  switch (column) {
    case waits::kSyscall:
      return put(object->syscall);
    case waits::kObjectKind:
      return put(object->kind);
    case waits::kObject:
      return put(object->object);
    case waits::kPeer:
      return PutNumber(cell, names_, object->peer);
    default:
      return cell.Set(object->asked);
  }
}

void FactRows::PutDetails(Cell& cell, std::string_view reason, std::string_view throttled_by,
                          const facts::WaitObject* object) const {
  if (reason.empty() && throttled_by.empty() && object == nullptr) return cell.Set(uint64_t{0});
  Cell* const details = waits_->AddDetail();
  cell.Set(waits_->details());
  for (const ColumnGroup::Member& member :
       GroupsOf(Table::kWaits)[waits::kDetails - kFirstGroup].members) {
    Cell& detail = details[member.cell];
    if (member.column == waits::kReason) {
      if (!reason.empty()) detail.Set(waits_->KeepClean(reason));
    } else if (member.column == waits::kThrottledBy) {
      if (!throttled_by.empty()) detail.Set(waits_->KeepClean(throttled_by));
    } else {
      PutObject(member.column, detail, object);
    }
  }
}

std::string_view FactRows::ThrottledBy(const facts::Wait& wait) const {
  const auto& limits = timeline_.limits();
  return wait.limit < limits.size() ? std::string_view(limits[wait.limit].cgroup) : "";
}

void FactRows::PutTerm(Table table, uint8_t column, uint64_t terms, Cell& cell) {
  const uint64_t state = Term(terms, kStateAt, kStateBits);
  const auto began = [&] { PutBound(cell, static_cast<Bound>(Term(terms, 0, kBoundBits))); };
  const auto ended = [&] {
    PutBound(cell, static_cast<Bound>(Term(terms, kBoundBits, kBoundBits)));
  };
  const auto put_state = [&] {
    PutState(cell,
             state == 0 ? std::nullopt : std::optional(static_cast<fxr_task_state>(state - 1)));
  };
  if (table == Table::kIdle) return column == idle::kBegan ? began() : ended();
  if (table == Table::kSlices) {
    if (column == slices::kEndState) return put_state();
    return column == slices::kBegan ? began() : ended();
  }
  switch (column) {
    case waits::kKind:
      return cell.Set(kKinds[Term(terms, kKindAt, kKindBits)]);
    case waits::kState:
      return put_state();
    case waits::kBegan:
      return began();
    case waits::kEnded:
      return ended();
    case waits::kCertain:
      return cell.Set(Term(terms, kCertainAt, 1));
    case waits::kWaitsFor: {
      const uint64_t waits_for = Term(terms, kWaitsForAt, kWaitsForBits);
      if (waits_for == 0) return cell.SetNull();
      return cell.Set(std::string_view(facts::kWaitsForNames[waits_for - 1]));
    }
    default:
      return PutVia(cell, static_cast<facts::WakeVia>(terms >> kViaAt));
  }
}

bool FactRows::IsCut(uint64_t terms) {
  return terms % (1U << kBoundBits) == static_cast<uint64_t>(Bound::kFileEdge) ||
         Term(terms, kBoundBits, kBoundBits) == static_cast<uint64_t>(Bound::kFileEdge);
}

void FactRows::PutPart(uint8_t column, Cell& cell, const facts::Wait& wait) const {
  if (!wait.is_runnable() || !wait.ends_in_run()) return cell.SetNull();
  switch (column) {
    case waits::kRtThrottled:
      return cell.Set(parts_.rt_throttled);
    case waits::kAffinity:
      return cell.Set(parts_.affinity);
    default:
      return cell.Set(parts_.weight);
  }
}

bool FactRows::IsPast(int64_t from, int64_t to, uint32_t cpus) const {
  const auto after = [&](uint64_t when) { return to < 0 || when > static_cast<uint64_t>(to); };
  for (const HeldWakeup& row : held_wakeups_) {
    if (row.is_chosen && !after(row.time)) return false;
  }
  if (!with_timeline_) return after(latest_);
  if (!after(timeline_.latest())) return false;
  if (!held_.AllBegin(after)) return false;
  // Rows come when their facts end: no fact that goes on may have begun before.
  if (waits_ != nullptr) {
    const auto& threads = timeline_.threads();
    const RowFilter& filter = waits_->filter();
    for (const auto& thread : threads) {
      const bool has_row = thread.kind != WaitKind::kUnknown && thread.kind != WaitKind::kAbsent;
      if (has_row && !thread.running && !thread.idle && !after(thread.since) &&
          filter.HasTid(names_.NumberOf(thread.koid))) {
        return false;
      }
    }
  }
  uint32_t seen = 0;
  for (const auto& cpu : timeline_.cpus()) {
    if (cpu.does == facts::CpuActivity::kNothingSeen) continue;
    ++seen;
    if (!after(cpu.since)) return false;
  }
  // The state of a CPU before its first switch begins with the window.
  const bool begin_is_wanted = from < 0 || static_cast<uint64_t>(from) <= timeline_.begin();
  return !begin_is_wanted || (cpus != 0 && seen >= cpus);
}

void FactRows::Finish() {
  if (with_timeline_) timeline_.Finish(timeline_.latest());
  held_.Finish();
  ReleaseWakeups(UINT64_MAX);
}

}  // namespace tables
