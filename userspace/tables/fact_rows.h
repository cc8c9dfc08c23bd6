// SPDX-License-Identifier: BSD-2-Clause
// Makes the rows of facts of the timeline (slices, idle, waits) and of wakeups.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "facts/dense_table.h"
#include "facts/timeline/held_waits.h"
#include "facts/timeline/runnable_meter.h"
#include "facts/timeline/timeline.h"
#include "facts/timeline/wait_purposes.h"
#include "fxt/reader.h"
#include "path/path_builder.h"
#include "tables/rows/batches.h"
#include "tables/rows/cell.h"
#include "tables/rows/schema.h"
#include "tables/task_cells.h"
#include "tables/task_names.h"

namespace tables {

class FactRows {
 public:
  // Options of a cache (columns/column_writer.h): all columns outside of groups that are always
  // made, and the groups. These rows are most of the work of making a cache.
  static constexpr std::array kCachedSlices{uint8_t{slices::kTs},       uint8_t{slices::kCpu},
                                            uint8_t{slices::kPriority}, uint8_t{slices::kLength},
                                            uint8_t{slices::kTask},     uint8_t{slices::kTerms}};
  static constexpr std::array kCachedWaits{uint8_t{waits::kTs},
                                           uint8_t{waits::kCpu},
                                           uint8_t{waits::kLength},
                                           uint8_t{waits::kStack},
                                           uint8_t{waits::kTask},
                                           uint8_t{waits::kWakerTask},
                                           uint8_t{waits::kPreemptorTask},
                                           uint8_t{waits::kTerms},
                                           uint8_t{waits::kDetails}};
  static constexpr std::array kCachedWakeups{uint8_t{wakeups::kTs},   uint8_t{wakeups::kCpu},
                                             uint8_t{wakeups::kVia},  uint8_t{wakeups::kStack},
                                             uint8_t{wakeups::kTask}, uint8_t{wakeups::kWakerTask}};

  // `names` and `batches` must outlive it. `with_timeline`: a wanted table needs a timeline.
  // `with_times`: the tables of threads and processes are wanted. Threads of the timeline count in
  // `shared`, which may be null, with `more_bytes` for each.
  FactRows(TaskNames& names, Batches& batches, bool with_timeline, bool with_times,
           fxt::TableBudget* shared, size_t more_bytes);
  FactRows(const FactRows&) = delete;
  FactRows& operator=(const FactRows&) = delete;

  const facts::TimelineState& timeline() const { return timeline_; }
  // Hands the facts of the timeline on to `paths`, which must outlive this.
  void SetPaths(path::PathBuilder* paths) { paths_ = paths; }

  // Takes every record in file order. True if it was a switch or a wakeup.
  bool Add(const fxt::Reader& reader);
  // See facts::Timeline::AddFastPath().
  uint64_t AddFastPath(fxt::Reader& reader, uint64_t most);
  // Ends open facts as cut.
  void Finish();

  // The cells of the groups kTask.
  const TaskCells& tasks() const { return tasks_; }
  // The cell of a column in a group kTerms.
  static void PutTerm(Table table, uint8_t column, uint64_t terms, Cell& cell);
  // True if `dur` is NULL for these terms of a row; otherwise it is `length`.
  static bool IsCut(uint64_t terms);

  // True if no later row of a wanted table begins at a time from `from` up to `to`. For recordings
  // in time order of a machine with `cpus` CPUs; 0: unknown.
  bool IsPast(int64_t from, int64_t to, uint32_t cpus) const;
  // The CPU that a thread is on now; empty if unknown.
  std::optional<uint32_t> CpuOf(fxt::Koid thread) const { return timeline_.CpuOf(thread); }
  uint64_t begin() const { return timeline_.begin(); }
  // The latest time of a switch or wakeup, and with a timeline of a loss or fork.
  uint64_t latest() const { return std::max(timeline_.latest(), latest_); }
  // Times and counts of CPUs, by number. Empty without a timeline.
  const std::vector<facts::TimelineState::Cpu>& cpus() const { return timeline_.cpus(); }

