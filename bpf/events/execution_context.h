/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The execution context of a program: CPU, task and interrupt level. */
#ifndef FXR_EXECUTION_CONTEXT_H
#define FXR_EXECUTION_CONTEXT_H

#include "common.h"
#include "context.h"
#include "filter.h"
#include "ring.h"

struct execution_context {
	struct fxr_ring_control *ring;
	u32 cpu;
	u32 tid; /* 0 in an interrupt and for the idle task */
	bool in_interrupt;
};

/* Returns false if the filter excludes the current task. */
static __always_inline bool find_execution_context(struct execution_context *here)
{
	if (!current_selected())
		return false;
	here->ring = this_ring(&here->cpu);
	if (!here->ring) /* impossible: every possible CPU has a control */
		return false;
	here->in_interrupt = in_interrupt_context(here->ring, here->cpu);
	here->tid = here->in_interrupt ? 0 : (u32)bpf_get_current_pid_tgid();
	return true;
}

static __always_inline void emit_here(enum claim claim, const struct execution_context *here,
				      enum fxr_category category, enum fxr_slot_type type,
				      struct fxr_payload payload)
{
	emit_slot_into(here->ring, here->cpu, claim, category, type, payload);
}

#endif
