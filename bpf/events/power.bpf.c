// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Category `power`: frequency and idle state of CPUs. They belong to no task, so no filter
 * applies.
 */
#include "common.h"
#include "ring.h"

static __always_inline int on_power(enum claim claim, enum fxr_slot_type type, u32 value, u32 cpu)
{
	struct fxr_cpu_idle_body body = {.cpu = cpu & 0x1fff, .value = value};

	emit_slot(claim, FXR_CATEGORY_POWER, type, fxr_pack_cpu_idle(body));
	return 0;
}

SLOT_PROGRAM(cpu_frequency, on_power(claim, FXR_SLOT_CPU_FREQUENCY, frequency, cpu), u32 frequency,
	     u32 cpu)

SLOT_PROGRAM(cpu_idle, on_power(claim, FXR_SLOT_CPU_IDLE, state, cpu), u32 state, u32 cpu)

char LICENSE[] SEC("license") = "Dual BSD/GPL";
