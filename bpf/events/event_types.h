/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Kernel types that only the programs of this directory read; see kernel_types.h. */
#ifndef FXR_EVENT_TYPES_H
#define FXR_EVENT_TYPES_H

#include "kernel_types.h"

#ifndef BPF_NO_PRESERVE_ACCESS_INDEX
#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)
#endif

struct gendisk {
	char disk_name[32];
};

struct request_queue {
	struct gendisk *disk; /* 5.15 */
};

struct request {
	struct request_queue *q;
	unsigned int cmd_flags;
	unsigned int __data_len;
	u64 __sector;
};

/* Before 5.17. */
struct request___disk {
	struct gendisk *rq_disk;
};

struct net_device {
	int ifindex;
};

struct sk_buff {
	unsigned int len;
	struct net_device *dev;
};

struct sock_common {
	__be16 skc_dport;
	u16 skc_num;
};

struct sock {
	struct sock_common __sk_common;
	u16 sk_protocol; /* CO-RE adjusts its width */
};

struct work_struct {
	void *func;
};

struct timer_list {
	void *function;
};

struct hrtimer {
	void *function;
};

#ifndef BPF_NO_PRESERVE_ACCESS_INDEX
#pragma clang attribute pop
#endif

#endif
