/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Detects the execution context: task, softirq or hardirq. */
#ifndef FXR_CONTEXT_H
#define FXR_CONTEXT_H

#include "common.h"
#include "ring.h"

/*
 * The preemption count holds the context. x86 keeps the count per CPU, in a variable whose
 * address most kernels do not export to BPF. The address is derived once per CPU instead:
 * every task points to its CPU's runqueue, which is a per-CPU variable too, and BTF has
 * the offset of both variables in the per-CPU area. The derived base is accepted only if
 * the CPU number stored there matches. Other architectures keep the count in thread_info.
 */

/* Offsets in the per-CPU area, from BTF; constant once loaded. */
extern const volatile fxr_u8 per_cpu_offsets_known;
extern const volatile fxr_u64 runqueues_offset;
extern const volatile fxr_u64 cpu_number_offset;    /* of pcpu_hot on 6.1 to 6.14 */
extern const volatile fxr_u64 preempt_count_offset; /* of pcpu_hot on 6.1 to 6.14 */

/*
 * BTF id of struct refcount_struct where bpf_rdonly_cast exists (6.2), else 0. The cast
 * allows a direct load from kernel memory instead of a helper call.
 */
extern const volatile fxr_u32 refcount_struct_id;
extern const volatile fxr_u32 timespec64_id; /* the same, for reads of 64 bits */

/* The bits of the preemption count that mean an interrupt. They depend on the kernel. */
extern const volatile fxr_u32 interrupt_mask;

/*
 * bpf_rdonly_cast(object, type), encoded as the bytes of a kfunc call whose id the loader
 * fills in. Naming the kfunc would make libbpf parse all kernel BTF to find it.
 */
static __always_inline void *rdonly_cast(u64 object, u64 type)
{
	void *cast;

	asm volatile("r1 = %[object]\n"
		     "r2 = %[type]\n"
		     ".byte 0x85, 0x20, 0, 0, 0, 0, 0, 0\n"
		     "%[cast] = r0\n"
		     : [cast] "=r"(cast)
		     : [object] "r"(object), [type] "r"(type)
		     : "r0", "r1", "r2", "r3", "r4", "r5", "memory");
	return cast;
}

/*
 * Set by the loader when the first samples, of the CPUs that were online at the start,
 * hold a count that contradicts interrupt_mask. The bits mean the same on all CPUs of a
 * kernel, so a CPU that comes online later is not sampled.
 */
extern fxr_u32 interrupt_mask_is_wrong;

struct thread_info___preempt {
	int preempt_count;
} __attribute__((preserve_access_index));

#if defined(__TARGET_ARCH_x86)
/* Returns the address of this CPU's preemption count; 0 if it cannot be found. */
static __always_inline u64 find_preempt_count(u32 cpu)
{
	struct task_struct *task = (struct task_struct *)bpf_get_current_task();
	u64 number_place = cpu_number_offset, count_place = preempt_count_offset;
	u32 number = ~0;
	u64 base;

	/* Without CONFIG_FAIR_GROUP_SCHED no task has this pointer. */
	if (!per_cpu_offsets_known || !bpf_core_field_exists(struct sched_entity, cfs_rq) ||
	    !bpf_core_field_exists(struct cfs_rq, rq))
		return 0;
	if (bpf_core_type_exists(struct pcpu_hot)) {
		number_place += bpf_core_field_offset(struct pcpu_hot, cpu_number);
		count_place += bpf_core_field_offset(struct pcpu_hot, preempt_count);
	}
	base = (u64)BPF_CORE_READ(task, se.cfs_rq, rq) - runqueues_offset;
	if (bpf_probe_read_kernel(&number, sizeof(number), (void *)(base + number_place)) ||
	    number != cpu)
		return 0;
	return base + count_place;
}

/* Caches the result of find_preempt_count() in the CPU's ring control. */
static __noinline u64 locate_preempt_count(struct fxr_ring_control *ring, u32 cpu)
{
	u64 address = find_preempt_count(cpu);

	if (!ring)
		return FXR_PREEMPT_COUNT_HIDDEN;
	if (!address || READ_ONCE(interrupt_mask_is_wrong))
		address = FXR_PREEMPT_COUNT_HIDDEN;
	WRITE_ONCE(ring->preempt_count, address);
	return address;
}
#endif

/* In interrupt_bits(): a softirq is served. Without further bits: outside of a hardirq. */
#define SERVING_SOFTIRQ 0x100

/*
 * `ring` is the control of `cpu`, the current CPU. Returns the bits of interrupt_mask that are
 * set: 0 in a task, and where the count cannot be read.
 */
static __always_inline u32 interrupt_bits(struct fxr_ring_control *ring, u32 cpu)
{
	int count = 0;

#if defined(__TARGET_ARCH_x86)
	u64 address = READ_ONCE(ring->preempt_count);

	/* The CPU came online after the start. */
	if (unlikely(!address))
		address = locate_preempt_count(ring, cpu);
	if (unlikely(address == FXR_PREEMPT_COUNT_HIDDEN))
		return 0;
	if (refcount_struct_id) {
		/* Any kernel struct that begins with an int serves. */
		struct refcount_struct *word = rdonly_cast(address, refcount_struct_id);

		count = word->refs.counter;
	} else {
		bpf_probe_read_kernel(&count, sizeof(count), (void *)address);
	}
#else
	struct task_struct *task = (struct task_struct *)bpf_get_current_task();
	struct thread_info___preempt *info = (void *)task;

	count = BPF_CORE_READ(info, preempt_count);
#endif
	return count & interrupt_mask;
}

static __always_inline bool in_interrupt_context(struct fxr_ring_control *ring, u32 cpu)
{
	return interrupt_bits(ring, cpu) != 0;
}

/* False where in_interrupt_context() cannot know. Called after it. */
static __always_inline bool context_is_known(struct fxr_ring_control *ring)
{
#if defined(__TARGET_ARCH_x86)
	return READ_ONCE(ring->preempt_count) != FXR_PREEMPT_COUNT_HIDDEN;
#else
	return true;
#endif
}

#endif
