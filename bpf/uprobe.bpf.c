// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Category `probe`: entry and return of user functions (--uprobe) and USDT probes
 * (--usdt). The probe number is the attach cookie, which needs 5.15. So the programs exist
 * only in the form with atomic fetch.
 */
#define __VMLINUX_H__ /* registers have their kernel names in bpf_tracing.h */
#include "common.h"
#include "filter.h"
#include "probe_values.h"
#include "ring.h"

#include "fxt_record/long_event.h"

#define BPF_USDT_HAS_BPF_COOKIE 1
#include <bpf/usdt.bpf.h>

#define FRAME_MASK ((1ULL << FXR_PROBE_FRAME_BITS) - 1)

#if defined(__TARGET_ARCH_x86)
#define USER32_CS 0x23 /* arch/x86/include/asm/segment.h */

static __always_inline u64 frame_of_call(struct pt_regs *ctx)
{
	return ctx->sp;
}

/* The return has popped the return address that the call pushed. */
static __always_inline u64 frame_of_return(struct pt_regs *ctx)
{
	return ctx->sp - (ctx->cs == USER32_CS ? 4 : 8);
}

static __always_inline u64 returned_value(struct pt_regs *ctx)
{
	return ctx->ax;
}
#elif defined(__TARGET_ARCH_arm64)
static __always_inline u64 frame_of_call(struct pt_regs *ctx)
{
	return ((struct user_pt_regs *)ctx)->sp;
}

static __always_inline u64 frame_of_return(struct pt_regs *ctx)
{
	return frame_of_call(ctx);
}

static __always_inline u64 returned_value(struct pt_regs *ctx)
{
	return ((struct user_pt_regs *)ctx)->regs[0];
}
#else
#error "where this architecture's functions return their values is not known"
#endif

static __always_inline struct fxr_payload pack_call(u64 cookie, u64 frame)
{
	struct fxr_probe_entry_body body = {
		.tid = bpf_get_current_pid_tgid(),
		.probe = cookie & (FXR_MAX_PROBES - 1),
		.frame = (frame >> 2) & FRAME_MASK,
	};

	return fxr_pack_probe_entry(body);
}

static __always_inline void send_value(u64 value)
{
	u32 tid = bpf_get_current_pid_tgid();
	struct fxr_probe_value_top_body top = {.tid = tid, .top = value >> 50};
	struct fxr_probe_value_body low = {.tid = tid, .value = value};

	if ((u64)((s64)(value << 14) >> 14) != value)
		emit_slot(CLAIM_FETCH, FXR_CATEGORY_PROBE, FXR_SLOT_PROBE_VALUE_TOP,
			  fxr_pack_probe_value_top(top));
	emit_slot(CLAIM_FETCH, FXR_CATEGORY_PROBE, FXR_SLOT_PROBE_VALUE, fxr_pack_probe_value(low));
}

SEC("uprobe")
int probe_entry(struct pt_regs *ctx)
{
	if (READ_ONCE(phase) != FXR_PHASE_ALL || !current_selected())
		return 0;
	emit_slot(CLAIM_FETCH, FXR_CATEGORY_PROBE, FXR_SLOT_PROBE_ENTRY,
		  pack_call(bpf_get_attach_cookie(ctx), frame_of_call(ctx)));
	return 0;
}

SEC("uretprobe")
int probe_return(struct pt_regs *ctx)
{
	u64 cookie;

	if (READ_ONCE(phase) != FXR_PHASE_ALL || !current_selected())
		return 0;
	cookie = bpf_get_attach_cookie(ctx);
	if (cookie & FXR_PROBE_WANTS_VALUE)
		send_value(returned_value(ctx));
	emit_slot(CLAIM_FETCH, FXR_CATEGORY_PROBE, FXR_SLOT_PROBE_RETURN,
		  pack_call(cookie, frame_of_return(ctx)));
	return 0;
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

	if (READ_ONCE(phase) != FXR_PHASE_ALL || !current_selected())
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

/*
 * Probes with arguments or a filter have programs of their own, so that others pay nothing for them.
 */
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

DEFINE_PROBE_VALUES(user, PROBE_USER, read_user_operand)
DEFINE_PROBE_VALUES(usdt, PROBE_USDT, read_usdt_operand)

SEC("uprobe")
int probe_entry_values(struct pt_regs *ctx)
{
	struct fxr_probe_values_long fields = {};
	const struct fxr_probe_spec *spec;
	u64 cookie, frame;

	if (READ_ONCE(phase) != FXR_PHASE_ALL || !current_selected())
		return 0;
	cookie = bpf_get_attach_cookie(ctx);
	spec = probe_spec_of(cookie & (FXR_MAX_PROBES - 1));
	if (!spec)
		return 0;
	frame = frame_of_call(ctx);
	fields.tid = bpf_get_current_pid_tgid();
	fields.probe = cookie & (FXR_MAX_PROBES - 1);
	fields.frame = (frame >> 2) & FRAME_MASK;
	if (spec->comparison_count) {
		struct fxr_probe_call call = {fields.tid, fields.probe, fields.frame};
		bool passes = user_passes(ctx, spec);
		u64 unused = 0;

		/* An older call of this frame was left without a return. */
		if (!passes && !spec->is_entry_only)
			bpf_map_delete_elem(&probe_passed, &call);
		if (!passes)
			return 0;
		if (!spec->is_entry_only)
			bpf_map_update_elem(&probe_passed, &call, &unused, BPF_ANY);
	}
	if (spec->sends_operands)
		user_send(ctx, spec->operands, FXR_PROBE_ARGUMENTS, spec->operand_count, spec->text_count,
			  fields);
	else
		emit_slot(CLAIM_FETCH, FXR_CATEGORY_PROBE, FXR_SLOT_PROBE_ENTRY,
			  pack_call(cookie, frame));
	return 0;
}

SEC("uretprobe")
int probe_return_values(struct pt_regs *ctx)
{
	struct fxr_probe_values_long fields = {.is_result = 1};
	const struct fxr_probe_spec *spec;
	u64 cookie, frame;

	if (READ_ONCE(phase) != FXR_PHASE_ALL || !current_selected())
		return 0;
	cookie = bpf_get_attach_cookie(ctx);
	spec = probe_spec_of(cookie & (FXR_MAX_PROBES - 1));
	if (!spec)
		return 0;
	frame = frame_of_return(ctx);
	fields.tid = bpf_get_current_pid_tgid();
	fields.probe = cookie & (FXR_MAX_PROBES - 1);
	fields.frame = (frame >> 2) & FRAME_MASK;
	if (spec->comparison_count) {
		struct fxr_probe_call call = {fields.tid, fields.probe, fields.frame};

		if (bpf_map_delete_elem(&probe_passed, &call))
			return 0;
	}
	if (spec->sends_result)
		user_send(ctx, spec->result, 2, 2, 1, fields);
	else if (cookie & FXR_PROBE_WANTS_VALUE)
		send_value(returned_value(ctx));
	emit_slot(CLAIM_FETCH, FXR_CATEGORY_PROBE, FXR_SLOT_PROBE_RETURN, pack_call(cookie, frame));
	return 0;
}

SEC("usdt")
int probe_usdt_values(struct pt_regs *ctx)
{
	struct fxr_probe_values_long fields = {};
	const struct fxr_probe_spec *spec;

	if (READ_ONCE(phase) != FXR_PHASE_ALL || !current_selected())
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
