// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Category `counter`: deltas of the --counters events per run of a thread. Each context
 * switch reads the counters; the difference to the previous switch of the CPU belongs to
 * the outgoing thread.
 */
#include "common.h"
#include "filter.h"
#include "ring.h"

/* include/uapi/linux/bpf.h */
struct bpf_perf_event_value {
	u64 counter;
	u64 enabled;
	u64 running;
};

const volatile fxr_u32 counter_count = 0;

/* Event `c` of CPU `n` is at n * FXR_MAX_COUNTERS + c. The loader sets max_entries. */
struct {
	__uint(type, BPF_MAP_TYPE_PERF_EVENT_ARRAY);
	__uint(max_entries, 1);
	__uint(key_size, sizeof(u32));
	__uint(value_size, sizeof(u32));
} counter_events SEC(".maps");

struct counter_reading {
	struct bpf_perf_event_value at[FXR_MAX_COUNTERS];
	u64 valid[FXR_MAX_COUNTERS];
};

/* Readings at the previous switch of the CPU. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct counter_reading);
} counter_readings SEC(".maps");

static __always_inline int on_run(enum claim claim, struct task_struct *prev)
{
	struct fxr_counter_body body = {.tid = prev->pid};
	struct counter_reading *last;
	bool wanted;
	u32 zero = 0;
	u32 cpu = bpf_get_smp_processor_id();

	if (READ_ONCE(phase) != FXR_PHASE_ALL)
		return 0;
	last = bpf_map_lookup_elem(&counter_readings, &zero);
	if (!last)
		return 0;
	wanted = body.tid && (!filter_is_on || task_selected(prev));
	for (u32 i = 0; i < FXR_MAX_COUNTERS; i++) {
		struct bpf_perf_event_value now = {};
		u64 count;

		if (i >= counter_count)
			break;
		/* No event: the CPU was offline when the recording began. */
		if (bpf_perf_event_read_value(&counter_events, cpu * FXR_MAX_COUNTERS + i, &now,
					      sizeof(now))) {
			last->valid[i] = 0;
			continue;
		}
		if (wanted && last->valid[i]) {
			count = now.counter - last->at[i].counter;
			body.counter = i;
			body.count = count > FXR_MAX_COUNT ? FXR_MAX_COUNT : count;
			body.is_partial = now.running - last->at[i].running <
					  now.enabled - last->at[i].enabled;
			emit_slot(claim, FXR_CATEGORY_COUNTER, FXR_SLOT_COUNTER,
				  fxr_pack_counter(body));
		}
		last->at[i] = now;
		last->valid[i] = 1;
	}
	return 0;
}

SEC("tp_btf/sched_switch")
int BPF_PROG(counter_sched_switch, bool preempt, struct task_struct *prev)
{
	return on_run(CLAIM_FETCH, prev);
}

SEC("tp_btf/sched_switch")
int BPF_PROG(counter_sched_switch_flag, bool preempt, struct task_struct *prev)
{
	return on_run(CLAIM_FLAG, prev);
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
