// SPDX-License-Identifier: BSD-2-Clause
#include "translate/branch_translator.h"

#include "schema/koid.h"

namespace translate {

void BranchTranslator::OnSample(uint64_t time, const perf::BranchStackSample& sample) {
  ++stats_.events[FXR_CATEGORY_LBR];
  const uint32_t cpu = sample.cpu.value_or(0);
  const model::ThreadHandle thread = sched_.ThreadOn(cpu, sample.tid);
  mappings_.Need(sample.pid, thread, sched_.IdleOf(cpu), time);
  sample_ = sample;
  sample_.time = time;
  if (const model::Thread& known = file_.tasks().thread(thread);
      sample.tid > schema::kTidMask && known.tid != 0) {
    sample_.tid = known.tid;
    sample_.pid = file_.tasks().process(known.process).tgid;
  }
  file_.CountRefusal(writer_.Write(sample_, file_.Mention(thread)));
  ++stats_.recorded[FXR_CATEGORY_LBR];
}

}  // namespace translate
