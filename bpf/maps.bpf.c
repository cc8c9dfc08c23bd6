// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Definitions of the maps and settings that the BPF source files share. */
#include "kernel_types.h"

#include <bpf/bpf_helpers.h>

#include "fxt_record/event.h"

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct fxr_slot);
} slots SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct fxr_ring_control);
} ring_controls SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 1 << 20);
} side_ring SEC(".maps");

fxr_u32 phase = FXR_PHASE_NONE;

const volatile fxr_u32 slots_per_ring_shift = 1;
const volatile fxr_u32 slot_mask = 1;
const volatile fxr_u64 slots_full = 0;
const volatile fxr_u32 ring_count = 1;
const volatile fxr_u64 slots_wakeup_fill = ~0ULL;
const volatile fxr_u64 categories_used = ~0ULL;
const volatile fxr_u32 side_wakeup_bytes = 1 << 18;

/* See context.h. */
fxr_u32 interrupt_mask_is_wrong = 0;
const volatile fxr_u8 per_cpu_offsets_known = 0;
const volatile fxr_u64 runqueues_offset = 0;
const volatile fxr_u64 cpu_number_offset = 0;
const volatile fxr_u64 preempt_count_offset = 0;
const volatile fxr_u32 interrupt_mask = 0;
const volatile fxr_u32 refcount_struct_id = 0;
const volatile fxr_u32 timespec64_id = 0;

#ifdef __TARGET_ARCH_arm64
/* See unwind_machine.h. */
const volatile fxr_u32 page_shift = 12;
const volatile fxr_u64 user_code_mask = ~0ULL >> 16;
#endif

/* The selections of --pid, --tgid, --comm and --cgroup; see filter.h. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1024);
	__type(key, u32);
	__type(value, u8);
} filter_tids SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1024);
	__type(key, u32);
	__type(value, u8);
} filter_tgids SEC(".maps");

struct comm_key {
	char comm[FXR_COMM_BYTES];
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1024);
	__type(key, struct comm_key);
	__type(value, u8);
} filter_comms SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1024);
	__type(key, u64);
	__type(value, u8);
} filter_cgroups SEC(".maps");

/* The loader sets max_entries to FXR_FOLLOWED_PAGES where tasks are followed. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct fxr_followed_page);
} followed_tasks SEC(".maps");

const volatile fxr_u8 filter_is_on = 0;
const volatile fxr_u8 filter_by_tid = 0;
const volatile fxr_u8 filter_by_tgid = 0;
const volatile fxr_u8 filter_by_comm = 0;
const volatile fxr_u8 filter_by_cgroup = 0;
const volatile fxr_u8 filter_by_followed = 0;
const volatile fxr_u8 follow_named = 0;

char LICENSE[] SEC("license") = "Dual BSD/GPL";

/* See probe_values.h. The loader sets the sizes. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct fxr_probe_spec);
} probe_specs SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 1);
	__type(key, struct fxr_probe_call);
	__type(value, u64);
} probe_passed SEC(".maps");
