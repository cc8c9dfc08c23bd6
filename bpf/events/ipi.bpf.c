// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Category `ipi`: inter-processor interrupts. */
#include "execution_context.h"

static __always_inline int on_send(enum claim claim, u32 cpu, u64 function)
{
	struct fxr_ipi_send_body body = {.cpu = cpu & 0xfff, .function = function};
	struct execution_context here;

	if (!find_execution_context(&here))
		return 0;
	body.tid = here.tid;
	body.in_interrupt = here.in_interrupt;
	emit_here(claim, &here, FXR_CATEGORY_IPI, FXR_SLOT_IPI_SEND, fxr_pack_ipi_send(body));
	return 0;
}

SLOT_PROGRAM(ipi_send_cpu, on_send(claim, cpu, function), u32 cpu, u64 from, u64 function)

static __always_inline int on_send_many(enum claim claim, u64 function)
{
	struct fxr_ipi_send_many_body body = {.function = function};
	struct execution_context here;

	if (!find_execution_context(&here))
		return 0;
	body.tid = here.tid;
	body.in_interrupt = here.in_interrupt;
	emit_here(claim, &here, FXR_CATEGORY_IPI, FXR_SLOT_IPI_SEND_MANY,
		  fxr_pack_ipi_send_many(body));
	return 0;
}

SLOT_PROGRAM(ipi_send_cpumask, on_send_many(claim, function), void *mask, u64 from, u64 function)

static __always_inline int on_handler(enum claim claim, enum fxr_slot_type type,
				      enum fxr_ipi_kind kind)
{
	struct fxr_ipi_entry_body body = {.kind = kind};

	if (!current_selected())
		return 0;
	emit_slot(claim, FXR_CATEGORY_IPI, type, fxr_pack_ipi_entry(body));
	return 0;
}

#define HANDLER_PROGRAMS(name, kind)                                                      \
	SLOT_PROGRAM(name##_entry, on_handler(claim, FXR_SLOT_IPI_ENTRY, kind), int vector) \
	SLOT_PROGRAM(name##_exit, on_handler(claim, FXR_SLOT_IPI_EXIT, kind), int vector)

HANDLER_PROGRAMS(reschedule, FXR_IPI_RESCHEDULE)
HANDLER_PROGRAMS(call_function, FXR_IPI_CALL_FUNCTION)
HANDLER_PROGRAMS(call_function_single, FXR_IPI_CALL_FUNCTION_SINGLE)

char LICENSE[] SEC("license") = "Dual BSD/GPL";
