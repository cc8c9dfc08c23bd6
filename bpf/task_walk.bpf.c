// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Iterates over all tasks, or looks one up by id, on request of the collector
 * (include/fxt_record/task_walk.h). The kernel's task iterator shows only the tasks of the
 * caller's pid namespace. So this reads the id table of a namespace (struct
 * pid_namespace.idr, a radix tree), by default that of the initial namespace. The cursor
 * is an id and not a list position: tasks may come and go between two runs.
 */
#include "common.h"
#include "fxt_record/task_walk.h"
#include "id_table.h"
#include "task_identity.h"

#define MAX_SLOTS 16 /* slots per step; the verifier walks all of them */
#define MAX_STEPS 32 /* run() does the square of it */

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct fxr_task_walk);
} task_walk SEC(".maps");

static __always_inline struct fxr_task_walk *this_walk(void)
{
	u32 zero = 0;

	return bpf_map_lookup_elem(&task_walk, &zero);
}

static __always_inline u32 number_in(struct pid *pid, struct pid *own, u32 level)
{
	if (level > BPF_CORE_READ(pid, level) ||
	    BPF_CORE_READ(pid_number(pid, level), ns) != BPF_CORE_READ(pid_number(own, level), ns))
		return 0;
	return BPF_CORE_READ(pid_number(pid, level), nr);
}

/*
 * Adds the task with this id, if there is one. Returns the next id to visit, 0 after the
 * last. A global function, so that the verifier checks it once and not at each call.
 */
__noinline u32 walk_step(u32 id)
{
	struct fxr_task_walk *walk = this_walk();
	struct fxr_walked_task *walked;
	struct task_struct *task;
	struct xa_node *node = NULL;
	u32 slots, shift, level, count;
	struct pid *own;
	u64 entry;

	if (!walk)
		return 0;
	task = (struct task_struct *)bpf_get_current_task();
	own = BPF_CORE_READ(task, thread_pid);
	level = walk->level;
	if (!own || level > BPF_CORE_READ(own, level))
		return 0;
	entry = (u64)BPF_CORE_READ(pid_number(own, level), ns, idr.idr_rt.xa_head);
	if (!is_node(entry))
		return 0;
	slots = bpf_core_field_size(((struct xa_node *)0)->slots) / sizeof(void *);
	if (id >> BPF_CORE_READ(to_node(entry), shift) >= slots)
		return 0;
	shift = 0;
	for (int depth = 0; depth < MAX_TREE_DEPTH && is_node(entry); depth++) {
		node = to_node(entry);
		shift = BPF_CORE_READ(node, shift) & 31;
		entry = entry_at(node, slots, shift, id);
	}
	/*
	 * Most ids are free. Scanning the slots is faster than a new descent from the root
	 * per id.
	 */
	for (int step = 0; step < MAX_SLOTS && !entry; step++) {
		/* No id below this slot is in use. */
		id = ((id >> shift) + 1) << shift;
		if (!((id >> shift) & (slots - 1)))
			return id;
		entry = entry_at(node, slots, shift, id);
		if (entry || step == MAX_SLOTS - 1)
			return id;
	}
	if (entry & 3) /* the tree is being changed: retry */
		return id;
	task = task_of((struct pid *)entry);
	count = walk->count;
	if (!task || count >= FXR_WALK_TASKS)
		return id + 1;
	walked = &walk->tasks[count];
	walk->count = count + 1;
	walked->task.header.time = bpf_ktime_get_ns();
	walked->task.header.type = FXR_SIDE_FORK;
	walked->task.header.cpu = 0;
	walked->task.header.size = sizeof(walked->task);
	fill_task(&walked->task, task);
	walked->task.creator = 0;
	walked->task.pad = 0;
	walked->number = number_in((struct pid *)entry, own, walk->number_level);
	walked->pad = 0;
	return id + 1;
}

/* A global function too: the verifier checks each of two nested loops once. */
__noinline u32 walk_steps(u32 next)
{
	struct fxr_task_walk *walk = this_walk();

	if (!walk)
		return 0;
	for (int step = 0; step < MAX_STEPS; step++) {
		if (!next || next > walk->last || walk->count >= FXR_WALK_TASKS)
			break;
		next = walk_step(next);
	}
	return next;
}

SEC("raw_tp")
int walk_tasks(void *ctx)
{
	struct task_struct *task = (struct task_struct *)bpf_get_current_task();
	struct fxr_task_walk *walk = this_walk();
	u32 next;

	if (!walk)
		return 0;
	walk->own_level = BPF_CORE_READ(task, thread_pid, level);
	walk->count = 0;
	next = walk->next;
	for (int round = 0; round < MAX_STEPS; round++) {
		if (!next || next > walk->last || walk->count >= FXR_WALK_TASKS)
			break;
		next = walk_steps(next);
	}
	walk->next = next;
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
