/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Arguments and filters of probes: reads what a struct fxr_probe_spec says, and emits it.
 * For Linux 5.15 and later, as all probes are.
 */
#ifndef FXR_PROBE_VALUES_H
#define FXR_PROBE_VALUES_H

#include "common.h"
#include "ring.h"

#include "fxt_record/long_event.h"

struct probe_spec_array {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct fxr_probe_spec);
};
extern struct probe_spec_array probe_specs SEC(".maps");

/*
 * Calls that passed the filter of their probe, so that the return of another call emits
 * nothing. The value is unused.
 */
struct probe_passed_map {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 1);
	__type(key, struct fxr_probe_call);
	__type(value, u64);
};
extern struct probe_passed_map probe_passed SEC(".maps");

/* Where the values of a program come from. */
enum probe_context {
	PROBE_USER,   /* registers and memory of a program */
	PROBE_KERNEL, /* registers of the kernel, memory of either */
	PROBE_USDT,   /* arguments that libbpf reads, and memory of a program */
};

struct fxr_probe_text {
	char bytes[FXR_PROBE_TEXT_BYTES];
};

/*
 * These are verified once each, not at every use: the loops around them would take too many
 * instructions. For the same reason callers do no more with failures than they must, so that
 * the verifier knows nothing about them and sees equal states.
 *
 * probe_follow follows the pointers of an operand whose register is read (`failed`: it is
 * not). Negative: memory is not present, and the result is its address. probe_put_text reads
 * the text at `from`; it returns its bytes plus 1, or a negative error. probe_compare
 * returns whether the comparison holds.
 */
int probe_follow(const struct fxr_probe_operand *operand, u64 *result, u32 where, u32 failed);
int probe_put_text(const struct fxr_probe_operand *operand, struct fxr_probe_text *to, u64 from,
		   u64 length, u32 where);
int probe_compare(const struct fxr_probe_comparison *comparison, u64 value);

/*
 * READ(ctx, operand, &value) reads the register or argument of an operand, and its memory;
 * each kind of program has one. A value that cannot be read fulfils no comparison.
 */
#define DEFINE_PROBE_VALUES(name, where, READ)                                                     \
	static __noinline bool name##_passes(struct pt_regs *ctx, const struct fxr_probe_spec *spec) \
	{                                                                                          \
		bool all = true;                                                                   \
		u32 count;                                                                         \
                                                                                                   \
		if (!spec)                                                                         \
			return false;                                                              \
		count = spec->comparison_count;                                                    \
		KEEP_LOOP                                                                          \
		for (u32 i = 0; i < FXR_PROBE_COMPARISONS; i++) {                                  \
			const struct fxr_probe_comparison *comparison = &spec->comparisons[i];     \
			u64 value = 0;                                                             \
                                                                                                   \
			if (i >= count)                                                            \
				break;                                                             \
			if (all)                                                                   \
				all = !READ(ctx, &comparison->operand, &value) &&                  \
				      probe_compare(comparison, value);                            \
			if (!comparison->ends_and)                                                 \
				continue;                                                          \
			if (all)                                                                   \
				return true;                                                       \
			all = true;                                                                \
		}                                                                                  \
		return count == 0;                                                                 \
	}                                                                                          \
                                                                                                   \
	/* Emits `count` operands. */                                                              \
	static __always_inline void name##_send(struct pt_regs *ctx,                               \
						const struct fxr_probe_operand *operands, u32 most, \
						u32 count, u32 texts, struct fxr_probe_values_long fields) \
	{                                                                                          \
		u64 values[FXR_PROBE_ARGUMENTS];                                                   \
                                                                                                   \
		KEEP_LOOP                                                                          \
		for (u32 i = 0; i < FXR_PROBE_ARGUMENTS; i++) {                                    \
			values[i] = 0;                                                             \
			if (i >= count || i >= most)                                               \
				continue;                                                          \
			fields.unread |= ((u32)READ(ctx, &operands[i], &values[i]) >> 31) << i;    \
		}                                                                                  \
		if (texts == 0)                                                                    \
			SEND_PROBE_VALUES(where, 0);                                               \
		else if (texts == 1)                                                               \
			SEND_PROBE_VALUES(where, 1);                                               \
		else                                                                               \
			SEND_PROBE_VALUES(where, FXR_PROBE_TEXTS);                                 \
	}

/* Room in the side ring is reserved in constant sizes. */
#define SEND_PROBE_VALUES(where, room)                                                             \
	do {                                                                                       \
		struct fxr_long *event =                                                           \
			long_reserve(FXR_LONG_SIZE(probe_values, FXR_PROBE_EVENT_BYTES(room)),     \
				     FXR_CATEGORY_PROBE);                                          \
                                                                                                   \
		if (!event)                                                                        \
			return;                                                                    \
		if (room)                                                                          \
			probe_put_texts(where, operands, most, count, room,                        \
					fxr_probe_values_bytes(event), values, &fields.unread);    \
		fxr_pack_probe_values(event, fields, FXR_PROBE_EVENT_BYTES(room));                 \
		bpf_probe_read_kernel(fxr_probe_values_bytes(event), sizeof(values), values);      \
		side_submit(event);                                                                \
	} while (0)

/* Reads the texts of `operands` to behind the values at `bytes`; `values` become their lengths. */
static __always_inline void probe_put_texts(enum probe_context where,
					    const struct fxr_probe_operand *operands, u32 most, u32 count,
					    u32 room, char *bytes, u64 *values, u32 *unread)
{
	u32 texts = 0;

	KEEP_LOOP
	for (u32 i = 0; i < FXR_PROBE_ARGUMENTS; i++) {
		struct fxr_probe_text *to;
		u64 length, from, failed, got;

		if (i >= count || i >= most)
			break;
		if (operands[i].kind == FXR_PROBE_NUMBER)
			continue;
		if (texts >= room)
			break;
		to = (struct fxr_probe_text *)(bytes + FXR_PROBE_VALUES_BYTES) + texts;
		texts++;
		if (*unread >> i & 1)
			continue;
		from = values[i];
		length = i + 1 < FXR_PROBE_ARGUMENTS ? values[i + 1] : 0;
		got = (s64)probe_put_text(&operands[i], to, from, length, where);
		failed = got >> 63;
		*unread |= (u32)failed << i;
		failed = 0 - failed;
		asm volatile("" : "+r"(failed));
		values[i] = (from & failed) | ((got - 1) & ~failed);
	}
}

static __always_inline const struct fxr_probe_spec *probe_spec_of(u32 number)
{
	return bpf_map_lookup_elem(&probe_specs, &number);
}

#endif
