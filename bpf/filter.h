/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Which tasks were asked for. Several filters are a union: a task passes when
 * any of them names it. A cgroup names its descendants too. Without a filter
 * nothing of this is left after loading.
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

extern const volatile fxr_u8 filter_by_tid;
extern const volatile fxr_u8 filter_by_tgid;
extern const volatile fxr_u8 filter_by_comm;
extern const volatile fxr_u8 filter_by_cgroup;

#define MAX_CGROUP_DEPTH 24

static __always_inline bool filter_is_on(void)
{
	return filter_by_tid || filter_by_tgid || filter_by_comm || filter_by_cgroup;
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
		/* `self` is the first member of struct cgroup */
		cgroup = (struct cgroup *)css;
	}
	return false;
}

/* `task` may be a tracepoint's argument or the current task. */
static __always_inline bool task_selected(struct task_struct *task)
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
	if (filter_by_cgroup && cgroup_selected(task))
		return true;
	return false;
}

static __always_inline bool current_selected(void)
{
	if (!filter_is_on())
		return true;
	return task_selected((struct task_struct *)bpf_get_current_task());
}

#endif
