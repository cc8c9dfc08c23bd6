// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Categories `irq` and `softirq`: entry and exit of interrupt handlers. */
#include "common.h"
#include "filter.h"
#include "ring.h"

static __always_inline int on_interrupt(enum claim claim, enum fxr_category category,
					enum fxr_slot_type type, u64 body)
{
	if (!current_selected())
		return 0;
	emit_slot(claim, category, type, 0, body);
	return 0;
}

#define IRQ_EXIT_BODY(irq, ret) ((u64)(u32)(irq) | (u64)(u32)(ret) << 32)

SEC("tp_btf/irq_handler_entry")
int BPF_PROG(irq_handler_entry, int irq)
{
	return on_interrupt(CLAIM_FETCH, FXR_CATEGORY_IRQ, FXR_SLOT_IRQ_ENTRY, (u32)irq);
}

SEC("tp_btf/irq_handler_entry")
int BPF_PROG(irq_handler_entry_flag, int irq)
{
	return on_interrupt(CLAIM_FLAG, FXR_CATEGORY_IRQ, FXR_SLOT_IRQ_ENTRY, (u32)irq);
}

SEC("tp_btf/irq_handler_exit")
int BPF_PROG(irq_handler_exit, int irq, struct irqaction *action, int ret)
{
	return on_interrupt(CLAIM_FETCH, FXR_CATEGORY_IRQ, FXR_SLOT_IRQ_EXIT,
			    IRQ_EXIT_BODY(irq, ret));
}

SEC("tp_btf/irq_handler_exit")
int BPF_PROG(irq_handler_exit_flag, int irq, struct irqaction *action, int ret)
{
	return on_interrupt(CLAIM_FLAG, FXR_CATEGORY_IRQ, FXR_SLOT_IRQ_EXIT,
			    IRQ_EXIT_BODY(irq, ret));
}

SEC("tp_btf/softirq_entry")
int BPF_PROG(softirq_entry, u32 vector)
{
	return on_interrupt(CLAIM_FETCH, FXR_CATEGORY_SOFTIRQ, FXR_SLOT_SOFTIRQ_ENTRY, vector);
}

SEC("tp_btf/softirq_entry")
int BPF_PROG(softirq_entry_flag, u32 vector)
{
	return on_interrupt(CLAIM_FLAG, FXR_CATEGORY_SOFTIRQ, FXR_SLOT_SOFTIRQ_ENTRY, vector);
}

SEC("tp_btf/softirq_exit")
int BPF_PROG(softirq_exit, u32 vector)
{
	return on_interrupt(CLAIM_FETCH, FXR_CATEGORY_SOFTIRQ, FXR_SLOT_SOFTIRQ_EXIT, vector);
}

SEC("tp_btf/softirq_exit")
int BPF_PROG(softirq_exit_flag, u32 vector)
{
	return on_interrupt(CLAIM_FLAG, FXR_CATEGORY_SOFTIRQ, FXR_SLOT_SOFTIRQ_EXIT, vector);
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
