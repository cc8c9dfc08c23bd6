// SPDX-License-Identifier: BSD-2-Clause
#include "analyze/report/report.h"

namespace analyze {

void ReportWatcher::OnBegin(uint64_t first, uint64_t begin) {
  first_time_ = first;
  strips_.Begin(begin);
}

void ReportWatcher::OnRun(const facts::Run& run) {
  strips_.AddBusy(run.cpu, run.begin, run.end);
  waits_.AddInterval({run.begin, run.end, run.thread, run.cpu, Interval::What::kRun});
}

void ReportWatcher::OnWait(const facts::Wait& wait) {
  const auto cpu = wait.run_cpu();
  if (wait.is_runnable() && cpu && !wait.touches_loss) {
    strips_.AddWait(*cpu, wait.begin, wait.end);
  }
  waits_.AddWait(wait);
  sleeps_.Add(wait, *names_);
  if (wait.kind != facts::WaitKind::kBlocked) return;
  waits_.ForBlocked(wait.thread, [&](WorstWait& worst) {
    if (worst.begin != wait.begin) return;
    worst.reason =
        reasons_.ReasonOf(wait.thread, wait.begin, wait.end, wait.woken_by().has_value());
    if (wait.object == nullptr) return;
    worst.object = *wait.object;
    worst.has_function = !wait.object->function.empty();
    worst.reason = facts::JoinReasons(worst.reason, wait.object->function);
  });
}

void ReportWatcher::OnEvent(const fxt::Reader& reader) {
  reasons_.NoteEvent(reader);
  const auto& slept = reasons_.slept();
  if (!slept) return;
  waits_.ForBlocked(slept->thread, [&](WorstWait& worst) {
    // The first stack is that of this sleep; the next one may be of a sleep right behind it.
    if (worst.has_function || !facts::IsOf(*slept, worst.begin)) return;
    worst.reason = facts::JoinReasons(worst.reason, slept->in);
    worst.has_function = true;
  });
}

void ReportWatcher::OnIdle(const facts::Idle& idle) {
  waits_.AddInterval({idle.begin, idle.end, 0, idle.cpu, Interval::What::kIdle});
}

void ReportWatcher::OnGap(const facts::Gap& gap) {
  strips_.AddUnknown(gap.cpu, gap.begin, gap.end);
  waits_.AddInterval({gap.begin, gap.end, 0, gap.cpu, Interval::What::kUnknown});
}

}  // namespace analyze