 private:
  template <const auto& cached, typename Fill>
  [[gnu::always_inline]] static void AddRow(RowBatch& batch, bool is_cached, Fill&& fill) {
    if (is_cached) {
      batch.AddExactly<cached>(fill);
    } else {
      batch.Add(fill);
    }
  }

  // The handler of the timeline.
  struct Facts {
    FactRows& rows;
    void OnRun(const facts::Run& run) const {
      rows.held_.Release(run.thread);
      if (rows.with_purposes_ && run.process) rows.purposes_.NoteProcess(run.index, *run.process);
      if (rows.with_parts_) rows.meter_.Add(run);
      if (rows.paths_ != nullptr) rows.paths_->Add(run);
      if (rows.slices_ != nullptr) rows.PutRun(run);
    }
    void OnWait(const facts::Wait& wait) const {
      if (rows.with_purposes_) rows.purpose_ = rows.purposes_.OnWait(wait, rows.timeline_);
      if (rows.with_parts_) rows.parts_ = rows.meter_.Add(wait);
      if (rows.paths_ != nullptr) rows.paths_->Add(wait);
      if (rows.waits_ != nullptr) rows.AddWait(wait);
    }
    void OnGap(const facts::Gap& gap) const {
      if (rows.with_parts_) rows.meter_.Add(gap);
    }
    void OnIdle(const facts::Idle& idle) const {
      if (rows.with_parts_) rows.meter_.Add(idle);
      if (rows.paths_ != nullptr) rows.paths_->Add(idle);
      if (rows.idle_ != nullptr) rows.PutIdle(idle);
    }
    template <typename Full>
    void OnWholeRun(const facts::WholeRun& run, Full&& full) const {
      rows.held_.Release(run.thread);
      if (rows.with_purposes_ && !rows.purposes_.HasProcess(run.index)) {
        rows.purposes_.NoteProcess(run.index, full().process.value_or(0));
      }
      if (rows.with_parts_) rows.meter_.Add(full());
      if (rows.paths_ != nullptr) rows.paths_->Add(run);
      if (rows.slices_ != nullptr) rows.PutRun(full());
    }
    template <typename Full>
    void OnWholeWait(const facts::WholeWait& wait, Full&& full) const {
      if (rows.with_parts_) rows.parts_ = rows.meter_.Add(full());
      if (rows.paths_ != nullptr) rows.paths_->Add(wait);
      if (rows.waits_ != nullptr) rows.AddWait(full());
    }
    template <typename Full>
    void OnWholeSleep(const facts::WholeWait& wait, const facts::Wakeup& wakeup,
                      Full&& full) const {
      if (rows.with_purposes_) {
        rows.purpose_ = rows.purposes_.OnWait(wait, wakeup, rows.timeline_);
      }
      if (rows.with_parts_) rows.parts_ = rows.meter_.Add(full());
      if (rows.paths_ != nullptr) rows.paths_->Add(wait, wakeup);
      if (rows.waits_ != nullptr) rows.AddWait(full());
    }
    template <typename Full>
    void OnWholeSwitch(const facts::WholeSwitch& change, Full&& full) const {
      if (rows.with_parts_) [[unlikely]] {
        rows.meter_.Add(full());
      }
      if (rows.with_times_ &&
          !(rows.NoteAgain(change.outgoing, change.time, change.outgoing_idle) &&
            rows.NoteAgain(change.index, change.time, change.idle))) [[unlikely]] {
        rows.NoteTimes(full());
      }
    }
    void OnWakeup(const facts::Wakeup& wakeup) const { rows.AddWakeup(wakeup); }
    void OnCpuSwitch(const facts::CpuSwitch& change) const {
      if (rows.with_parts_) [[unlikely]] {
        rows.meter_.Add(change);
      }
      if (rows.with_times_) [[unlikely]] {
        rows.NoteTimes(change);
      }
    }
  };
  // The fast path without a timeline: it makes only rows of wakeups.
  struct WakeupTaker;

