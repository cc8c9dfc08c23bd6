// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Category `lock`: waits for contended kernel locks. */
#include "common.h"
#include "filter.h"
#include "ring.h"

/* include/trace/events/lock.h */
#define LCB_F_SPIN 1
#define LCB_F_READ 2
#define LCB_F_WRITE 4
#define LCB_F_RT 8
#define LCB_F_PERCPU 16
#define LCB_F_MUTEX 32

#define LOCK_ADDRESS_SHIFT 2

static __always_inline enum fxr_lock_kind kind_of(u32 flags)
{
	if (flags & LCB_F_MUTEX)
		return FXR_LOCK_MUTEX;
	if (flags & LCB_F_PERCPU)
		return flags & LCB_F_WRITE ? FXR_LOCK_PERCPU_RWSEM_WRITE :
					     FXR_LOCK_PERCPU_RWSEM_READ;
	if (flags & LCB_F_SPIN) {
		if (flags & LCB_F_READ)
			return FXR_LOCK_RWLOCK_READ;
		return flags & LCB_F_WRITE ? FXR_LOCK_RWLOCK_WRITE : FXR_LOCK_SPINLOCK;
	}
	if (flags & LCB_F_READ)
		return FXR_LOCK_RWSEM_READ;
	if (flags & LCB_F_WRITE)
		return FXR_LOCK_RWSEM_WRITE;
	return flags & LCB_F_RT ? FXR_LOCK_RT_MUTEX : FXR_LOCK_OTHER;
}

static __always_inline int on_begin(enum claim claim, u64 lock, u32 flags)
{
	struct fxr_lock_begin_body body = {
		.lock = (s64)lock >> LOCK_ADDRESS_SHIFT,
		.kind = kind_of(flags),
	};

	if (!current_selected())
		return 0;
	body.tid = bpf_get_current_pid_tgid();
	emit_slot(claim, FXR_CATEGORY_LOCK, FXR_SLOT_LOCK_BEGIN, fxr_pack_lock_begin(body));
	return 0;
}

static __always_inline int on_end(enum claim claim, u64 lock, int result)
{
	struct fxr_lock_end_body body = {
		.lock = (s64)lock >> LOCK_ADDRESS_SHIFT,
		.failed = result != 0,
	};

	if (!current_selected())
		return 0;
	body.tid = bpf_get_current_pid_tgid();
	emit_slot(claim, FXR_CATEGORY_LOCK, FXR_SLOT_LOCK_END, fxr_pack_lock_end(body));
	return 0;
}

SLOT_PROGRAM(contention_begin, on_begin(claim, lock, flags), u64 lock, u32 flags)
SLOT_PROGRAM(contention_end, on_end(claim, lock, result), u64 lock, int result)

char LICENSE[] SEC("license") = "Dual BSD/GPL";
