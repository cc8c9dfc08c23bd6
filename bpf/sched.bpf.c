// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Category `sched`: context switches, wakeups and migrations. */
#include "common.h"
#include "context.h"
#include "filter.h"
#include "net_rx.h"
#include "ring.h"
#include "task_state.h"
#include "throttle.h"

const volatile fxr_u8 switch_has_state_argument = 0; /* see task_state.h */

/*
 * The state index that the kernel's own sched_switch event prints: the highest state bit
 * set.
 */
static __always_inline u64 state_index(u32 state, u32 exit_state)
{
	u32 report = (state | exit_state) & TASK_REPORT;

	/*
	 * Kernels that do not pass the state let a waker on another CPU change it before
	 * it is read here. The task slept, but its sleep state is lost.
	 */
	if (!switch_has_state_argument && state == TASK_WAKING)
		return FXR_STATE_WOKEN;
	if ((state & TASK_IDLE) == TASK_IDLE)
		return FXR_STATE_IDLE;
	if (state & (TASK_RTLOCK_WAIT | TASK_FROZEN))
		return FXR_STATE_UNINTERRUPTIBLE;
	if (report <= 2)
		return report;
	if (report & 0x40)
		return FXR_STATE_PARKED;
	if (report & 0x20)
		return FXR_STATE_ZOMBIE;
	if (report & 0x10)
		return FXR_STATE_DEAD;
	if (report & 0x08)
		return FXR_STATE_TRACED;
	if (report & 0x04)
		return FXR_STATE_STOPPED;
	return FXR_STATE_UNINTERRUPTIBLE;
}

static __always_inline int on_switch(enum claim claim, bool preempt, struct task_struct *prev,
				     struct task_struct *next, u32 state)
{
	struct fxr_switch_body body = {
		.prev_tid = prev->pid,
		.next_tid = next->pid,
		.prev_priority = prev->prio,
		.next_priority = next->prio,
	};
	struct fxr_ring_control *ring;
	u32 cpu;

	ring = this_ring(&cpu);
	if (!ring) /* impossible: every possible CPU has a control */
		return 0;
	disturb_net_rx(ring);
	if (filter_is_on && !task_selected(prev) && !task_selected(next))
		return 0;
	if (preempt)
		body.prev_state = FXR_STATE_PREEMPTED;
	else
		body.prev_state = state_index(state, prev->exit_state);
	/* The end of the wait of a task that is not selected may not be recorded. */
	if ((preempt || body.prev_state == FXR_STATE_RUNNABLE) && is_throttled(prev) &&
	    (!filter_is_on || task_selected(prev)) && begin_throttle(prev))
		body.prev_state = FXR_STATE_THROTTLED;
	if (unlikely(READ_ONCE(throttled_count)))
		end_throttle(next);
	emit_slot_into(ring, cpu, claim, FXR_CATEGORY_SCHED, FXR_SLOT_SWITCH, fxr_pack_switch(body));
	return 0;
}

SLOT_PROGRAM(sched_switch, on_switch(claim, preempt, prev, next, SWITCH_STATE()), bool preempt,
	     struct task_struct *prev, struct task_struct *next)

static __always_inline u32 task_cpu(struct task_struct *task)
{
	struct task_struct___old *old = (void *)task;

	if (bpf_core_field_exists(old->cpu))
		return BPF_CORE_READ(old, cpu);
	return task->thread_info.cpu;
}

/*
 * Uses sched_waking instead of sched_wakeup: it runs in the waker's context, and before
 * the woken task can run on another CPU.
 */
static __always_inline int on_waking(enum claim claim, struct task_struct *task, bool is_new)
{
	struct fxr_waking_body body = {.is_new = is_new};
	struct fxr_ring_control *ring;
	u32 bits, cpu;

	if (filter_is_on && !task_selected(task) && !current_selected())
		return 0;
	ring = this_ring(&cpu);
	if (!ring) /* impossible: every possible CPU has a control */
		return 0;
	bits = interrupt_bits(ring, cpu);
	if (is_new || !bits) {
		body.waker_tid = bpf_get_current_pid_tgid();
	} else if (bits == SERVING_SOFTIRQ) {
		body.waker_tid = READ_ONCE(ring->net_rx_sender) & FXR_TID_MASK;
		body.via_net_rx = body.waker_tid != 0;
	}
	body.woken_tid = task->pid;
	body.priority = task->prio;
	body.target_cpu = task_cpu(task) & 0xfff;
	emit_slot_into(ring, cpu, claim, FXR_CATEGORY_SCHED, FXR_SLOT_WAKING,
		       fxr_pack_waking(body));
	return 0;
}

SLOT_PROGRAM(sched_waking, on_waking(claim, task, false), struct task_struct *task)

/* Only the forking task calls it. */
SLOT_PROGRAM(sched_wakeup_new, on_waking(claim, task, true), struct task_struct *task)

static __always_inline int on_migrate(enum claim claim, struct task_struct *task, int to)
{
	struct fxr_migrate_body body = {
		.tid = task->pid,
		.to = to & 0x1fff,
		.priority = task->prio,
	};

	if (filter_is_on && !task_selected(task))
		return 0;
	body.from = task_cpu(task) & 0x1fff;
	emit_slot(claim, FXR_CATEGORY_SCHED, FXR_SLOT_MIGRATE, fxr_pack_migrate(body));
	return 0;
}

SLOT_PROGRAM(sched_migrate_task, on_migrate(claim, task, to), struct task_struct *task, int to)

char LICENSE[] SEC("license") = "Dual BSD/GPL";
