/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Tasks whose cgroup has used up its quota (CPU bandwidth control): when they leave their CPU for
 * that, and when the group got quota again. No tracepoint says either.
 *
 * Since 6.18 a task of a throttled group leaves the CPU on its way to user space, with
 * task_struct.throttled set. Before, the group as a whole leaves the CPU, and throttle_count says
 * so of its runqueue. The end is seen when the task comes back: by then its group's runqueue has
 * added the time to a sum, exact since 6.6.
 */
#ifndef FXR_THROTTLE_H
#define FXR_THROTTLE_H

#include "common.h"
#include "filter.h"
#include "fxt_record/long_event.h"
#include "ring.h"

#define MAX_RT_PRIO 100   /* include/linux/sched/prio.h */
#define MAX_GROUP_DEPTH 8 /* levels that are searched for the group with the quota */

struct throttled_task {
	u64 cfs_rq; /* address of its group's runqueue */
	u64 begin;  /* ns of CLOCK_MONOTONIC */
	u64 late;   /* ns for which the runqueue was throttled before `begin` already */
	u64 sum;    /* of ns for which the runqueue was throttled, up to the last end */
	u64 cgroup;
	u64 quota;
	u64 period;
	u32 hierarchy;
};

/* By thread id. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 2048);
	__type(key, u32);
	__type(value, struct throttled_task);
} throttled_tasks SEC(".maps");

/* Entries of throttled_tasks. While there is none, a switch pays for nothing else. */
fxr_u64 throttled_count = 0;

/* `prev` is runnable and leaves its CPU. */
static __always_inline bool is_throttled(struct task_struct *prev)
{
	if (bpf_core_field_exists(prev->throttled))
		return prev->throttled;
	/* Real-time tasks have a group, too, whose quota is not theirs. */
	if (prev->prio >= MAX_RT_PRIO && bpf_core_field_exists(struct cfs_rq, throttle_count) &&
	    bpf_core_field_exists(struct sched_entity, cfs_rq))
		return prev->se.cfs_rq->throttle_count != 0;
	return false;
}

static __always_inline u64 throttled_sum(struct cfs_rq *cfs_rq)
{
	if (bpf_core_field_exists(cfs_rq->throttled_clock_self_time))
		return BPF_CORE_READ(cfs_rq, throttled_clock_self_time);
	if (bpf_core_field_exists(cfs_rq->throttled_clock_task_time))
		return BPF_CORE_READ(cfs_rq, throttled_clock_task_time);
	if (bpf_core_field_exists(cfs_rq->throttled_clock_pelt_time))
		return BPF_CORE_READ(cfs_rq, throttled_clock_pelt_time);
	return 0;
}

/* Finds the nearest group whose own quota is used up. */
static __always_inline void find_throttled_group(struct sched_entity *entity,
						 struct throttled_task *found)
{
	for (int depth = 0; depth < MAX_GROUP_DEPTH && entity; depth++) {
		struct cfs_rq *cfs_rq = BPF_CORE_READ(entity, cfs_rq);

		if (BPF_CORE_READ_BITFIELD_PROBED(cfs_rq, throttled)) {
			struct task_group *group = BPF_CORE_READ(cfs_rq, tg);

			found->cgroup = BPF_CORE_READ(group, css.cgroup, kn, id);
			found->hierarchy = BPF_CORE_READ(group, css.cgroup, root, hierarchy_id);
			found->quota = BPF_CORE_READ(group, cfs_bandwidth.quota);
			found->period = BPF_CORE_READ(group, cfs_bandwidth.period);
			return;
		}
		entity = BPF_CORE_READ(entity, parent);
	}
}

/* Returns false if there is no room to remember the task. */
static __noinline bool begin_throttle(struct task_struct *prev)
{
	struct throttled_task task = {.begin = bpf_ktime_get_ns()};
	struct cfs_rq *cfs_rq;
	u32 tid;

	if (!prev || !bpf_core_field_exists(struct cfs_rq, throttled))
		return false;
	tid = BPF_CORE_READ(prev, pid);
	cfs_rq = BPF_CORE_READ(prev, se.cfs_rq);
	task.cfs_rq = (u64)cfs_rq;
	task.sum = throttled_sum(cfs_rq);
	if (bpf_core_field_exists(cfs_rq->throttled_clock_self)) {
		u64 since = BPF_CORE_READ(cfs_rq, throttled_clock_self);
		u64 clock = BPF_CORE_READ(cfs_rq, rq, clock);

		/* Another task of the group was throttled first. */
		if (since && clock > since)
			task.late = clock - since;
	}
	find_throttled_group(&prev->se, &task);
	if (bpf_map_update_elem(&throttled_tasks, &tid, &task, BPF_ANY))
		return false;
	__sync_fetch_and_add(&throttled_count, 1);
	return true;
}

/* `next` comes to its CPU. Emits the time for which it was throttled, if it was. */
static __noinline int end_throttle(struct task_struct *next)
{
	struct fxr_throttled_long fields = {};
	struct throttled_task *task;
	struct fxr_long *event;
	u64 now, length;
	u32 tid;

	if (!next)
		return 0;
	tid = BPF_CORE_READ(next, pid);
	task = bpf_map_lookup_elem(&throttled_tasks, &tid);
	if (!task)
		return 0;
	now = bpf_ktime_get_ns();
	fields.tid = tid;
	fields.begin = task->begin;
	fields.end = now;
	fields.cgroup = task->cgroup;
	fields.hierarchy = task->hierarchy;
	fields.quota = task->quota;
	fields.period = task->period;
	/* On another runqueue the sum is another one. */
	if (task->cfs_rq == (u64)BPF_CORE_READ(next, se.cfs_rq)) {
		length = throttled_sum((struct cfs_rq *)task->cfs_rq) - task->sum;
		if (length > task->late && length - task->late < now - task->begin)
			fields.end = task->begin + (length - task->late);
	}
	bpf_map_delete_elem(&throttled_tasks, &tid);
	__sync_fetch_and_add(&throttled_count, -1);
	event = long_reserve(FXR_LONG_SIZE(throttled, 0), FXR_CATEGORY_SCHED);
	if (!event)
		return 0;
	fxr_pack_throttled(event, fields, 0);
	side_submit(event);
	return 0;
}

#endif
