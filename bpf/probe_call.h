/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Calls of functions (category `probe`): what the programs of user and kernel functions share.
 * The probe number is the attach cookie, which needs 5.15. So the programs exist only in the
 * form with atomic fetch.
 */
#ifndef FXR_PROBE_CALL_H
#define FXR_PROBE_CALL_H

#include "common.h"
#include "filter.h"
#include "probe_values.h"
#include "ring.h"

#include "fxt_record/long_event.h"

#define FRAME_MASK ((1ULL << FXR_PROBE_FRAME_BITS) - 1)

#if defined(__TARGET_ARCH_x86)
static __always_inline u64 stack_pointer(struct pt_regs *ctx)
{
	return ctx->sp;
}

static __always_inline u64 returned_value(struct pt_regs *ctx)
{
	return ctx->ax;
}
#elif defined(__TARGET_ARCH_arm64)
static __always_inline u64 stack_pointer(struct pt_regs *ctx)
{
	return ((struct user_pt_regs *)ctx)->sp;
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

static __always_inline void send_entry(u64 cookie, u64 frame)
{
	emit_slot(CLAIM_FETCH, FXR_CATEGORY_PROBE, FXR_SLOT_PROBE_ENTRY, pack_call(cookie, frame));
}

static __always_inline void send_return(u64 cookie, u64 frame)
{
	emit_slot(CLAIM_FETCH, FXR_CATEGORY_PROBE, FXR_SLOT_PROBE_RETURN, pack_call(cookie, frame));
}

static __always_inline bool is_recorded(void)
{
	return READ_ONCE(phase) == FXR_PHASE_ALL && current_selected();
}

/* A call of a probe without arguments and filter. */
static __always_inline int plain_entry(struct pt_regs *ctx)
{
	if (is_recorded())
		send_entry(bpf_get_attach_cookie(ctx), stack_pointer(ctx));
	return 0;
}

/* frame: where the stack pointer was at the entry. */
static __always_inline int plain_return(struct pt_regs *ctx, u64 frame)
{
	u64 cookie;

	if (!is_recorded())
		return 0;
	cookie = bpf_get_attach_cookie(ctx);
	if (cookie & FXR_PROBE_WANTS_VALUE)
		send_value(returned_value(ctx));
	send_return(cookie, frame);
	return 0;
}

static __always_inline struct fxr_probe_values_long values_of_call(u64 cookie, u64 frame)
{
	struct fxr_probe_values_long fields = {
		.tid = bpf_get_current_pid_tgid(),
		.probe = cookie & (FXR_MAX_PROBES - 1),
		.frame = (frame >> 2) & FRAME_MASK,
	};

	return fields;
}

/*
 * NAME_entry and NAME_return handle a call of a probe with arguments or a filter. They are apart
 * from the programs of other probes, which pay nothing for them.
 */
#define DEFINE_PROBE_CALLS(name, where, READ)                                                      \
	DEFINE_PROBE_VALUES(name, where, READ)                                                     \
                                                                                                   \
	static __always_inline int name##_entry(struct pt_regs *ctx)                                \
	{                                                                                          \
		u64 cookie = bpf_get_attach_cookie(ctx), frame = stack_pointer(ctx);               \
		const struct fxr_probe_spec *spec;                                                 \
		struct fxr_probe_values_long fields;                                               \
                                                                                                   \
		if (!is_recorded())                                                                \
			return 0;                                                                  \
		spec = probe_spec_of(cookie & (FXR_MAX_PROBES - 1));                               \
		if (!spec)                                                                         \
			return 0;                                                                  \
		fields = values_of_call(cookie, frame);                                            \
		if (spec->comparison_count) {                                                      \
			struct fxr_probe_call call = {fields.tid, fields.probe, fields.frame};     \
			bool passes = name##_passes(ctx, spec);                                    \
			u64 unused = 0;                                                            \
                                                                                                   \
			/* An older call of this frame was left without a return. */               \
			if (!passes && !spec->is_entry_only)                                       \
				bpf_map_delete_elem(&probe_passed, &call);                         \
			if (!passes)                                                               \
				return 0;                                                          \
			if (!spec->is_entry_only)                                                  \
				bpf_map_update_elem(&probe_passed, &call, &unused, BPF_ANY);       \
		}                                                                                  \
		if (spec->sends_operands)                                                          \
			name##_send(ctx, spec->operands, FXR_PROBE_ARGUMENTS, spec->operand_count, \
				    spec->text_count, fields);                                     \
		else                                                                               \
			send_entry(cookie, frame);                                                 \
		return 0;                                                                          \
	}                                                                                          \
                                                                                                   \
	static __always_inline int name##_return(struct pt_regs *ctx, u64 frame)                    \
	{                                                                                          \
		u64 cookie = bpf_get_attach_cookie(ctx);                                           \
		const struct fxr_probe_spec *spec;                                                 \
		struct fxr_probe_values_long fields;                                               \
                                                                                                   \
		if (!is_recorded())                                                                \
			return 0;                                                                  \
		spec = probe_spec_of(cookie & (FXR_MAX_PROBES - 1));                               \
		if (!spec)                                                                         \
			return 0;                                                                  \
		fields = values_of_call(cookie, frame);                                            \
		fields.is_result = 1;                                                              \
		if (spec->comparison_count) {                                                      \
			struct fxr_probe_call call = {fields.tid, fields.probe, fields.frame};     \
                                                                                                   \
			if (bpf_map_delete_elem(&probe_passed, &call))                             \
				return 0;                                                          \
		}                                                                                  \
		if (spec->sends_result)                                                            \
			name##_send(ctx, spec->result, 2, 2, 1, fields);                           \
		else if (cookie & FXR_PROBE_WANTS_VALUE)                                           \
			send_value(returned_value(ctx));                                           \
		send_return(cookie, frame);                                                        \
		return 0;                                                                          \
	}

#endif
