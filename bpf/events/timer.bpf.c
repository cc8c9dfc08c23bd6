// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Category `timer`: timers and hrtimers that expire, by function. */
#include "event_types.h"

#include "common.h"
#include "filter.h"
#include "ring.h"

static __always_inline int on_entry(enum claim claim, bool is_hrtimer, void *function)
{
	struct fxr_timer_entry_body body = {.is_hrtimer = is_hrtimer, .function = (u64)function};

	if (!current_selected())
		return 0;
	emit_slot(claim, FXR_CATEGORY_TIMER, FXR_SLOT_TIMER_ENTRY, fxr_pack_timer_entry(body));
	return 0;
}

/* The timer itself may be freed already. */
static __always_inline int on_exit(enum claim claim, bool is_hrtimer)
{
	struct fxr_timer_exit_body body = {.is_hrtimer = is_hrtimer};

	if (!current_selected())
		return 0;
	emit_slot(claim, FXR_CATEGORY_TIMER, FXR_SLOT_TIMER_EXIT, fxr_pack_timer_exit(body));
	return 0;
}

SLOT_PROGRAM(timer_expire_entry, on_entry(claim, false, BPF_CORE_READ(timer, function)),
	     struct timer_list *timer)
SLOT_PROGRAM(timer_expire_exit, on_exit(claim, false), void *timer)
SLOT_PROGRAM(hrtimer_expire_entry, on_entry(claim, true, BPF_CORE_READ(timer, function)),
	     struct hrtimer *timer)
SLOT_PROGRAM(hrtimer_expire_exit, on_exit(claim, true), void *timer)

char LICENSE[] SEC("license") = "Dual BSD/GPL";
