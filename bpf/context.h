/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* In what context the kernel is: task, soft interrupt or hard interrupt. */
#ifndef FXR_CONTEXT_H
#define FXR_CONTEXT_H

#include "common.h"

/*
 * x86 keeps the preemption count per CPU, in `pcpu_hot` from 6.1 to 6.14 and in
 * `__preempt_count` before and after; others keep it in thread_info. A program
 * can name a variable only where the kernel has it and lets its address be
 * known (CONFIG_KALLSYMS_ALL), so the object is built once for each case and
 * the loader picks one:
 *   FXR_PREEMPT_COUNT 1   __preempt_count
 *   FXR_PREEMPT_COUNT 2   pcpu_hot
 *   else                  the interrupted task passes for whoever acts
 */
#if defined(__TARGET_ARCH_x86) && FXR_PREEMPT_COUNT == 1
extern const int __preempt_count __ksym;
#elif defined(__TARGET_ARCH_x86) && FXR_PREEMPT_COUNT == 2
extern const struct pcpu_hot pcpu_hot __ksym;
#endif

/* include/linux/preempt.h: NMI 20..23, hard interrupts 16..19, bit 8: serving a soft interrupt */
#define INTERRUPT_CONTEXT_MASK 0x00ff0100

struct thread_info___preempt {
	int preempt_count;
} __attribute__((preserve_access_index));

static __always_inline bool in_interrupt_context(void)
{
	int count = 0;

#if !defined(__TARGET_ARCH_x86)
	struct task_struct *task = (struct task_struct *)bpf_get_current_task();
	struct thread_info___preempt *info = (void *)task;

	count = BPF_CORE_READ(info, preempt_count);
#elif FXR_PREEMPT_COUNT == 1
	count = *(int *)bpf_this_cpu_ptr(&__preempt_count);
#elif FXR_PREEMPT_COUNT == 2
	count = ((struct pcpu_hot *)bpf_this_cpu_ptr(&pcpu_hot))->preempt_count;
#endif
	return (count & INTERRUPT_CONTEXT_MASK) != 0;
}

#endif
