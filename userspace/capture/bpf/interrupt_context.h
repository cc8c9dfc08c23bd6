// SPDX-License-Identifier: BSD-2-Clause
// Where the kernel keeps its preemption counts, which of their bits mean an interrupt, and whether
// what was found of both holds. See bpf/context.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "capture/btf/kernel_types.h"
#include "fxt_record/event.h"

namespace capture {

// Where things are in each CPU's area of per-CPU variables, bytes from its begin.
struct PerCpuPlaces {
  uint64_t runqueues = 0;
  // Both that of `pcpu_hot` where the kernel keeps them in there (6.1 to 6.14).
  uint64_t cpu_number = 0;
  uint64_t preempt_count = 0;
};

// From the type information or, where that has no per-CPU variables (before 5.12), from the list of
// symbols, if it has them. For x86.
std::optional<PerCpuPlaces> FindPerCpuPlaces(const KernelTypes& types,
                                             const std::string& symbols = "/proc/kallsyms");

// The bits of a preemption count that are set in hard interrupts, NMIs, or while a soft interrupt
// is served (include/linux/preempt.h). Since 7.3 those of hard interrupts stand eight bits higher,
// because the count also has how often interrupts are disabled.
uint32_t InterruptMask(const KernelTypes& types);

// Whether `seen`, the count that a program met on some CPU, is impossible if the bits of `mask`
// mean an interrupt. `own_tid` is the machine's number of the thread that had the program run:
// nothing was interrupted where it runs itself; on any other CPU an interrupt, or an idle task on
// its behalf, ran the program.
bool Contradicts(const fxr_context_sample& seen, uint32_t own_tid, uint32_t mask);

}  // namespace capture
