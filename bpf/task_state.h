/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The state of the outgoing task at a context switch. */
#ifndef FXR_TASK_STATE_H
#define FXR_TASK_STATE_H

#include "common.h"

/* sched_switch passes the previous task's state as a fourth argument since 5.18. */
extern const volatile fxr_u8 switch_has_state_argument;

/* include/linux/sched.h */
#define TASK_REPORT 0x7f
#define TASK_UNINTERRUPTIBLE 0x02
#define TASK_DEAD 0x80
#define TASK_WAKING 0x200
#define TASK_NOLOAD 0x400
#define TASK_IDLE (TASK_UNINTERRUPTIBLE | TASK_NOLOAD)
#define TASK_RTLOCK_WAIT 0x1000
#define TASK_FROZEN 0x8000

static __always_inline u32 previous_state(struct task_struct *prev)
{
	struct task_struct___old *old = (void *)prev;

	if (bpf_core_field_exists(prev->__state))
		return prev->__state;
	return (u32)BPF_CORE_READ(old, state);
}

/* For programs on sched_switch, whose arguments are in `ctx`. */
#define SWITCH_STATE() (switch_has_state_argument ? (u32)ctx[3] : previous_state(prev))

#endif
