// SPDX-License-Identifier: BSD-2-Clause
// Locates the kernel's preemption counts and the bits that mean an interrupt, and verifies both.
// See bpf/context.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "capture/btf/kernel_types.h"
#include "fxt_record/event.h"

namespace capture {

// Offsets in the per-CPU area, bytes.
struct PerCpuOffsets {
  uint64_t runqueues = 0;
  // Both are the offset of `pcpu_hot` on kernels that have it (6.1 to 6.14).
  uint64_t cpu_number = 0;
  uint64_t preempt_count = 0;
};

// From BTF or, before 5.12, where BTF lacks per-CPU variables, from kallsyms. x86 only.
std::optional<PerCpuOffsets> FindPerCpuOffsets(const KernelTypes& types,
                                               const std::string& symbols = "/proc/kallsyms");

// The bits of a preemption count that are set in hardirqs, NMIs and served softirqs
// (include/linux/preempt.h). Since 7.3 the hardirq bits are eight bits higher, because the count
// also contains the interrupt-disable depth.
uint32_t InterruptMask(const KernelTypes& types);

// True if `seen`, a sample of a CPU's count, is impossible under `mask`. `own_tid` is the tid of
// the thread that ran the program, in the initial namespace. On its own CPU nothing was
// interrupted; on another CPU the program ran in an interrupt, or in an idle task on its behalf.
bool Contradicts(const fxr_context_sample& seen, uint32_t own_tid, uint32_t mask);

}  // namespace capture
