// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Functions that the programs of probes share. */
#include "probe_values.h"

/* True if `address` is kernel memory. A function of the kernel may have pointers to user memory. */
static __always_inline bool is_kernel_memory(u32 where, u64 address)
{
	return where == PROBE_KERNEL && (s64)address < 0;
}

__noinline int probe_follow(const struct fxr_probe_operand *operand, u64 *result, u32 where,
			    u32 failed)
{
	u32 steps, bits;
	u64 value;

	if (!operand || !result || failed)
		return -1;
	steps = operand->steps;
	bits = operand->bits;
	value = *result;

	KEEP_LOOP
	for (u32 i = 0; i < FXR_PROBE_STEPS; i++) {
		u64 address, bytes;

		if (i >= steps)
			break;
		address = value + (s64)operand->offsets[i];
		bytes = i + 1 == steps ? operand->bytes : 8;
		bytes = CUT_SIZE(bytes, 8);
		value = 0;
		if (is_kernel_memory(where, address) ? bpf_probe_read_kernel(&value, bytes, (void *)address) :
						       bpf_probe_read_user(&value, bytes, (void *)address)) {
			*result = address;
			return -1;
		}
	}
	value += (s64)operand->addend;
	value >>= operand->shift & 63;
	if (bits && bits < 64) {
		u32 unused = 64 - bits;

		value <<= unused;
		value = operand->is_signed ? (u64)((s64)value >> unused) : value >> unused;
	}
	*result = value;
	return 0;
}

__noinline int probe_put_text(const struct fxr_probe_operand *operand, struct fxr_probe_text *to,
			      u64 from, u64 length, u32 where)
{
	long got = 0;

	if (!operand || !to)
		return -1;
	if (operand->kind == FXR_PROBE_SLICE) {
		length = CUT_SIZE(length, FXR_PROBE_TEXT_BYTES - 1);
		if (length)
			got = is_kernel_memory(where, from) ? bpf_probe_read_kernel(to, length, (void *)from) :
							      bpf_probe_read_user(to, length, (void *)from);
		return got ? -1 : (int)length + 1;
	}
	length = operand->text_bytes;
	length = CUT_SIZE(length, FXR_PROBE_TEXT_BYTES);
	if (!length)
		return -1;
	got = is_kernel_memory(where, from) ? bpf_probe_read_kernel_str(to, length, (void *)from) :
					      bpf_probe_read_user_str(to, length, (void *)from);
	/* Some kernels return 0 for an empty text of a program, and not 1. */
	return got < 0 ? -1 : got ? (int)got : 1;
}

__noinline int probe_compare(const struct fxr_probe_comparison *comparison, u64 value)
{
	bool is_less, is_equal;

	if (!comparison)
		return 0;
	is_less = comparison->operand.is_signed ? (s64)value < (s64)comparison->value :
						  value < comparison->value;
	is_equal = value == comparison->value;

	switch (comparison->test) {
	case FXR_PROBE_EQUAL:
		return is_equal;
	case FXR_PROBE_DIFFERENT:
		return !is_equal;
	case FXR_PROBE_LESS:
		return is_less;
	case FXR_PROBE_AT_MOST:
		return is_less || is_equal;
	case FXR_PROBE_GREATER:
		return !is_less && !is_equal;
	case FXR_PROBE_AT_LEAST:
		return !is_less;
	default:
		return (value & comparison->value) != 0;
	}
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