  void AddWakeup(const facts::Wakeup& wakeup);
  void PutWakeup(const facts::Wakeup& wakeup);
  void PutRun(const facts::Run& run);
  void PutIdle(const facts::Idle& idle);
  void AddWait(const facts::Wait& wait);
  [[gnu::always_inline]] void PutWait(uint8_t column, Cell& cell, const facts::Wait& wait) const;
  void PutPart(uint8_t column, Cell& cell, const facts::Wait& wait) const;
  void PutObject(uint8_t column, Cell& cell, const facts::WaitObject* object) const;
  // The cell of the group.
  void PutDetails(Cell& cell, std::string_view reason, std::string_view throttled_by,
                  const facts::WaitObject* object) const;
  // The cgroup whose quota throttled the thread; may be empty.
  std::string_view ThrottledBy(const facts::Wait& wait) const;
  [[gnu::always_inline]] uint64_t TermsOf(const facts::Wait& wait) const;
  // A row without its reason, with the names at the end of the wait.
  struct HeldRow {
    uint64_t id = 0;
    std::string throttled_by = {};
    // The cells of the columns before kSyscall except the reason, and of the groups except
    // kDetails.
    std::array<Cell, waits::kSyscall + kMaxGroups - 1> cells = {};
    std::optional<facts::WaitObject> object = std::nullopt;
    bool is_blocked = false;
    std::optional<uint64_t> stack = std::nullopt;
  };
  struct HeldRowWriter {
    FactRows& rows;
    void operator()(const HeldRow& row, const std::string& reason) const {
      rows.PutHeld(row, reason);
    }
  };
  void PutHeld(const HeldRow& row, const std::string& reason);
  // A wakeup whose stack may follow.
  struct HeldWakeup {
    uint64_t id = 0;
    uint64_t time = 0;  // ns
    fxt::Koid thread = 0;
    bool is_chosen = true;  // otherwise it only consumes its stack
    std::optional<uint64_t> stack = std::nullopt;
  };
  [[gnu::always_inline]] void PutWakeupCell(uint8_t column, Cell& cell,
                                            const facts::Wakeup& wakeup) const;
  void NoteWaker(const fxt::Event& event, uint64_t time);
  // Emits held wakeups up to `time` (ns).
  void ReleaseWakeups(uint64_t time);
  void NoteTimes(const facts::CpuSwitch& change);
  // The same for one side of a switch on the fast path. False: NoteTimes() has to.
  bool NoteAgain(facts::ThreadIndex index, uint64_t time, bool idle) {
    return index < noted_.size() && names_.NoteAgain(noted_[index], time, idle);
  }
  void NoteTask(const fxt::Event& event);

  TaskNames& names_;
  TextBudget& texts_;
  mutable TaskCells tasks_;
  RowBatch* slices_;
  RowBatch* idle_;
  RowBatch* waits_;
  RowBatch* wakeups_;
  bool has_cached_slices_;
  bool has_cached_waits_;
  bool has_cached_wakeups_;
  path::PathBuilder* paths_ = nullptr;
  bool with_timeline_;
  bool with_times_;                    // when threads were seen
  facts::DenseTable<uint32_t> noted_;  // places in TaskNames, by the timeline's index
  uint64_t latest_ = 0;                // of wakeups, and of switches where there is no timeline

  bool with_purposes_;
  facts::WaitPurposes purposes_;
  facts::WaitsFor purpose_ = facts::WaitsFor::kUnknown;  // of the wait that is being added

  bool with_parts_;  // of waits for a CPU
  facts::RunnableMeter meter_;
  facts::RunnableParts parts_;  // of the wait that is being added

  bool with_reasons_;
  bool with_stacks_;                     // of waits
  bool with_waker_stacks_;               // of wakeups
  std::deque<HeldWakeup> held_wakeups_;  // by time; only if their stacks are wanted
  std::deque<Cell> held_cells_;          // of those that are chosen, without the stack
  facts::HeldWaits<HeldRow, HeldRowWriter> held_{HeldRowWriter{*this}};

  facts::FastPathTables wakeup_tables_;
  Facts facts_{*this};
  facts::Timeline<Facts> timeline_;
};

}  // namespace tables
