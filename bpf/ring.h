/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Emits events into the slot rings and the side ring (include/fxt_record/event.h).
 *
 * A slot is claimed by advancing the ring's head, then stamped with the time, then
 * committed. The time is read after the claim. So a reader that reads the clock and then
 * the heads knows that every slot claimed later has a later time.
 *
 * Programs nest on a CPU (an interrupt wakes a task while a system call is recorded).
 * Where tracepoints are preemptible they also interleave. So the head advances by an
 * atomic fetch-and-add. Kernels before 5.12 lack it; they run tracepoint programs with
 * preemption off, so programs only nest and a busy flag is enough: a program that finds
 * the ring busy uses the side ring.
 *
 * Nothing is emitted before the start and after the end, see enum fxr_phase.
 */
#ifndef FXR_RING_H
#define FXR_RING_H

#include "common.h"
#include "fxt_record/slot_body.h"

enum claim {
	CLAIM_FETCH, /* 5.12 and later */
	CLAIM_FLAG,
};

static __always_inline struct fxr_ring_control *this_ring(u32 *cpu)
{
	*cpu = bpf_get_smp_processor_id();
	return bpf_map_lookup_elem(&ring_controls, cpu);
}

static __noinline void count_drop(struct fxr_ring_control *ring, u32 category)
{
	if (!ring || category >= FXR_CATEGORIES)
		return;
	if (!READ_ONCE(ring->pending[category]))
		ring->pending_since[category] = bpf_ktime_get_ns();
	__sync_fetch_and_add(&ring->pending[category], 1);
	__sync_fetch_and_add(&ring->dropped[category], 1);
	WRITE_ONCE(ring->gap, 1);
}

/* Wakes the collector, which polls the side ring. */
static __noinline void poke(u32 cpu)
{
	struct fxr_side_header header = {
		.time = bpf_ktime_get_ns(),
		.type = FXR_SIDE_POKE,
		.cpu = cpu,
		.size = sizeof(header),
	};

	bpf_ringbuf_output(&side_ring, &header, sizeof(header), BPF_RB_FORCE_WAKEUP);
}

static __always_inline void put_slot(enum claim claim, struct fxr_ring_control *ring, u32 cpu,
				     u64 tail, u64 meta, u64 body, u64 time)
{
	struct fxr_slot *slot;
	u64 position, lap;
	u32 index;

	if (claim == CLAIM_FETCH) {
		position = __sync_fetch_and_add(&ring->head, 1);
	} else {
		position = READ_ONCE(ring->head);
		WRITE_ONCE(ring->head, position + 1);
	}
	lap = (position >> slots_per_ring_shift) + 1;
	index = (cpu << slots_per_ring_shift) + ((u32)position & slot_mask);
	slot = bpf_map_lookup_elem(&slots, &index);
	if (!slot) /* impossible: the map holds every CPU's ring */
		return;
	if (!time)
		time = bpf_ktime_get_ns();
	WRITE_ONCE(slot->body, body);
	meta |= fxr_pack_commit(FXR_SLOT_NONE, 0, time, lap);
#if defined(__TARGET_ARCH_x86)
	/* x86 does not reorder stores with each other */
	WRITE_ONCE(slot->commit, meta);
#else
	if (claim == CLAIM_FETCH)
		__sync_lock_test_and_set(&slot->commit, meta);
	else
		WRITE_ONCE(slot->commit, meta);
#endif
	if (unlikely(position - tail == slots_wakeup_fill))
		poke(cpu);
}

/*
 * Emits loss slots for the events lost since the last event that found room. Called before
 * the next event.
 */
static __always_inline void put_losses(enum claim claim, struct fxr_ring_control *ring, u32 cpu,
				       u64 tail)
{
	WRITE_ONCE(ring->gap, 0);
	/* The verifier walks every iteration, in every program. It knows which are used. */
	for (u32 category = 0; category < FXR_CATEGORIES && categories_used >> category; category++) {
		struct fxr_loss_body loss = {.category = category};
		struct fxr_payload payload;
		u64 count, since;

		if (!(categories_used & (1ULL << category)))
			continue;
		since = READ_ONCE(ring->pending_since[category]);
		if (claim == CLAIM_FETCH) {
			count = __sync_lock_test_and_set(&ring->pending[category], 0);
		} else {
			count = READ_ONCE(ring->pending[category]);
			WRITE_ONCE(ring->pending[category], 0);
		}
		if (!count)
			continue;
		loss.count = count > 0xffffffff ? 0xffffffff : count;
		payload = fxr_pack_loss(loss);
		put_slot(claim, ring, cpu, tail,
			 fxr_pack_commit(FXR_SLOT_LOSS, payload.extra, 0, 0), payload.body, since);
	}
}

/* Separate functions, so that the rare case uses no registers of the common one. */
static __noinline void put_losses_by_fetch(struct fxr_ring_control *ring, u32 cpu, u64 tail)
{
	if (ring)
		put_losses(CLAIM_FETCH, ring, cpu, tail);
}

static __noinline void put_losses_by_flag(struct fxr_ring_control *ring, u32 cpu, u64 tail)
{
	if (ring)
		put_losses(CLAIM_FLAG, ring, cpu, tail);
}

