// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Category `task`: task identity. Sent once at fork, on each change (exec, rename) and at
 * exit; never per scheduling event. Also sent for tasks that the filter excludes, with
 * FXR_SIDE_NAMES_ONLY: the other side of a switch needs a name too.
 */
#include "common.h"
#include "filter.h"
#include "ring.h"
#include "task_identity.h"

static __always_inline u8 names_only(bool selected)
{
	return selected ? 0 : FXR_SIDE_NAMES_ONLY;
}

static __always_inline int on_fork(struct task_struct *parent, struct task_struct *child)
{
	bool selected = true;
	struct fxr_task *event;

	follow_child(parent, child);
	if (filter_is_on)
		selected = task_selected(parent) || task_selected(child);
	event = side_reserve(sizeof(*event), FXR_SIDE_FORK, FXR_CATEGORY_TASK);
	if (!event)
		return 0;
	event->header.flags = names_only(selected);
	fill_task(event, child);
	event->creator = parent->pid;
	event->pad = 0;
	side_submit(event);
	return 0;
}

/*
 * Sends an exec event with room for `most` bytes of command line; `length` is the length
 * of the whole command line.
 */
static __always_inline int send_exec(struct task_struct *task, pid_t old_pid,
				     struct linux_binprm *bprm, u64 start, u64 length, u64 most)
{
	struct fxr_exec *event;
	bool selected = true;
	u64 size;

	if (filter_is_on)
		selected = task_selected(task);
	event = side_reserve(sizeof(*event) + most, FXR_SIDE_EXEC, FXR_CATEGORY_TASK);
	if (!event)
		return 0;
	event->header.flags = names_only(selected);
	event->tid = task->pid;
	event->tgid = task->tgid;
	event->old_tid = old_pid;
	event->uid = task_uid(task);
	event->cgroup = task_cgroup(task);
	BPF_CORE_READ_INTO(&event->comm, task, comm);
	event->filename[0] = 0;
	bpf_probe_read_kernel_str(event->filename, sizeof(event->filename),
				  BPF_CORE_READ(bprm, filename));
	size = CUT_SIZE(length, most);
	event->cmdline_length = length;
	event->cmdline_size = size;
	if (bpf_probe_read_user(event->cmdline, size, (void *)start))
		event->cmdline_size = 0;
	side_submit(event);
	return 0;
}

/*
 * Ring buffer reservations need a constant size. Nearly all command lines are short, and a
 * burst of execs has to fit, so there are three sizes.
 */
static __always_inline int on_exec(struct task_struct *task, pid_t old_pid,
				   struct linux_binprm *bprm)
{
	u64 start = BPF_CORE_READ(task, mm, arg_start);
	u64 end = BPF_CORE_READ(task, mm, arg_end);
	u64 length = end > start ? end - start : 0;

	follow_new_tid(old_pid, task->pid);
	if (length <= 256)
		return send_exec(task, old_pid, bprm, start, length, 256);
	if (length <= 1024)
		return send_exec(task, old_pid, bprm, start, length, 1024);
	return send_exec(task, old_pid, bprm, start, length, FXR_CMDLINE_BYTES);
}

/* A task that takes or drops a selected comm counts as selected during the rename. */
static __always_inline bool rename_selected(struct task_struct *task, const char *comm)
{
	struct comm_key key = {};

	if (task_selected(task))
		return true;
	if (!filter_by_comm)
		return false;
	bpf_probe_read_kernel_str(key.comm, sizeof(key.comm), comm);
	return bpf_map_lookup_elem(&filter_comms, &key) != NULL;
}

static __always_inline int on_rename(struct task_struct *task, const char *comm)
{
	bool selected = true;
	struct fxr_rename *event;

	if (filter_is_on)
		selected = rename_selected(task, comm);
	event = side_reserve(sizeof(*event), FXR_SIDE_RENAME, FXR_CATEGORY_TASK);
	if (!event)
		return 0;
	event->header.flags = names_only(selected);
	event->tid = task->pid;
	event->tgid = task->tgid;
	event->uid = task_uid(task);
	event->pad = 0;
	__builtin_memset(event->comm, 0, sizeof(event->comm));
	bpf_probe_read_kernel_str(event->comm, sizeof(event->comm), comm);
	read_full_name(task, event->full_name);
	side_submit(event);
	return 0;
}

static __always_inline int on_exit(struct task_struct *task)
{
	bool selected = true;
	struct fxr_exit *event;

	if (filter_is_on)
		selected = task_selected(task);
	event = side_reserve(sizeof(*event), FXR_SIDE_EXIT, FXR_CATEGORY_TASK);
	if (!event)
		return 0;
	event->header.flags = names_only(selected);
	event->tid = task->pid;
	event->tgid = task->tgid;
	event->exit_code = task->exit_code;
	event->uid = task_uid(task);
	side_submit(event);
	return 0;
}

/*
 * Since 7.0 these tracepoints are preemptible. A preempted program counts as running on
 * its CPU, so the kernel skips it for every other task there until it ends. Each program
 * therefore has three stand-ins (FOO_2 to FOO_4, loaded on those kernels only). The first
 * of the four that runs does the work and leaves a mark; the last removes it. If all four
 * are held up the event is lost and counted. A mark can stay behind when the last program
 * is skipped, so it holds values that identify its event.
 */
const volatile fxr_u8 programs_have_stand_ins = 0;

struct mark {
	u32 tid;
	u32 type;
	u64 peculiar;
};

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 1);
	__type(key, struct mark);
	__type(value, u8);
} marks SEC(".maps");

