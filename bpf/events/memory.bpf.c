// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Categories `oom` and `reclaim`: OOM victims and direct reclaim. */
#include "common.h"
#include "filter.h"
#include "ring.h"

/* Early kernels of each series pass the pid and not the task. */
const volatile fxr_u8 oom_has_task_argument = 0;
/* 7.0 passes the flags first. */
const volatile fxr_u8 reclaim_flags_are_first = 0;

static __always_inline int on_victim(enum claim claim, u64 victim)
{
	struct fxr_oom_victim_body body = {.tid = bpf_get_current_pid_tgid()};
	struct task_struct *task = (struct task_struct *)victim;

	if (oom_has_task_argument) {
		if (filter_is_on && !task_selected(task) && !current_selected())
			return 0;
		body.victim = BPF_CORE_READ(task, pid);
	} else {
		if (!current_selected())
			return 0;
		body.victim = victim & FXR_TID_MASK;
	}
	emit_slot(claim, FXR_CATEGORY_OOM, FXR_SLOT_OOM_VICTIM, fxr_pack_oom_victim(body));
	return 0;
}

SLOT_PROGRAM(mark_victim, on_victim(claim, victim), u64 victim)

static __always_inline int on_begin(enum claim claim, bool is_memcg, u32 first, u32 second)
{
	struct fxr_reclaim_begin_body body = {
		.is_memcg = is_memcg,
		.order = (reclaim_flags_are_first ? second : first) & 0xff,
		.flags = reclaim_flags_are_first ? first : second,
	};

	if (!current_selected())
		return 0;
	body.tid = bpf_get_current_pid_tgid();
	emit_slot(claim, FXR_CATEGORY_RECLAIM, FXR_SLOT_RECLAIM_BEGIN,
		  fxr_pack_reclaim_begin(body));
	return 0;
}

static __always_inline int on_end(enum claim claim, bool is_memcg, u64 pages)
{
	struct fxr_reclaim_end_body body = {
		.is_memcg = is_memcg,
		.pages = pages & ((1ULL << 40) - 1),
	};

	if (!current_selected())
		return 0;
	body.tid = bpf_get_current_pid_tgid();
	emit_slot(claim, FXR_CATEGORY_RECLAIM, FXR_SLOT_RECLAIM_END, fxr_pack_reclaim_end(body));
	return 0;
}

SLOT_PROGRAM(mm_vmscan_direct_reclaim_begin, on_begin(claim, false, first, second), u32 first,
	     u32 second)
SLOT_PROGRAM(mm_vmscan_direct_reclaim_end, on_end(claim, false, pages), u64 pages)
SLOT_PROGRAM(mm_vmscan_memcg_reclaim_begin, on_begin(claim, true, first, second), u32 first,
	     u32 second)
SLOT_PROGRAM(mm_vmscan_memcg_reclaim_end, on_end(claim, true, pages), u64 pages)

char LICENSE[] SEC("license") = "Dual BSD/GPL";
