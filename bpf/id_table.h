/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Reads the id table of a pid namespace: struct pid_namespace.idr, a radix tree. */
#ifndef FXR_ID_TABLE_H
#define FXR_ID_TABLE_H

#include "common.h"

/* Levels of a radix tree of 22-bit ids with 16 slots per node (CONFIG_BASE_SMALL). */
#define MAX_TREE_DEPTH 6
#define PIDTYPE_PID 0 /* include/linux/pid_types.h */

/* A pid has one number for each namespace that contains it, the initial one first. */
static __always_inline struct upid *pid_number(struct pid *pid, u32 level)
{
	return (void *)pid + bpf_core_field_offset(pid->numbers) +
	       level * bpf_core_type_size(struct upid);
}

/* include/linux/xarray.h: xa_is_node, xa_to_node */
static __always_inline bool is_node(u64 entry)
{
	return (entry & 3) == 2 && entry > 4096;
}

static __always_inline struct xa_node *to_node(u64 entry)
{
	return (struct xa_node *)(entry - 2);
}

static __always_inline struct task_struct *task_of(struct pid *pid)
{
	struct hlist_node *first = BPF_CORE_READ(pid, tasks[PIDTYPE_PID].first);

	if (!first)
		return NULL;
	return (void *)first - bpf_core_field_offset(((struct task_struct *)0)->pid_links);
}

/* Returns the entry of the node's slot for this id; `shift` is the node's. */
static __always_inline u64 entry_at(struct xa_node *node, u32 slots, u32 shift, u32 id)
{
	u64 entry = 0;

	bpf_probe_read_kernel(&entry, sizeof(entry),
			      (void *)node + bpf_core_field_offset(((struct xa_node *)0)->slots) +
				      ((id >> shift) & (slots - 1)) * sizeof(void *));
	return entry;
}

/* Returns the address of the task that has this id in the namespace of `task`, else 0. */
static __always_inline u64 find_task(struct task_struct *task, u32 id)
{
	struct pid *own = BPF_CORE_READ(task, thread_pid);
	struct xa_node *node;
	u32 slots, level;
	u64 entry;

	if (!own)
		return 0;
	level = BPF_CORE_READ(own, level);
	entry = (u64)BPF_CORE_READ(pid_number(own, level), ns, idr.idr_rt.xa_head);
	if (!is_node(entry))
		return 0;
	slots = bpf_core_field_size(((struct xa_node *)0)->slots) / sizeof(void *);
	if (id >> (BPF_CORE_READ(to_node(entry), shift) & 31) >= slots)
		return 0;
	for (int depth = 0; depth < MAX_TREE_DEPTH && is_node(entry); depth++) {
		node = to_node(entry);
		entry = entry_at(node, slots, BPF_CORE_READ(node, shift) & 31, id);
	}
	if (!entry || entry & 3)
		return 0;
	return (u64)task_of((struct pid *)entry);
}

#endif
