/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The kernel types that the programs read, declared here so that the build needs no
 * /sys/kernel/btf. Only names matter: libbpf relocates each access to the running kernel's
 * layout (CO-RE).
 */
#ifndef FXR_KERNEL_TYPES_H
#define FXR_KERNEL_TYPES_H

typedef unsigned char __u8;
typedef unsigned short __u16;
typedef unsigned int __u32;
typedef unsigned long long __u64;
typedef signed char __s8;
typedef short __s16;
typedef int __s32;
typedef long long __s64;
typedef __u8 u8;
typedef __u16 u16;
typedef __u32 u32;
typedef __u64 u64;
typedef __s32 s32;
typedef __s64 s64;
typedef _Bool bool;
typedef __u16 __be16;
typedef __u32 __be32;
typedef __u32 __wsum;
typedef unsigned long size_t;
typedef int pid_t;

#define true 1
#define false 0
#define NULL ((void *)0)
#ifndef offsetof
#define offsetof(type, member) __builtin_offsetof(type, member)
#endif

#ifndef BPF_NO_PRESERVE_ACCESS_INDEX
#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)
#endif

struct thread_info {
	unsigned long flags;
	u32 status; /* x86: TS_COMPAT */
	u32 cpu;
};

typedef struct {
	unsigned int val;
} kuid_t;

struct cred {
	kuid_t uid;
};

struct cgroup_root {
	int hierarchy_id; /* 0: the default hierarchy */
};

struct kernfs_node {
	u64 id;
};

struct cgroup_subsys_state {
	struct cgroup *cgroup;
	struct cgroup_subsys_state *parent;
};

struct cgroup {
	struct cgroup_subsys_state self;
	struct kernfs_node *kn;
	int level;
	struct cgroup_root *root;
};

struct css_set {
	struct cgroup *dfl_cgrp;
};

/* A type that begins with 64 bits, used to read any 64-bit kernel word. */
struct timespec64 {
	s64 tv_sec;
	long tv_nsec;
};

struct rb_node {
	struct rb_node *rb_right;
	struct rb_node *rb_left;
};

struct rb_root {
	struct rb_node *rb_node;
};

struct maple_tree {
	void *ma_root;
};

struct mm_struct {
	struct maple_tree mm_mt; /* 6.1 */
	struct rb_root mm_rb;    /* up to 6.0 */
	unsigned long exec_vm; /* pages of mappings that are executable and not writable */
	unsigned long arg_start;
	unsigned long arg_end;
	struct {
		void *vdso;
	} context;
};

struct kthread {
	char *full_name; /* 5.17 */
};

struct rq {
	int cpu;
	u64 clock; /* ns */
};

struct cfs_bandwidth {
	s64 period; /* ns */
	u64 quota;  /* ns; ~0: no limit */
};

struct task_group {
	struct cgroup_subsys_state css;
	struct cfs_bandwidth cfs_bandwidth;
};

struct cfs_rq {
	struct rq *rq;         /* with CONFIG_FAIR_GROUP_SCHED */
	struct task_group *tg; /* with CONFIG_FAIR_GROUP_SCHED */
	/* With CONFIG_CFS_BANDWIDTH. */
	int throttled;                 /* a bit field in 6.18 */
	int throttle_count;            /* of itself and its ancestors */
	u64 throttled_clock_self;      /* 6.6; ns of rq.clock; 0: not throttled */
	u64 throttled_clock_self_time; /* 6.6; ns */
	u64 throttled_clock_task_time; /* up to 5.18; ns */
	u64 throttled_clock_pelt_time; /* 5.19; ns, scaled by the frequency of the CPU */
};

struct sched_entity {
	struct sched_entity *parent; /* with CONFIG_FAIR_GROUP_SCHED */
	struct cfs_rq *cfs_rq;       /* with CONFIG_FAIR_GROUP_SCHED */
};

typedef struct {
	int counter;
} atomic_t;

struct refcount_struct {
	atomic_t refs;
};

struct hlist_node {
	struct hlist_node *next;
};

