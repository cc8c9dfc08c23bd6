// SPDX-License-Identifier: BSD-2-Clause
#include "analyze/lbr/lbr_filter.h"

namespace analyze {

void LbrFilter::OnStart(uint64_t time) {
  selection_.time.SetStart(time);
  next_.OnStart(time);
}

void LbrFilter::OnKernelObject(const fxt::KernelObject& object) {
  names_.Note(object);
  next_.OnKernelObject(object);
}

void LbrFilter::OnSample(const perf::BranchStackSample& sample) {
  ++samples_;
  if (Selects(sample)) next_.OnSample(sample);
}

bool LbrFilter::Selects(const perf::BranchStackSample& sample) const {
  if (!selection_.time.Contains(sample.time)) return false;
  if (!selection_.cpus.empty() && (!sample.cpu || !selection_.cpus.contains(*sample.cpu))) {
    return false;
  }
  if (!selection_.threads.empty() &&
      !selection_.threads.Matches(sample.tid, names_.thread(sample.tid))) {
    return false;
  }
  return selection_.processes.empty() ||
         selection_.processes.Matches(sample.pid, names_.process(sample.pid));
}

}  // namespace analyze
