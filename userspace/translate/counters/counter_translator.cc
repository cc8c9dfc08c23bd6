// SPDX-License-Identifier: BSD-2-Clause
#include "translate/counters/counter_translator.h"

#include <array>

namespace translate {

CounterTranslator::CounterTranslator(TraceWriter& file, model::TaskTracker& tasks,
                                     const std::vector<std::string>& names)
    : file_(file), tasks_(tasks), run_(file.Declare("run")), partial_(file.Declare("partial")) {
  for (const std::string& name : names) names_.push_back(file_.Declare(name));
}

bool CounterTranslator::OnSlot(uint32_t cpu, uint64_t time, const fxr_counter_body& body) {
  if (body.counter >= names_.size()) return false;
  Run& run = runs_[cpu];
  if (run.tid != body.tid || run.counted >> body.counter != 0) {
    // The rest of the previous run was lost.
    if (run.counted != 0) Write(time, run);
    run = Run{.tid = body.tid};
  }
  run.counted |= 1U << body.counter;
  if (body.is_partial) run.partial |= 1U << body.counter;
  run.counts[body.counter] = body.count;
  if (body.counter + size_t{1} < names_.size()) return true;
  Write(time, run);
  run = Run{};
  return true;
}

void CounterTranslator::Write(uint64_t time, const Run& run) {
  // The counters of an exiting thread follow its last switch, which removed it from the task table.
  const bool is_known = file_.tasks().Find(run.tid) != model::kNoHandle;
  const TraceWriter::RemovedThread* exited = is_known ? nullptr : file_.FindRemoved(run.tid);
  OpenRecord record = exited != nullptr ? file_.Begin() : file_.Begin(tasks_.Thread(run.tid));
  const fxt::ThreadRef thread = exited != nullptr
                                    ? fxt::ThreadRef::Inline(exited->process_koid, exited->koid)
                                    : record.thread();
  std::array<fxt::Argument, FXR_MAX_COUNTERS + 1> arguments;
  size_t count = 0;
  for (size_t i = 0; i < names_.size(); ++i) {
    if ((run.counted >> i & 1) == 0) continue;
    arguments[count++] = {record.Refer(names_[i]), run.counts[i]};
  }
  if (run.partial != 0) arguments[count++] = {record.Refer(partial_), run.partial};
  record.Write(fxt::Event{.type = fxt::EventType::kCounter,
                          .timestamp = time,
                          .thread = thread,
                          .category = record.Ref(FXR_CATEGORY_COUNTER),
                          .name = record.Refer(run_),
                          .arguments = {arguments.data(), count},
                          .payload = run.tid});
}

}  // namespace translate