static __always_inline struct mark this_mark(u32 type, u64 peculiar)
{
	return (struct mark){
		.tid = (u32)bpf_get_current_pid_tgid(), .type = type, .peculiar = peculiar};
}

static __always_inline struct mark fork_mark(struct task_struct *child)
{
	return this_mark(FXR_SIDE_FORK, BPF_CORE_READ(child, start_boottime) ^ (u64)child->pid << 40);
}

static __always_inline struct mark exec_mark(struct task_struct *task)
{
	return this_mark(FXR_SIDE_EXEC, (u64)BPF_CORE_READ(task, mm));
}

static __always_inline struct mark rename_mark(struct task_struct *task, const char *comm)
{
	u64 name[FXR_COMM_BYTES / 8] = {};

	bpf_probe_read_kernel_str(name, sizeof(name), comm);
	return this_mark(FXR_SIDE_RENAME,
			 BPF_CORE_READ(task, start_boottime) ^ name[0] ^ name[1] << 1);
}

static __always_inline struct mark exit_mark(struct task_struct *task)
{
	return this_mark(FXR_SIDE_EXIT, BPF_CORE_READ(task, start_boottime));
}

static __always_inline void leave_mark(struct mark mark)
{
	u8 present = 1;

	if (programs_have_stand_ins)
		bpf_map_update_elem(&marks, &mark, &present, BPF_ANY);
}

static __always_inline bool stands_in(struct mark mark, bool is_last)
{
	struct fxr_ring_control *ring;
	u32 cpu;

	if (is_last) {
		if (!bpf_map_delete_elem(&marks, &mark))
			return false;
	} else {
		if (bpf_map_lookup_elem(&marks, &mark))
			return false;
		leave_mark(mark);
	}
	ring = this_ring(&cpu);
	if (ring)
		__sync_fetch_and_add(&ring->substituted, 1);
	return true;
}

SEC("tp_btf/sched_process_fork")
int BPF_PROG(sched_process_fork, struct task_struct *parent, struct task_struct *child)
{
	leave_mark(fork_mark(child));
	return on_fork(parent, child);
}

#define FORK_STAND_IN(suffix, is_last)                                                          \
	SEC("tp_btf/sched_process_fork")                                                        \
	int BPF_PROG(sched_process_fork##suffix, struct task_struct *parent,                    \
		     struct task_struct *child)                                                 \
	{                                                                                       \
		return stands_in(fork_mark(child), is_last) ? on_fork(parent, child) : 0;          \
	}

FORK_STAND_IN(_2, false)
FORK_STAND_IN(_3, false)
FORK_STAND_IN(_4, true)

SEC("tp_btf/sched_process_exec")
int BPF_PROG(sched_process_exec, struct task_struct *task, pid_t old_pid,
	     struct linux_binprm *bprm)
{
	leave_mark(exec_mark(task));
	return on_exec(task, old_pid, bprm);
}

#define EXEC_STAND_IN(suffix, is_last)                                                          \
	SEC("tp_btf/sched_process_exec")                                                        \
	int BPF_PROG(sched_process_exec##suffix, struct task_struct *task, pid_t old_pid,       \
		     struct linux_binprm *bprm)                                                 \
	{                                                                                       \
		return stands_in(exec_mark(task), is_last) ? on_exec(task, old_pid, bprm) : 0;    \
	}

EXEC_STAND_IN(_2, false)
EXEC_STAND_IN(_3, false)
EXEC_STAND_IN(_4, true)

SEC("tp_btf/task_rename")
int BPF_PROG(task_rename, struct task_struct *task, const char *comm)
{
	leave_mark(rename_mark(task, comm));
	return on_rename(task, comm);
}

#define RENAME_STAND_IN(suffix, is_last)                                                        \
	SEC("tp_btf/task_rename")                                                               \
	int BPF_PROG(task_rename##suffix, struct task_struct *task, const char *comm)           \
	{                                                                                       \
		return stands_in(rename_mark(task, comm), is_last) ? on_rename(task, comm) : 0;         \
	}

RENAME_STAND_IN(_2, false)
RENAME_STAND_IN(_3, false)
RENAME_STAND_IN(_4, true)

SEC("tp_btf/sched_process_exit")
int BPF_PROG(sched_process_exit, struct task_struct *task)
{
	leave_mark(exit_mark(task));
	return on_exit(task);
}

#define EXIT_STAND_IN(suffix, is_last)                                                          \
	SEC("tp_btf/sched_process_exit")                                                        \
	int BPF_PROG(sched_process_exit##suffix, struct task_struct *task)                      \
	{                                                                                       \
		return stands_in(exit_mark(task), is_last) ? on_exit(task) : 0;                   \
	}

EXIT_STAND_IN(_2, false)
EXIT_STAND_IN(_3, false)
EXIT_STAND_IN(_4, true)

/*
 * A move of a process or thread to another cgroup. The kernel calls this tracepoint with
 * interrupts off, also since 7.0, so it needs no stand-in.
 */
SEC("tp_btf/cgroup_attach_task")
int BPF_PROG(cgroup_attach_task, struct cgroup *destination, const char *path,
	     struct task_struct *task)
{
	struct fxr_cgroup *event;

	event = side_reserve(sizeof(*event), FXR_SIDE_CGROUP, FXR_CATEGORY_TASK);
	if (!event)
		return 0;
	event->tid = BPF_CORE_READ(task, pid);
	event->tgid = BPF_CORE_READ(task, tgid);
	/* in the default hierarchy, whichever hierarchy the move was in */
	event->cgroup = task_cgroup(task);
	side_submit(event);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
