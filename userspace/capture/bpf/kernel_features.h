// SPDX-License-Identifier: BSD-2-Clause
// What the running kernel can do for us, found out before anything is loaded.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "capture/category.h"
#include "util/result.h"

namespace capture {

enum class PreemptCount : uint8_t { kHidden, kPerCpu, kPcpuHot, kThreadInfo };

struct KernelFeatures {
  // Tracepoints of AllCategories() that this kernel does not have.
  std::set<std::string, std::less<>> missing_tracepoints;
  // BPF_FETCH (5.12): slots are claimed by atomic fetch and add.
  bool atomic_fetch = false;
  // Where a program can read the preemption count, which tells interrupts from tasks. kHidden: the
  // kernel does not let variables be named (no CONFIG_KALLSYMS_ALL).
  PreemptCount preempt_count = PreemptCount::kHidden;
  // sched_switch passes the previous state (5.18).
  bool switch_has_state_argument = false;
  // Tracepoints of tasks' lives run with preemption on (7.0), so that programs on them may be left
  // out.
  bool preemptible_tracepoints = false;
  // iter/task (5.8, and CONFIG_BPF iterators compiled in).
  bool task_iterator = false;

  // Empty when the category can be recorded, else the reason why not.
  std::string WhyNot(const Category& category) const;
};

// What a refusal by bpf(2) with this error number means on this machine, in words for a person;
// `hint` when there is no better one.
util::Error ExplainRefusal(int error, const std::string& hint);

// An error when BPF cannot be used at all: not root, no BTF, locked down, refused.
util::Result<KernelFeatures> ProbeKernel();

}  // namespace capture
