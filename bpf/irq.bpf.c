// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Categories `irq` and `softirq`: entry and exit of interrupt handlers. */
#include "common.h"
#include "filter.h"
#include "ring.h"

static __always_inline int on_interrupt(enum claim claim, enum fxr_category category,
					enum fxr_slot_type type, struct fxr_payload payload)
{
	if (!current_selected())
		return 0;
	emit_slot(claim, category, type, payload);
	return 0;
}

SLOT_PROGRAM(irq_handler_entry,
	     on_interrupt(claim, FXR_CATEGORY_IRQ, FXR_SLOT_IRQ_ENTRY,
			  fxr_pack_irq_entry((struct fxr_irq_entry_body){.irq = irq})),
	     int irq)

SLOT_PROGRAM(irq_handler_exit,
	     on_interrupt(claim, FXR_CATEGORY_IRQ, FXR_SLOT_IRQ_EXIT,
			  fxr_pack_irq_exit((struct fxr_irq_exit_body){.irq = irq, .result = ret})),
	     int irq, struct irqaction *action, int ret)

SLOT_PROGRAM(softirq_entry,
	     on_interrupt(claim, FXR_CATEGORY_SOFTIRQ, FXR_SLOT_SOFTIRQ_ENTRY,
			  fxr_pack_softirq_entry((struct fxr_softirq_entry_body){.vector = vector})),
	     u32 vector)

SLOT_PROGRAM(softirq_exit,
	     on_interrupt(claim, FXR_CATEGORY_SOFTIRQ, FXR_SLOT_SOFTIRQ_EXIT,
			  fxr_pack_softirq_exit((struct fxr_softirq_exit_body){.vector = vector})),
	     u32 vector)

char LICENSE[] SEC("license") = "Dual BSD/GPL";
