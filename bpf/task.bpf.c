// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Category `task`: who a task is. Sent once when it comes to be (fork), when it
 * changes (exec, rename) and when it goes (exit); never per event. Not filtered:
 * the other side of a switch needs its name too.
 */
#include "common.h"
#include "filter.h"
#include "ring.h"

#define PF_KTHREAD 0x00200000 /* include/linux/sched.h */

/* A kernel thread's whole name, when it did not fit into comm (5.17 and later). */
static __always_inline void read_full_name(struct task_struct *task, char *name)
{
	name[0] = 0;
	if (bpf_core_type_exists(struct kthread) &&
	    bpf_core_field_exists(((struct kthread *)0)->full_name) &&
	    bpf_core_field_exists(task->worker_private)) {
		struct kthread *kthread;
		char *full_name;

		if (!(BPF_CORE_READ(task, flags) & PF_KTHREAD))
			return;
		kthread = BPF_CORE_READ(task, worker_private);
		if (!kthread)
			return;
		full_name = BPF_CORE_READ(kthread, full_name);
		if (full_name)
			bpf_probe_read_kernel_str(name, FXR_FULL_NAME_BYTES, full_name);
	}
}

static __always_inline void fill_task(struct fxr_task *event, struct task_struct *task)
{
	event->tid = BPF_CORE_READ(task, pid);
	event->tgid = BPF_CORE_READ(task, tgid);
	event->ppid = BPF_CORE_READ(task, real_parent, tgid);
	event->uid = BPF_CORE_READ(task, real_cred, uid.val);
	event->flags = BPF_CORE_READ(task, flags) & PF_KTHREAD ? FXR_TASK_KTHREAD : 0;
	event->priority = BPF_CORE_READ(task, prio);
	event->cgroup = task_cgroup(task);
	event->start_time = BPF_CORE_READ(task, start_boottime);
	BPF_CORE_READ_INTO(&event->comm, task, comm);
	read_full_name(task, event->full_name);
}

SEC("tp_btf/sched_process_fork")
int BPF_PROG(sched_process_fork, struct task_struct *parent, struct task_struct *child)
{
	struct fxr_task *event;

	event = side_reserve(sizeof(*event), FXR_SIDE_FORK, FXR_CATEGORY_TASK);
	if (!event)
		return 0;
	fill_task(event, child);
	event->creator = parent->pid;
	event->pad = 0;
	side_submit(event);
	return 0;
}

SEC("tp_btf/sched_process_exec")
int BPF_PROG(sched_process_exec, struct task_struct *task, pid_t old_pid,
	     struct linux_binprm *bprm)
{
	unsigned long start, end, size;
	struct fxr_exec *event;

	event = side_reserve(sizeof(*event), FXR_SIDE_EXEC, FXR_CATEGORY_TASK);
	if (!event)
		return 0;
	event->tid = task->pid;
	event->tgid = task->tgid;
	event->old_tid = old_pid;
	event->uid = BPF_CORE_READ(task, real_cred, uid.val);
	event->pad = 0;
	event->cgroup = task_cgroup(task);
	BPF_CORE_READ_INTO(&event->comm, task, comm);
	event->filename[0] = 0;
	bpf_probe_read_kernel_str(event->filename, sizeof(event->filename),
				  BPF_CORE_READ(bprm, filename));
	start = BPF_CORE_READ(task, mm, arg_start);
	end = BPF_CORE_READ(task, mm, arg_end);
	size = CUT_SIZE(end > start ? end - start : 0, sizeof(event->cmdline));
	event->cmdline_size = size;
	if (bpf_probe_read_user(event->cmdline, size, (void *)start))
		event->cmdline_size = 0;
	side_submit(event);
	return 0;
}

SEC("tp_btf/task_rename")
int BPF_PROG(task_rename, struct task_struct *task, const char *comm)
{
	struct fxr_rename *event;

	event = side_reserve(sizeof(*event), FXR_SIDE_RENAME, FXR_CATEGORY_TASK);
	if (!event)
		return 0;
	event->tid = task->pid;
	event->tgid = task->tgid;
	__builtin_memset(event->comm, 0, sizeof(event->comm));
	bpf_probe_read_kernel_str(event->comm, sizeof(event->comm), comm);
	read_full_name(task, event->full_name);
	side_submit(event);
	return 0;
}

SEC("tp_btf/sched_process_exit")
int BPF_PROG(sched_process_exit, struct task_struct *task)
{
	struct fxr_exit *event;

	event = side_reserve(sizeof(*event), FXR_SIDE_EXIT, FXR_CATEGORY_TASK);
	if (!event)
		return 0;
	event->tid = task->pid;
	event->tgid = task->tgid;
	event->exit_code = task->exit_code;
	event->pad = 0;
	side_submit(event);
	return 0;
}

/* Every task there is, read by the collector from the iterator's file. */
SEC("iter/task")
int snapshot_tasks(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	struct fxr_task event = {};

	if (!task)
		return 0;
	event.header.time = bpf_ktime_get_ns();
	event.header.type = FXR_SIDE_FORK;
	event.header.size = sizeof(event);
	fill_task(&event, task);
	bpf_seq_write(ctx->meta->seq, &event, sizeof(event));
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
