// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Category `workqueue`: work items that are queued and executed. */
#include "event_types.h"
#include "execution_context.h"

static __always_inline int on_queue(enum claim claim, struct work_struct *work)
{
	struct fxr_work_queue_body body = {};
	struct execution_context here;

	if (!find_execution_context(&here))
		return 0;
	body.tid = here.tid;
	body.in_interrupt = here.in_interrupt;
	body.function = (u64)BPF_CORE_READ(work, func);
	emit_here(claim, &here, FXR_CATEGORY_WORKQUEUE, FXR_SLOT_WORK_QUEUE,
		  fxr_pack_work_queue(body));
	return 0;
}

SLOT_PROGRAM(workqueue_queue_work, on_queue(claim, work), int cpu, void *queue,
	     struct work_struct *work)

static __always_inline int on_execute(enum claim claim, enum fxr_slot_type type, u64 function)
{
	struct fxr_work_start_body body = {.function = function};

	if (!current_selected())
		return 0;
	body.tid = bpf_get_current_pid_tgid();
	emit_slot(claim, FXR_CATEGORY_WORKQUEUE, type, fxr_pack_work_start(body));
	return 0;
}

SLOT_PROGRAM(workqueue_execute_start,
	     on_execute(claim, FXR_SLOT_WORK_START, (u64)BPF_CORE_READ(work, func)),
	     struct work_struct *work)

/*
 * The work item may be freed already, and programs cannot read an argument that is a
 * function pointer.
 */
SLOT_PROGRAM(workqueue_execute_end, on_execute(claim, FXR_SLOT_WORK_END, 0), void *work)

char LICENSE[] SEC("license") = "Dual BSD/GPL";
