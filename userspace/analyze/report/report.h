// SPDX-License-Identifier: BSD-2-Clause
// Where the time of a trace went, who waited, and for whom.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "analyze/report/cpu_strips.h"
#include "analyze/report/worst_waits.h"
#include "facts/object_names.h"
#include "facts/wait_reasons.h"
#include "measure/capture.h"
#include "measure/collect/collector.h"

namespace analyze {

// What a report has beyond the capture: what only the trace itself tells. Give it to a Collector
// as its watcher.
class ReportWatcher final : public measure::Watcher {
 public:
  // `worst`: how many of the longest waits are kept.
  explicit ReportWatcher(size_t worst) : waits_(worst) {}

  void OnObject(const fxt::Record& object) override {
    names_.Note(object);
    reasons_.NoteObject(object);
  }
  void OnEvent(const fxt::Reader& reader) override;
  void OnBegin(uint64_t time) override;
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
                  const std::optional<fxt::Koid>& waker) override {
    waits_.AddWakeup(index, thread, end, waker);
    return true;
  }
  void OnIdle(const facts::Idle& idle) override;
  void OnGap(const facts::Gap& gap) override;

  const CpuStrips& strips() const { return strips_; }
  const WorstWaits& waits() const { return waits_; }
  const facts::ObjectNames& names() const { return names_; }

 private:
  CpuStrips strips_;
  WorstWaits waits_;
  facts::ObjectNames names_;
  facts::WaitReasons reasons_;
};

// A report of a summary has no watcher: its strips and worst waits are empty.
struct Report {
  const measure::Capture& capture;
  const ReportWatcher& watcher;
  std::vector<std::string> notes;  // about the file, a line each
  size_t top = 10;                 // groups in each table, of text alone; 0: all
};

// For a terminal.
std::string ReportText(const Report& report);
// One JSON object, all of it; docs/report-schema.json.
std::string ReportJson(const Report& report);

}  // namespace analyze
