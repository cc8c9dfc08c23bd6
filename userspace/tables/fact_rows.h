// SPDX-License-Identifier: BSD-2-Clause
// Rows of what the timeline tells: slices, idle, waits, cpus; and of wakeups.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "facts/timeline/fast_path_tables.h"
#include "facts/timeline/timeline.h"
#include "facts/wait_reasons.h"
#include "fxt/reader.h"
#include "tables/rows/batches.h"
#include "tables/rows/cell.h"
#include "tables/rows/schema.h"
#include "tables/task_names.h"

namespace tables {

class FactRows {
 public:
  struct CpuTimes {
    uint64_t switches = 0;
    uint64_t wakeups = 0;
    uint64_t busy_ns = 0;
    uint64_t idle_ns = 0;
    uint64_t unknown_ns = 0;
  };

  // Both must outlive it. Where nobody wants what only a timeline knows, there is none.
  FactRows(TaskNames& names, const Batches& batches, bool with_timeline, bool with_times);
  FactRows(const FactRows&) = delete;
  FactRows& operator=(const FactRows&) = delete;

  // Every record in file order. True if it was a switch or a wakeup.
  bool Add(const fxt::Reader& reader);
  // Takes the switches and wakeups that come next, as long as there is nothing odd about them, and
  // no more than `most`: the same as Add() of each, in less time. How many it took; the reader's
  // next record is the one behind them.
  uint64_t AddFastPath(fxt::Reader& reader, uint64_t most);
  // Cuts what goes on.
  void Finish();

  // No row comes any more that begins at a time from `from` up to `to`, of those tables that are
  // wanted. Of recordings in the order of time, of a machine with `cpus` CPUs; 0: nobody knows.
  bool IsPast(int64_t from, int64_t to, uint32_t cpus) const;
  // Where a thread is now; empty where nobody knows.
  std::optional<uint32_t> CpuOf(fxt::Koid thread) const { return timeline_.CpuOf(thread); }
  uint64_t begin() const { return timeline_.begin(); }
  // Of wakeups, of what AddFastPath() took, and with a timeline of all that it knows.
  uint64_t latest() const { return std::max({timeline_.latest(), latest_wakeup_, latest_passed_}); }
  const std::vector<CpuTimes>& cpus() const { return cpus_; }

 private:
  // Of the timeline.
  struct Facts {
    FactRows& rows;
    void OnRun(const facts::Run& run) const { rows.AddRun(run); }
    void OnWait(const facts::Wait& wait) const { rows.AddWait(wait); }
    void OnIdle(const facts::Idle& idle) const { rows.AddIdle(idle); }
    void OnGap(const facts::Gap& gap) const {
      rows.CpuAt(gap.cpu).unknown_ns += gap.end - gap.begin;
    }
  };

  void AddSwitch(const facts::Switch& change);
  void AddWakeup(const facts::Wakeup& wakeup);
  void PutWakeup(const facts::Wakeup& wakeup);
  void AddRun(const facts::Run& run);
  // Whatever record ends it: who took its CPU, or kNobody.
  void AddRun(const facts::Run& run, fxt::Koid preemptor) {
    CpuAt(run.cpu).busy_ns += run.end - run.begin;
    if (!held_.empty()) [[unlikely]] {
      Release(run.thread);
    }
    if (waits_ != nullptr && run.index != facts::kNoThread) PreemptorOf(run.index) = preemptor;
    if (slices_ != nullptr) PutRun(run);
  }
  void PutRun(const facts::Run& run);
  static bool IsPreempted(fxr_task_state state) {
    return state == FXR_STATE_RUNNABLE || state == FXR_STATE_PREEMPTED;
  }
  void AddWait(const facts::Wait& wait);
  // Where there are rows of waits: the CPU where it ended or is to, and who woke its thread.
  void AddWait(const facts::Wait& wait, const std::optional<uint32_t>& cpu,
               const std::optional<fxt::Koid>& waker);
  // A wait and what only the record behind it tells.
  struct Parties {
    std::optional<uint32_t> cpu = std::nullopt;
    std::optional<fxt::Koid> waker = std::nullopt;
    std::optional<fxt::Koid> preemptor = std::nullopt;
  };
  // A row that waits for its reason, with the names of the time at which the wait ended.
  struct HeldRow {
    uint64_t begin = 0;                           // of the wait
    uint64_t id = 0;                              // of the row
    std::array<Cell, waits::kReason> cells = {};  // of the columns that are wanted
    std::string reason = {};
  };
  void PutWait(uint8_t column, Cell& cell, const facts::Wait& wait, const Parties& parties) const;
  // Of a wait in D its thread says more when it runs again, where stacks were recorded.
  void Hold(const facts::Wait& wait, const Parties& parties, std::string_view reason);
  void Release(fxt::Koid thread);
  void PutHeld(const HeldRow& row);
  void NoteReasons(const fxt::Reader& reader);
  void AddIdle(const facts::Idle& idle) {
    CpuAt(idle.cpu).idle_ns += idle.end - idle.begin;
    if (idle_ != nullptr) PutIdle(idle);
  }
  void PutIdle(const facts::Idle& idle);
  void NoteSide(const facts::SwitchSide& side, uint64_t time);

  // --- fact_rows_fast_path.cc
  struct Plain;
  struct Passed;

  CpuTimes& CpuAt(uint32_t cpu) {
    if (cpu >= cpus_.size()) [[unlikely]] {
      cpus_.resize(cpu + size_t{1});
    }
    return cpus_[cpu];
  }
  fxt::Koid& PreemptorOf(facts::ThreadIndex index) {
    if (index >= preemptors_.size()) [[unlikely]] {
      preemptors_.resize(index + size_t{1}, kNobody);
    }
    return preemptors_[index];
  }

  static constexpr fxt::Koid kNobody = UINT64_MAX;

  TaskNames& names_;
  RowBatch* slices_;
  RowBatch* idle_;
  RowBatch* waits_;
  RowBatch* wakeups_;
  bool with_timeline_;
  bool with_times_;  // when threads were seen
  uint64_t latest_wakeup_ = 0;
  uint64_t latest_passed_ = 0;  // switch, where there is no timeline
  std::vector<CpuTimes> cpus_;
  std::vector<fxt::Koid> preemptors_;  // by facts::ThreadIndex

  bool with_reasons_;
  facts::WaitReasons reasons_;
  // In an order that does not depend on which rows are chosen: the last ones come in it.
  std::map<fxt::Koid, HeldRow> held_;

  // What is being told to the timeline.
  const facts::Switch* change_ = nullptr;
  const facts::Wakeup* wakeup_ = nullptr;

  facts::FastPathTables fast_path_tables_;
  Facts facts_{*this};
  facts::Timeline<Facts> timeline_{facts_};
};

}  // namespace tables
