/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Reads the identity of a task from its kernel structures. */
#ifndef FXR_TASK_IDENTITY_H
#define FXR_TASK_IDENTITY_H

#include "common.h"
#include "filter.h"

#define PF_KTHREAD 0x00200000 /* include/linux/sched.h */

/* The full name of a kernel thread, if comm truncates it (5.17 and later). */
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

static __always_inline u32 task_uid(struct task_struct *task)
{
	return BPF_CORE_READ(task, real_cred, uid.val);
}

static __always_inline void fill_task(struct fxr_task *event, struct task_struct *task)
{
	event->tid = BPF_CORE_READ(task, pid);
	event->tgid = BPF_CORE_READ(task, tgid);
	event->ppid = BPF_CORE_READ(task, real_parent, tgid);
	event->uid = task_uid(task);
	event->flags = BPF_CORE_READ(task, flags) & PF_KTHREAD ? FXR_TASK_KTHREAD : 0;
	event->priority = BPF_CORE_READ(task, prio);
	event->cgroup = task_cgroup(task);
	event->start_time = BPF_CORE_READ(task, start_boottime);
	BPF_CORE_READ_INTO(&event->comm, task, comm);
	read_full_name(task, event->full_name);
}

#endif
