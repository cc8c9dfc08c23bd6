/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The kernel types of files, sockets and system calls; see kernel_types.h. */
#ifndef FXR_WAIT_TYPES_H
#define FXR_WAIT_TYPES_H

#include "common.h"

/* include/linux/sched.h */
#define PF_IO_WORKER 0x00000010
#define PF_USER_WORKER 0x00004000
#define PF_KTHREAD 0x00200000

#define TS_COMPAT 0x0002 /* arch/x86/include/asm/thread_info.h */

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct list_head {
	struct list_head *next;
};

/* A list of waiters, each of which is on its own stack. */
struct rwsem_waiter {
	struct {
		struct list_head *next;
		struct list_head *prev;
	} list;
	struct task_struct *task;
};

struct rw_semaphore {
	struct {
		s64 counter;
	} owner;
	struct {
		struct list_head *next;
		struct list_head *prev;
	} wait_list;
};

/* Kernels whose list has no head. */
struct rw_semaphore___first {
	struct rwsem_waiter *first_waiter;
};

struct mm_struct___lock {
	struct rw_semaphore mmap_lock; /* 5.8 */
};

struct qstr {
	const unsigned char *name;
};

struct dentry {
	struct dentry *d_parent;
	struct qstr d_name;
};

struct vfsmount {
	struct dentry *mnt_root;
};

struct mount {
	struct mount *mnt_parent;
	struct dentry *mnt_mountpoint;
	struct vfsmount mnt;
};

struct path {
	struct vfsmount *mnt;
	struct dentry *dentry;
};

struct fs_struct {
	struct path root;
};

struct super_block {
	u32 s_dev;
	unsigned long s_magic;
};

struct file_lock_context {
	struct list_head flc_flock;
	struct list_head flc_posix;
};

struct inode {
	u16 i_mode;
	u32 i_rdev;
	unsigned long i_ino;
	struct super_block *i_sb;
	struct file_lock_context *i_flctx;
	s64 i_size;
	s64 i_ctime_sec;
	u32 i_ctime_nsec;
};

/* Since 6.9 the first member of struct file_lock. */
struct file_lock_core {
	struct list_head flc_list;
	pid_t flc_pid;
	unsigned char flc_type;
};

struct file_lock {
	struct file_lock_core c;
	s64 fl_start;
	s64 fl_end;
};

struct file_lock___old {
	struct list_head fl_list;
	unsigned int fl_pid;
	unsigned char fl_type;
	s64 fl_start;
	s64 fl_end;
};

struct file {
	unsigned int f_mode;
	struct path f_path;
	struct inode *f_inode;
	void *private_data;
	s64 f_pos;
};

struct fdtable {
	unsigned int max_fds;
	struct file **fd;
};

struct files_struct {
	struct fdtable *fdt;
};

struct pipe_inode_info {
	unsigned int head;
	unsigned int tail;
	unsigned int max_usage;
	unsigned int writers;
};

struct eventfd_ctx {
	u64 count;
	int id;
};

struct timerfd_ctx {
	u64 ticks;
};

struct epoll_filefd {
	struct file *file;
	int fd;
};

struct epitem {
	struct list_head rdllink;
	struct epoll_filefd ffd;
};

struct eventpoll {
	struct list_head rdllist;
};

struct in6_addr {
	u8 bytes[16];
};

struct ns_common {
	unsigned int inum;
};

struct net {
	struct ns_common ns;
};

typedef struct {
	struct net *net; /* with CONFIG_NET_NS */
} possible_net_t;

struct sock_common {
	u32 skc_daddr;
	u32 skc_rcv_saddr;
	u16 skc_dport;
	u16 skc_num;
	u16 skc_family;
	u8 skc_state;
	possible_net_t skc_net;
	struct in6_addr skc_v6_daddr;
	struct in6_addr skc_v6_rcv_saddr;
};

struct sk_buff {
	u32 len;
};

struct sk_buff_head {
	struct sk_buff *prev;
	u32 qlen;
};

struct sock {
	struct sock_common __sk_common;
	struct sk_buff_head sk_receive_queue;
	u16 sk_type;
	u16 sk_protocol;
	u8 sk_shutdown;
	u32 sk_max_ack_backlog;
};

struct tcp_sock {
	u32 write_seq; /* the next byte that is written */
};

struct iov_iter {
	size_t count; /* bytes */
};

struct msghdr {
	struct iov_iter msg_iter;
};

struct request_sock_queue {
	void *rskq_accept_head;
};

struct inet_connection_sock {
	struct request_sock_queue icsk_accept_queue;
};

struct socket {
	struct sock *sk;
};

struct sockaddr_un {
	u16 sun_family;
	char sun_path[108];
};

struct unix_address {
	int len;
	struct sockaddr_un name[1];
};

struct unix_sock {
	struct unix_address *addr;
	struct sock *peer;
};

/* Fields of a task that only waits are about. */
struct sched_entity___delayed {
	unsigned char sched_delayed; /* 6.12 */
};

struct task_struct___wait {
	int on_cpu;
	int on_rq;
	unsigned long nvcsw; /* voluntary switches */
	unsigned int in_iowait : 1;
	struct files_struct *files;
	struct fs_struct *fs;
	struct task_struct *parent; /* the tracer of a traced task */
};

struct pt_regs___args {
#if defined(__TARGET_ARCH_x86)
	unsigned long di;
	unsigned long si;
	unsigned long dx;
	unsigned long r10;
	unsigned long r8;
	unsigned long cs;
	unsigned long orig_ax;
#elif defined(__TARGET_ARCH_arm64)
	u64 regs[31];
	u64 orig_x0;
	s32 syscallno;
#endif
};

#pragma clang attribute pop

#endif
