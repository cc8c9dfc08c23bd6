// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Category `probe`: entry and return of user functions (--uprobe) and USDT probes (--usdt).
 */
#define __VMLINUX_H__ /* registers have their kernel names in bpf_tracing.h */
#include "probe_call.h"

#define BPF_USDT_HAS_BPF_COOKIE 1
#include <bpf/usdt.bpf.h>

#if defined(__TARGET_ARCH_x86)
#define USER32_CS 0x23 /* arch/x86/include/asm/segment.h */

/* The return has popped the return address that the call pushed. */
static __always_inline u64 frame_of_return(struct pt_regs *ctx)
{
	return ctx->sp - (ctx->cs == USER32_CS ? 4 : 8);
}
#else
static __always_inline u64 frame_of_return(struct pt_regs *ctx)
{
	return stack_pointer(ctx);
}
#endif

static __always_inline int read_user_operand(struct pt_regs *ctx, const struct fxr_probe_operand *operand,
					     u64 *value)
{
	*value = 0;
	bpf_probe_read_kernel(value, sizeof(*value), (void *)ctx + operand->source);
	return probe_follow(operand, value, PROBE_USER, 0);
}

static __always_inline int read_usdt_operand(struct pt_regs *ctx, const struct fxr_probe_operand *operand,
					     u64 *value)
{
	long argument = 0;
	u32 failed = bpf_usdt_arg(ctx, operand->source, &argument) != 0;

	*value = argument;
	return probe_follow(operand, value, PROBE_USDT, failed);
}

DEFINE_PROBE_CALLS(user, PROBE_USER, read_user_operand)
DEFINE_PROBE_VALUES(usdt, PROBE_USDT, read_usdt_operand)

SEC("uprobe")
int probe_entry(struct pt_regs *ctx)
{
	return plain_entry(ctx);
}

SEC("uretprobe")
int probe_return(struct pt_regs *ctx)
{
	return plain_return(ctx, frame_of_return(ctx));
}

SEC("uprobe")
int probe_entry_values(struct pt_regs *ctx)
{
	return user_entry(ctx);
}

SEC("uretprobe")
int probe_return_values(struct pt_regs *ctx)
{
	return user_return(ctx, frame_of_return(ctx));
}

SEC("usdt")
int probe_usdt(struct pt_regs *ctx)
{
	struct fxr_probe_hit_long fields = {};
	u64 values[FXR_PROBE_ARGUMENTS];
	struct fxr_long *event;
	u64 count = 0;
	long value;
	int number;

	if (!is_recorded())
		return 0;
	number = bpf_usdt_arg_cnt(ctx);
	for (int i = 0; i < FXR_PROBE_ARGUMENTS; i++) {
		if (i >= number)
			break;
		value = 0;
		if (bpf_usdt_arg(ctx, i, &value))
			fields.unread |= 1u << i;
		values[i] = value;
		count = i + 1;
	}
	fields.tid = bpf_get_current_pid_tgid();
	fields.probe = bpf_usdt_cookie(ctx) & (FXR_MAX_PROBES - 1);
	event = long_reserve(FXR_LONG_SIZE(probe_hit, sizeof(values)), FXR_CATEGORY_PROBE);
	if (!event)
		return 0;
	count = CUT_SIZE(count * sizeof(u64), sizeof(values));
	fxr_pack_probe_hit(event, fields, count);
	bpf_probe_read_kernel(fxr_probe_hit_bytes(event), count, values);
	side_submit(event);
	return 0;
}

SEC("usdt")
int probe_usdt_values(struct pt_regs *ctx)
{
	struct fxr_probe_values_long fields = {};
	const struct fxr_probe_spec *spec;

	if (!is_recorded())
		return 0;
	fields.probe = bpf_usdt_cookie(ctx) & (FXR_MAX_PROBES - 1);
	spec = probe_spec_of(fields.probe);
	if (!spec || (spec->comparison_count && !usdt_passes(ctx, spec)))
		return 0;
	fields.tid = bpf_get_current_pid_tgid();
	usdt_send(ctx, spec->operands, FXR_PROBE_ARGUMENTS, spec->operand_count, spec->text_count, fields);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
