// SPDX-License-Identifier: BSD-2-Clause
// What the running kernel can do for us, found out before anything is loaded.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "capture/bpf/category.h"
#include "capture/bpf/interrupt_context.h"
#include "capture/btf/kernel_types.h"
#include "util/result.h"

namespace capture {

struct KernelFeatures {
  // Tracepoints of AllCategories() that this kernel does not have.
  std::set<std::string, std::less<>> missing_tracepoints;
  // BPF_FETCH (5.12): slots are claimed by atomic fetch and add.
  bool atomic_fetch = false;
  // What it takes to find the preemption counts, see bpf/context.h. Not on architectures that keep
  // them elsewhere.
  std::optional<PerCpuPlaces> per_cpu;
  // See InterruptMask().
  uint32_t interrupt_mask = 0;
  // bpf_rdonly_cast (6.2).
  bool rdonly_cast = false;
  // sched_switch passes the previous state (5.18).
  bool switch_has_state_argument = false;
  // Tracepoints of tasks' lives run with preemption on (7.0), so that programs on them may be left
  // out.
  bool preemptible_tracepoints = false;
  // block_rq_insert passes the queue before the request (the first of 5.10).
  bool block_has_queue_argument = false;
  // mark_victim passes the task and not its number (6.8, and later ones of each older series).
  bool oom_has_task_argument = false;
  // Reclaim's tracepoints pass the flags before the order (7.0).
  bool reclaim_flags_are_first = false;
  // Moves to another cgroup can be seen (CONFIG_CGROUPS).
  bool cgroup_moves = false;
  // What all of this was read from, and what the programs are loaded with; some MiB that nobody
  // needs afterwards.
  std::shared_ptr<const KernelTypes> types;

  // Empty when the category can be recorded, else the reason why not.
  std::string WhyNot(const Category& category) const;
  // Of a category that can be recorded: tracepoints that it has to do without.
  std::vector<std::string_view> Without(const Category& category) const;
};

// What a refusal by bpf(2) with this error number means on this machine, in words for a person;
// `hint` when there is no better one.
util::Error ExplainRefusal(int error, const std::string& hint);

// How wakers of threads that an interrupt woke are recorded, in words for a person: "told apart"
// when none is named, else "not told apart", with the CPUs if these are not all `online` ones. See
// BpfPrograms::contextless_cpus().
std::string DescribeInterruptWakers(const std::vector<uint32_t>& contextless, size_t online);

// An error when BPF cannot be used at all: not root, no BTF, locked down, refused.
util::Result<KernelFeatures> ProbeKernel();

}  // namespace capture
