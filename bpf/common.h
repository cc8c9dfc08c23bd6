/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Helpers, maps and load-time settings that every BPF source file uses. */
#ifndef FXR_COMMON_H
#define FXR_COMMON_H

#include "kernel_types.h"

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "fxt_record/event.h"

#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)
#define READ_ONCE(x) (*(volatile typeof(x) *)&(x))
#define WRITE_ONCE(x, v) (*(volatile typeof(x) *)&(x) = (v))

/*
 * Clamps `size` to `most` so that the verifier can follow it: the compiler must not test
 * one register and pass another.
 */
#define CUT_SIZE(size, most)                 \
	({                                   \
		u64 __size = (size);         \
		if (__size > (most))         \
			__size = (most);     \
		asm volatile("" : "+r"(__size)); \
		__size > (most) ? (most) : __size; \
	})

/*
 * The slot rings of all CPUs, one after the other. The loader sets max_entries to CPUs
 * times slots.
 */
struct slot_array {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct fxr_slot);
};
extern struct slot_array slots SEC(".maps");

struct ring_control_array {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct fxr_ring_control);
};
extern struct ring_control_array ring_controls SEC(".maps");

struct side_ring_map {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 1 << 20);
};
extern struct side_ring_map side_ring SEC(".maps");

/* The events that programs may emit now (enum fxr_phase). The collector writes it. */
extern fxr_u32 phase;

/*
 * For loops that call functions. The verifier adds up the stack of each path of calls, and
 * unrolled loops in one another multiply the paths: this took milliseconds.
 */
#define KEEP_LOOP _Pragma("clang loop unroll(disable)")

/*
 * Settings. They are constant once loaded, so the verifier removes the code of unused
 * features.
 */
extern const volatile fxr_u32 slots_per_ring_shift; /* log2 of the slots per ring */
extern const volatile fxr_u32 slot_mask;            /* slots per ring - 1 */
extern const volatile fxr_u64 slots_full;           /* fill level that counts as full; ~0: the ring is overwritten */
extern const volatile fxr_u32 ring_count;           /* CPUs from 0 up that have a slot ring */
extern const volatile fxr_u64 slots_wakeup_fill;    /* fill level that wakes the collector; ~0: never */
extern const volatile fxr_u64 categories_used;      /* bits of the categories that events may have */
extern const volatile fxr_u32 side_wakeup_bytes;    /* side-ring fill level, bytes, that wakes the collector */

#endif
