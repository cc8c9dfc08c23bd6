/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* In what context the kernel is: task, soft interrupt or hard interrupt. */
#ifndef FXR_CONTEXT_H
#define FXR_CONTEXT_H

#include "common.h"
#include "ring.h"

/*
 * The preemption count tells. x86 keeps it per CPU, in a variable whose address
 * most kernels do not let programs name. But every task points to the scheduler's
 * queue of its CPU, which is a per-CPU variable as well, and type information has
 * the place of each in a CPU's area. So the address is found once for each CPU,
 * and is believed only if the CPU's own number is where it has to be then.
 * Other architectures keep the count in thread_info.
 */

/* Places in the per-CPU area, from type information; constant once loaded. */
extern const volatile fxr_u8 per_cpu_places_known;
extern const volatile fxr_u64 runqueues_place;
extern const volatile fxr_u64 cpu_number_place;    /* or that of pcpu_hot, 6.1 to 6.14 */
extern const volatile fxr_u64 preempt_count_place; /* the same */

/*
 * BTF id of struct refcount_struct where there is bpf_rdonly_cast (6.2), which lets
 * kernel memory be read by a load and not by a helper; else 0.
 */
extern const volatile fxr_u32 refcount_struct_id;
extern const volatile fxr_u32 timespec64_id; /* the same, for 64 bits */

/* The bits of a count that mean an interrupt: which they are depends on the kernel. */
extern const volatile fxr_u32 interrupt_mask;

/*
 * bpf_rdonly_cast(object, type), as the bytes of a call of a kernel function whose id
 * the loader fills in. Naming the function would make libbpf read all of the kernel's
 * type information to find it.
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
 * Where the first looks, on the CPUs that were online at the start, met a count that
 * these bits cannot be of. What bits mean is the same on all CPUs of a kernel, so one
 * that comes online later needs no such look of its own. Written by the loader.
 */
extern fxr_u32 interrupt_mask_is_wrong;

struct thread_info___preempt {
	int preempt_count;
} __attribute__((preserve_access_index));

#if defined(__TARGET_ARCH_x86)
/* Address of this CPU's preemption count; 0: not found. */
static __always_inline u64 find_preempt_count(u32 cpu)
{
	struct task_struct *task = (struct task_struct *)bpf_get_current_task();
	u64 number_place = cpu_number_place, count_place = preempt_count_place;
	u32 number = ~0;
	u64 base;

	/* Without fair group scheduling no task has this pointer. */
	if (!per_cpu_places_known || !bpf_core_field_exists(struct sched_entity, cfs_rq) ||
	    !bpf_core_field_exists(struct cfs_rq, rq))
		return 0;
	if (bpf_core_type_exists(struct pcpu_hot)) {
		number_place += bpf_core_field_offset(struct pcpu_hot, cpu_number);
		count_place += bpf_core_field_offset(struct pcpu_hot, preempt_count);
	}
	base = (u64)BPF_CORE_READ(task, se.cfs_rq, rq) - runqueues_place;
	if (bpf_probe_read_kernel(&number, sizeof(number), (void *)(base + number_place)) ||
	    number != cpu)
		return 0;
	return base + count_place;
}

/* Keeps what find_preempt_count() found. */
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

/* `ring` is that of `cpu`, this CPU. False where the count is hidden. */
static __always_inline bool in_interrupt_context(struct fxr_ring_control *ring, u32 cpu)
{
	int count = 0;

#if defined(__TARGET_ARCH_x86)
	u64 address = READ_ONCE(ring->preempt_count);

	/* A CPU that came online after the start. */
	if (unlikely(!address))
		address = locate_preempt_count(ring, cpu);
	if (unlikely(address == FXR_PREEMPT_COUNT_HIDDEN))
		return false;
	if (refcount_struct_id) {
		/* Any kernel struct that begins with an int will do. */
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
	return (count & interrupt_mask) != 0;
}

#endif
