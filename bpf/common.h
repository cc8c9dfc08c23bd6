/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What every program file needs: helpers, maps, and the settings the loader fills in. */
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
 * `size` cut to `most`, in a way that the verifier can follow: the compiler must
 * not test one register and pass on another.
 */
#define CUT_SIZE(size, most)                 \
	({                                   \
		u64 __size = (size);         \
		if (__size > (most))         \
			__size = (most);     \
		asm volatile("" : "+r"(__size)); \
		__size > (most) ? (most) : __size; \
	})

/* One slot ring per CPU, one behind the other; max_entries is CPUs * slots, set by the loader. */
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

/* What may be emitted now, enum fxr_phase; written by the collector. */
extern fxr_u32 phase;

/* Settings; constant once loaded, so that the verifier drops what is not used. */
extern const volatile fxr_u32 slots_per_ring_shift; /* a ring has 1 << this many slots */
extern const volatile fxr_u32 slot_mask;            /* ... so that they have these bits */
extern const volatile fxr_u64 slots_full;           /* so many: it is full; ~0: it is overwritten */
extern const volatile fxr_u32 ring_count;           /* CPUs that have a slot ring: those from 0 up */
extern const volatile fxr_u64 slots_wakeup_fill;    /* ... and the collector is woken at so many; ~0: never */
extern const volatile fxr_u32 categories_used;      /* no event is of one from here up */
extern const volatile fxr_u32 side_wakeup_bytes;    /* ... or the side ring so many bytes */

#endif
