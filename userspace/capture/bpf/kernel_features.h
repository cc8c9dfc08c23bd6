// SPDX-License-Identifier: BSD-2-Clause
// Features of the running kernel, probed before anything is loaded.
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
  // Tracepoints of AllCategories() that this kernel lacks.
  std::set<std::string, std::less<>> missing_tracepoints;
  // BPF_FETCH (5.12): slots are claimed by atomic fetch-and-add.
  bool atomic_fetch = false;
  // Offsets of the preemption counts, see bpf/context.h. Empty on architectures with the count in
  // thread_info.
  std::optional<PerCpuOffsets> per_cpu;
  // See InterruptMask().
  uint32_t interrupt_mask = 0;
  // bpf_rdonly_cast (6.2).
  bool rdonly_cast = false;
  // bpf_kallsyms_lookup_name() (5.16), and bpf_snprintf() with it (5.13).
  bool symbol_lookup = false;
  // sched_switch passes the previous state (5.18).
  bool switch_has_state_argument = false;
  // Task tracepoints are preemptible (7.0), so the kernel may skip programs on them.
  bool preemptible_tracepoints = false;
  // block_rq_insert passes the queue before the request (early 5.10).
  bool block_has_queue_argument = false;
  // mark_victim passes the task and not its pid (6.8, and later releases of each older series).
  bool oom_has_task_argument = false;
  // Reclaim tracepoints pass the flags before the order (7.0).
  bool reclaim_flags_are_first = false;
  // See AreNetRxSendersKnown().
  bool net_rx_senders = false;
  // Cgroup moves have a tracepoint (CONFIG_CGROUPS).
  bool cgroup_moves = false;
  // The BTF that all of this was read from and that loading needs; some MiB, released afterwards.
  std::shared_ptr<const KernelTypes> types;

  // Empty if the category can be recorded, else the reason.
  std::string WhyNot(const Category& category) const;
  // Functions of the kernel can be probed by multi-links (5.18, CONFIG_FPROBE).
  bool HasFprobes() const;
  // The optional tracepoints of a recordable category that this kernel lacks.
  std::vector<std::string_view> Without(const Category& category) const;
};

// Explains an errno of bpf(2) on this machine; `hint` is the fallback.
util::Error ExplainRefusal(int error, const std::string& hint);

// Describes how wakers are recorded when an interrupt wakes a thread: "distinguished" if none is
// named, else "not distinguished", with the CPUs unless these are all `online` ones. See
// BpfPrograms::contextless_cpus().
std::string DescribeInterruptWakers(const std::vector<uint32_t>& contextless, size_t online);

// An error if BPF cannot be used: not root, no BTF, locked down, or refused.
util::Result<KernelFeatures> ProbeKernel();

}  // namespace capture