static __noinline void put_aside(struct fxr_ring_control *ring, u32 cpu, u32 category, u64 meta,
				 u64 body)
{
	struct fxr_side_slot *event;

	if (!ring)
		return;
	event = bpf_ringbuf_reserve(&side_ring, sizeof(*event), 0);
	if (!event) {
		count_drop(ring, category);
		return;
	}
	event->header.time = bpf_ktime_get_ns();
	event->header.type = FXR_SIDE_SLOT;
	event->header.cpu = cpu;
	event->header.size = sizeof(*event);
	event->slot.commit = meta | fxr_pack_commit(FXR_SLOT_NONE, 0, event->header.time, 0);
	event->slot.body = body;
	__sync_fetch_and_add(&ring->side_events, 1);
	bpf_ringbuf_submit(event, BPF_RB_NO_WAKEUP);
}

/* `payload` is packed for `type`. `ring` is the control of `cpu`, the current CPU. */
static __always_inline void emit_slot_into(struct fxr_ring_control *ring, u32 cpu,
					   enum claim claim, enum fxr_category category,
					   enum fxr_slot_type type,
					   struct fxr_payload payload)
{
	u64 meta = fxr_pack_commit(type, payload.extra, 0, 0);
	u64 tail;

	if (unlikely(READ_ONCE(phase) != FXR_PHASE_ALL))
		return;
	if (claim == CLAIM_FLAG) {
		if (READ_ONCE(ring->busy)) {
			put_aside(ring, cpu, category, meta, payload.body);
			return;
		}
		WRITE_ONCE(ring->busy, 1);
	}
	tail = READ_ONCE(ring->tail);
	if (unlikely(cpu >= ring_count || READ_ONCE(ring->head) - tail >= slots_full)) {
		count_drop(ring, category);
	} else {
		if (unlikely(READ_ONCE(ring->gap))) {
			if (claim == CLAIM_FETCH)
				put_losses_by_fetch(ring, cpu, tail);
			else
				put_losses_by_flag(ring, cpu, tail);
		}
		put_slot(claim, ring, cpu, tail, meta, payload.body, 0);
	}
	if (claim == CLAIM_FLAG)
		WRITE_ONCE(ring->busy, 0);
}

static __always_inline void emit_slot(enum claim claim, enum fxr_category category,
				      enum fxr_slot_type type, struct fxr_payload payload)
{
	struct fxr_ring_control *ring;
	u32 cpu;

	ring = this_ring(&cpu);
	if (!ring) /* impossible: every possible CPU has a control */
		return;
	emit_slot_into(ring, cpu, claim, category, type, payload);
}

/*
 * Defines the two forms of a slot tracepoint's program: `name` for kernels with the atomic
 * fetch, `name`_flag for others. `call` is the body and passes `claim` on; `args` are the
 * tracepoint's arguments.
 */
#define SLOT_PROGRAM(name, call, args...)            \
	SEC("tp_btf/" #name)                         \
	int BPF_PROG(name, args)                     \
	{                                            \
		const enum claim claim = CLAIM_FETCH; \
                                                     \
		return call;                         \
	}                                            \
                                                     \
	SEC("tp_btf/" #name)                         \
	int BPF_PROG(name##_flag, args)              \
	{                                            \
		const enum claim claim = CLAIM_FLAG; \
                                                     \
		return call;                         \
	}

/* Task identity is emitted before the start, too. */
static __always_inline void *side_reserve(u64 size, u8 type, u32 category)
{
	struct fxr_side_header *header;
	struct fxr_ring_control *ring;
	u32 now = READ_ONCE(phase);
	u32 cpu;

	if (now == FXR_PHASE_NONE || (category != FXR_CATEGORY_TASK && now != FXR_PHASE_ALL))
		return NULL;
	ring = this_ring(&cpu);
	if (!ring)
		return NULL;
	header = bpf_ringbuf_reserve(&side_ring, size, 0);
	if (!header) {
		count_drop(ring, category);
		return NULL;
	}
	__sync_fetch_and_add(&ring->side_events, 1);
	header->time = bpf_ktime_get_ns();
	header->type = type;
	header->flags = 0;
	header->cpu = cpu;
	header->size = size;
	return header;
}

static __always_inline void side_submit(void *event)
{
	u64 flags = BPF_RB_NO_WAKEUP;

	if (bpf_ringbuf_query(&side_ring, BPF_RB_AVAIL_DATA) >= side_wakeup_bytes)
		flags = BPF_RB_FORCE_WAKEUP;
	bpf_ringbuf_submit(event, flags);
}

/*
 * Reserves FXR_LONG_SIZE() bytes, a constant, for an event of FXR_LONG_TABLE. Returns NULL
 * and counts the loss when there is no room. fxr_pack_NAME fills the event, side_submit
 * sends it.
 */
static __always_inline struct fxr_long *long_reserve(u64 size, enum fxr_category category)
{
	struct fxr_long *event = side_reserve(size, FXR_SIDE_LONG, category);

	if (event)
		event->category = category;
	return event;
}

#endif
