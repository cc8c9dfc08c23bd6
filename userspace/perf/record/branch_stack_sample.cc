// SPDX-License-Identifier: BSD-2-Clause
#include "perf/record/branch_stack_sample.h"

namespace perf {

void TakeBranchStack(const Sample& sample, BranchStackSample* out) {
  out->time = sample.where.time.value_or(0);
  out->cpu = sample.where.cpu;
  out->pid = sample.where.pid.value_or(0);
  out->tid = sample.where.tid.value_or(0);
  out->ip = sample.ip;
  out->period = sample.period;
  out->hw_idx.reset();
  out->entries.clear();
  out->counters.clear();
  if (!sample.branches) return;
  out->hw_idx = sample.branches->hw_idx;
  out->entries.assign(sample.branches->entries.begin(), sample.branches->entries.end());
  out->counters.assign(sample.branches->counters.begin(), sample.branches->counters.end());
}

}  // namespace perf
