/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The task filter. Several filters are a union: a task passes if any of them selects it. A
 * cgroup selects its descendants too. A followed task passes, and so do its children: fork
 * decides that. Without a filter the verifier removes all of this.
 */
#ifndef FXR_FILTER_H
#define FXR_FILTER_H

#include "common.h"

struct filter_id_map {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1024);
	__type(key, u32);
	__type(value, u8);
};
extern struct filter_id_map filter_tids SEC(".maps");
extern struct filter_id_map filter_tgids SEC(".maps");

struct comm_key {
	char comm[FXR_COMM_BYTES];
};
struct filter_comm_map {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1024);
	__type(key, struct comm_key);
	__type(value, u8);
};
extern struct filter_comm_map filter_comms SEC(".maps");

struct filter_cgroup_map {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1024);
	__type(key, u64);
	__type(value, u8);
};
extern struct filter_cgroup_map filter_cgroups SEC(".maps");

struct followed_task_map {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct fxr_followed_page);
};
extern struct followed_task_map followed_tasks SEC(".maps");

/* True if any of the following is set. Each costs a load even where it is known to be 0. */
extern const volatile fxr_u8 filter_is_on;
extern const volatile fxr_u8 filter_by_tid;
extern const volatile fxr_u8 filter_by_tgid;
extern const volatile fxr_u8 filter_by_comm;
extern const volatile fxr_u8 filter_by_cgroup;
extern const volatile fxr_u8 filter_by_followed;
/* Tasks that are selected by thread id, process id or comm become followed tasks. */
extern const volatile fxr_u8 follow_named;

#define MAX_CGROUP_DEPTH 24

/* Returns the byte that says whether the task is followed. */
static __always_inline u8 *followed_byte(u32 tid)
{
	struct fxr_followed_page *page;
	u32 index = tid >> FXR_FOLLOWED_SHIFT;

	page = bpf_map_lookup_elem(&followed_tasks, &index);
	return page ? &page->tasks[tid & ((1 << FXR_FOLLOWED_SHIFT) - 1)] : NULL;
}

static __always_inline bool task_followed(u32 tid)
{
	u8 *byte = followed_byte(tid);

	return byte && READ_ONCE(*byte);
}

static __always_inline u64 task_cgroup(struct task_struct *task)
{
	return BPF_CORE_READ(task, cgroups, dfl_cgrp, kn, id);
}

static __noinline bool cgroup_selected(struct task_struct *task)
{
	struct cgroup_subsys_state *css;
	struct cgroup *cgroup;

	if (!task)
		return false;
	cgroup = BPF_CORE_READ(task, cgroups, dfl_cgrp);
	for (int depth = 0; depth < MAX_CGROUP_DEPTH && cgroup; depth++) {
		u64 id = BPF_CORE_READ(cgroup, kn, id);

		if (bpf_map_lookup_elem(&filter_cgroups, &id))
			return true;
		css = BPF_CORE_READ(cgroup, self.parent);
		/* `self` is the first member of struct cgroup. */
		cgroup = (struct cgroup *)css;
	}
	return false;
}

static __always_inline bool task_named(struct task_struct *task)
{
	if (filter_by_tid) {
		u32 tid = BPF_CORE_READ(task, pid);

		if (bpf_map_lookup_elem(&filter_tids, &tid))
			return true;
	}
	if (filter_by_tgid) {
		u32 tgid = BPF_CORE_READ(task, tgid);

		if (bpf_map_lookup_elem(&filter_tgids, &tgid))
			return true;
	}
	if (filter_by_comm) {
		struct comm_key key = {};

		BPF_CORE_READ_STR_INTO(&key.comm, task, comm);
		if (bpf_map_lookup_elem(&filter_comms, &key))
			return true;
	}
	return false;
}

/* `task` is a tracepoint argument or the current task. */
static __always_inline bool task_selected(struct task_struct *task)
{
	if (filter_by_followed && task_followed(BPF_CORE_READ(task, pid)))
		return true;
	if (task_named(task))
		return true;
	return filter_by_cgroup && cgroup_selected(task);
}

/* Must be called before the child can run. */
static __always_inline void follow_child(struct task_struct *parent, struct task_struct *child)
{
	u8 *byte;

	if (!filter_by_followed)
		return;
	byte = followed_byte(child->pid);
	if (byte)
		WRITE_ONCE(*byte, task_followed(parent->pid) || (follow_named && task_named(parent)));
}

/* A non-leader thread called exec and now has the leader's thread id. */
static __always_inline void follow_new_tid(u32 old_tid, u32 tid)
{
	u8 *byte;

	if (!filter_by_followed || old_tid == tid)
		return;
	byte = followed_byte(tid);
	if (byte)
		WRITE_ONCE(*byte, task_followed(old_tid));
}

static __always_inline bool current_selected(void)
{
	if (!filter_is_on)
		return true;
	return task_selected((struct task_struct *)bpf_get_current_task());
}

#endif
