/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Finds the current process's mapping of an address, in the tree that the kernel keeps:
 * a maple tree from Linux 6.1 on, else a red-black tree. bpf_find_vma() (5.17) works once
 * per interrupt-free section, and a stack has several mappings.
 *
 * The tree may change meanwhile, so the caller checks what it found. A wrong step leads to
 * no mapping, never further than the fixed number of steps.
 */
#ifndef FXR_VMA_H
#define FXR_VMA_H

#include "common.h"

#include "unwind_machine.h"

#include "fxt_record/unwind.h"

#ifndef BPF_NO_PRESERVE_ACCESS_INDEX
#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)
#endif

/* wait_types.h has more of them. */
#ifndef FXR_WAIT_TYPES_H
struct super_block {
	unsigned int s_dev;
};

struct inode {
	unsigned long i_ino;
	struct super_block *i_sb;
	s64 i_size;
	s64 i_ctime_sec;  /* 6.11 */
	u32 i_ctime_nsec; /* 6.11 */
};

struct file {
	struct inode *f_inode;
};
#endif

struct inode___6_6 {
	struct timespec64 __i_ctime;
};

struct inode___old {
	struct timespec64 i_ctime;
};

struct vm_area_struct {
	unsigned long vm_start;
	unsigned long vm_end;
	struct mm_struct *vm_mm;
	unsigned long vm_flags;
	unsigned long vm_pgoff;
	struct file *vm_file;
	struct rb_node vm_rb; /* up to 6.0 */
};

#ifndef BPF_NO_PRESERVE_ACCESS_INDEX
#pragma clang attribute pop
#endif

#define VM_EXEC 0x4 /* include/linux/mm.h */
#define RB_STEPS 32

/* include/linux/maple_tree.h, on 64-bit machines */
#define MAPLE_NODE_WORDS 32
#define MAPLE_LEVELS 8
#define MAPLE_LEAF_64 1
#define MAPLE_RANGE_64 2
#define MAPLE_ARANGE_64 3
#define MAPLE_RANGE_PIVOTS 15
#define MAPLE_ARANGE_PIVOTS 9

#define HAS_VMA_TREE                                                                     \
	(bpf_core_field_exists(struct mm_struct, mm_mt) ||                               \
	 bpf_core_field_exists(struct mm_struct, mm_rb))

struct vma_walk {
	u64 entry;
	u64 node[MAPLE_NODE_WORDS]; /* parent, pivots, slots */
};

#ifndef VMA_WALKS_TYPE
#define VMA_WALKS_TYPE BPF_MAP_TYPE_ARRAY
#endif

/* By lane, see unwind.h. */
struct {
	__uint(type, VMA_WALKS_TYPE);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct vma_walk);
} vma_walks SEC(".maps");

/*
 * Goes on from the node in the walk's entry to what it has for `address`. Returns nonzero
 * at the end.
 */
__noinline int vma_walk_step(u32 lane, u64 address)
{
	struct vma_walk *walk = bpf_map_lookup_elem(&vma_walks, &lane);
	u32 type, pivots, i;
	u64 entry, pivot;

	if (!walk)
		return 1;
	entry = walk->entry;
	walk->entry = 0;
	type = entry >> 3 & 0xf;
	if (type < MAPLE_LEAF_64 || type > MAPLE_ARANGE_64 ||
	    bpf_probe_read_kernel(walk->node, sizeof(walk->node), (void *)(entry & ~0xffULL)))
		return 1;
	pivots = type == MAPLE_ARANGE_64 ? MAPLE_ARANGE_PIVOTS : MAPLE_RANGE_PIVOTS;
	for (i = 0; i < MAPLE_RANGE_PIVOTS; i++) {
		if (i >= pivots)
			break;
		/* The last address of the slot; the last slot that is used may have none. */
		pivot = walk->node[1 + i];
		if (pivot >= address || (i && !pivot))
			break;
	}
	walk->entry = walk->node[(1 + pivots + i) % MAPLE_NODE_WORDS];
	return type == MAPLE_LEAF_64;
}

static __always_inline struct vm_area_struct *vma_of(struct mm_struct *mm, u32 lane, u64 address)
{
	struct vma_walk *walk;

	if (bpf_core_field_exists(struct mm_struct, mm_mt)) {
		walk = bpf_map_lookup_elem(&vma_walks, &lane);
		if (!walk)
			return NULL;
		walk->entry = (u64)BPF_CORE_READ(mm, mm_mt.ma_root);
		/* One mapping alone is no node, and no program has so few. */
		if ((walk->entry & 3) != 2)
			return NULL;
		KEEP_LOOP
		for (u32 i = 0; i < MAPLE_LEVELS; i++) {
			if (vma_walk_step(lane, address))
				break;
		}
		return (void *)walk->entry;
	}
	if (bpf_core_field_exists(struct mm_struct, mm_rb)) {
		struct rb_node *node = BPF_CORE_READ(mm, mm_rb.rb_node);

		for (u32 i = 0; i < RB_STEPS; i++) {
			struct vm_area_struct *vma;

			if (!node)
				break;
			vma = (void *)node - bpf_core_field_offset(struct vm_area_struct, vm_rb);
			if (address < BPF_CORE_READ(vma, vm_start))
				node = BPF_CORE_READ(node, rb_left);
			else if (address >= BPF_CORE_READ(vma, vm_end))
				node = BPF_CORE_READ(node, rb_right);
			else
				return vma;
		}
	}
	return NULL;
}

static __always_inline void read_file(struct inode *inode, struct fxr_unwind_file *file)
{
	file->inode = BPF_CORE_READ(inode, i_ino);
	file->size = BPF_CORE_READ(inode, i_size);
	file->device = BPF_CORE_READ(inode, i_sb, s_dev);
	if (bpf_core_field_exists(struct inode, i_ctime_sec)) {
		file->changed_s = BPF_CORE_READ(inode, i_ctime_sec);
		file->changed_ns = BPF_CORE_READ(inode, i_ctime_nsec);
	} else if (bpf_core_field_exists(struct inode___6_6, __i_ctime)) {
		struct inode___6_6 *other = (void *)inode;

		file->changed_s = BPF_CORE_READ(other, __i_ctime.tv_sec);
		file->changed_ns = BPF_CORE_READ(other, __i_ctime.tv_nsec);
	} else {
		struct inode___old *other = (void *)inode;

		file->changed_s = BPF_CORE_READ(other, i_ctime.tv_sec);
		file->changed_ns = BPF_CORE_READ(other, i_ctime.tv_nsec);
	}
	/* From Linux 6.13 on the highest bit says that the time was read. */
	file->changed_ns &= 0x7fffffff;
}

#endif
