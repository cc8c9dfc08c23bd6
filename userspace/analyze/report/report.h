// SPDX-License-Identifier: BSD-2-Clause
// The report of a trace: use of time, waits, and their causes.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "analyze/document/document.h"
#include "analyze/report/cpu_strips.h"
#include "analyze/report/sleep_ledger.h"
#include "analyze/report/worst_waits.h"
#include "facts/task_names.h"
#include "facts/wait_reasons.h"
#include "measure/capture.h"
#include "measure/collect/collector.h"

namespace analyze {

// The watcher of a Collector that collects the parts of a report that a Capture does not have.
class ReportWatcher final : public measure::Watcher {
 public:
  // `worst`: the number of longest waits of each kind.
  explicit ReportWatcher(size_t worst) : waits_(worst) {}

  void OnObject(const fxt::Record& object) override {
    names_->Note(object);
    reasons_.NoteObject(object);
  }
  void OnEvent(const fxt::Reader& reader) override;
  void OnBegin(uint64_t first, uint64_t begin) override;
  void OnRun(const facts::Run& run) override;
  void OnWait(const facts::Wait& wait) override;
  bool TakesRun(uint32_t cpu, fxt::Koid thread, uint64_t begin, uint64_t end) override {
    strips_.AddBusy(cpu, begin, end);
    waits_.AddInterval({begin, end, thread, cpu, Interval::What::kRun});
    return true;
  }
  bool TakesWait(uint32_t cpu, uint64_t begin, uint64_t end) override {
    if (waits_.KeepsForCpu(end - begin)) return false;
    strips_.AddWait(cpu, begin, end);
    return true;
  }
  bool TakesSleep(facts::ThreadIndex index, fxt::Koid thread, uint64_t end,
                  const std::optional<fxt::Koid>& waker, facts::WakeVia via) override {
    waits_.AddWakeup(index, thread, end, waker, via);
    return true;
  }
  void OnIdle(const facts::Idle& idle) override;
  void OnGap(const facts::Gap& gap) override;

  const CpuStrips& strips() const { return strips_; }
  const WorstWaits& waits() const { return waits_; }
  const SleepLedger& sleeps() const { return sleeps_; }
  std::shared_ptr<const facts::TaskNames> names() const { return names_; }
  // ns of the first record that has a time.
  uint64_t first_time() const { return first_time_; }

 private:
  uint64_t first_time_ = 0;
  SleepLedger sleeps_;
  CpuStrips strips_;
  WorstWaits waits_;
  std::shared_ptr<facts::TaskNames> names_ = std::make_shared<facts::TaskNames>();
  facts::WaitReasons reasons_;
};

// The input of a report. For a summary the watcher is empty.
struct Report {
  const measure::Capture& capture;
  const ReportWatcher& watcher;
  std::vector<std::string> notes;  // about the file, a line each
  size_t top = 10;                 // rows of each table in text; 0: all
};

// Lengths that a distribution needs for these quantiles.
inline constexpr uint64_t kCountForP99 = 200;
inline constexpr uint64_t kCountForP999 = 2'000;

// JSON has all of it (docs/report-schema.json), text the first Report::top groups of each table.
document::Document ReportDocument(const Report& report);

}  // namespace analyze
