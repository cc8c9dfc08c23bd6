// SPDX-License-Identifier: BSD-2-Clause
#include "translate/branch_translator.h"

namespace translate {

void BranchTranslator::OnSample(uint64_t time, const perf::BranchStackSample& sample) {
  ++stats_.events[FXR_CATEGORY_LBR];
  const uint32_t cpu = sample.cpu.value_or(0);
  const model::ThreadHandle thread =
      sample.tid == 0 ? sched_.IdleOf(cpu) : tasks_.Thread(sample.tid);
  mappings_.Need(sample.pid, thread, sched_.IdleOf(cpu), time);
  sample_ = sample;
  sample_.time = time;
  file_.Note(writer_.Write(sample_, file_.Mention(thread)));
  ++stats_.recorded[FXR_CATEGORY_LBR];
}

}  // namespace translate