struct hlist_head {
	struct hlist_node *first;
};

struct xarray {
	void *xa_head;
};

struct xa_node {
	unsigned char shift;
	void *slots[64]; /* 16 with CONFIG_BASE_SMALL */
};

struct idr {
	struct xarray idr_rt;
};

struct pid_namespace {
	struct idr idr;
};

struct upid {
	int nr;
	struct pid_namespace *ns;
};

struct pid {
	unsigned int level;
	struct hlist_head tasks[4];
	struct upid numbers[1]; /* level + 1 of them */
};

/* The saved state of a task that is switched out. */
struct thread_struct {
	unsigned long sp;     /* x86 */
	unsigned long fsbase; /* x86, 64 bits */
};

struct task_struct {
	struct thread_info thread_info;
	unsigned int __state; /* 5.14; named `state` before */
	unsigned int flags;
	int prio;
	struct sched_entity se;
	int exit_state;
	int exit_code;
	unsigned int in_iowait : 1;
	pid_t pid;
	pid_t tgid;
	struct task_struct *real_parent;
	struct task_struct *group_leader;
	struct pid *thread_pid;
	struct hlist_node pid_links[4];
	const struct cred *real_cred;
	struct mm_struct *mm;
	struct css_set *cgroups;
	void *stack;
	struct thread_struct thread;
	struct uprobe_task *utask;
	bool throttled;       /* 6.18, with CONFIG_CFS_BANDWIDTH */
	void *worker_private; /* 5.17: the struct kthread of a kernel thread */
	u64 start_boottime;   /* 5.5; ns */
	char comm[16];
};

/* Fields whose place or type differs on older kernels. */
struct task_struct___old {
	volatile long state;
	unsigned int cpu;
};

struct uprobe_task {
	struct return_instance *return_instances;
};

struct linux_binprm {
	const char *filename;
};

struct irqaction {
	const char *name;
};

struct pt_regs {
#if defined(__TARGET_ARCH_x86)
	unsigned long bp;
	unsigned long orig_ax;
	unsigned long ax;
	unsigned long di;
	unsigned long ip;
	unsigned long cs;
	unsigned long flags;
	unsigned long sp;
	unsigned long ss;
#elif defined(__TARGET_ARCH_arm64)
	u64 regs[31];
	u64 sp;
	u64 pc;
	u64 pstate;
	s32 syscallno;
#endif
};

#if defined(__TARGET_ARCH_arm64)
/* Registers of user probes on arm64. */
struct user_pt_regs {
	u64 regs[31];
	u64 sp;
	u64 pc;
};
#endif

/* x86 kernels 6.1 to 6.14 keep these fields here. */
struct pcpu_hot {
	int preempt_count;
	int cpu_number;
};

#ifndef BPF_NO_PRESERVE_ACCESS_INDEX
#pragma clang attribute pop
#endif

/* uapi/linux/bpf.h: the constants that programs use. */
enum {
	BPF_MAP_TYPE_HASH = 1,
	BPF_MAP_TYPE_ARRAY = 2,
	BPF_MAP_TYPE_PERF_EVENT_ARRAY = 4,
	BPF_MAP_TYPE_PERCPU_ARRAY = 6,
	BPF_MAP_TYPE_LRU_HASH = 9,
	BPF_MAP_TYPE_ARRAY_OF_MAPS = 12,
	BPF_MAP_TYPE_SK_STORAGE = 24,
	BPF_MAP_TYPE_RINGBUF = 27,
};
enum {
	BPF_SK_STORAGE_GET_F_CREATE = 1U << 0,
};
enum {
	BPF_ANY = 0,
};
enum {
	BPF_F_NO_PREALLOC = 1U << 0,
	BPF_F_MMAPABLE = 1U << 10,
};
enum {
	BPF_RB_NO_WAKEUP = 1U << 0,
	BPF_RB_FORCE_WAKEUP = 1U << 1,
};
enum {
	BPF_RB_AVAIL_DATA = 0,
	BPF_RB_RING_SIZE = 1,
};

#endif
