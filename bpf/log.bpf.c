// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Category `log`: kernel log messages. */
#include "common.h"
#include "context.h"
#include "filter.h"
#include "ring.h"

SEC("tp_btf/console")
int BPF_PROG(console, const char *text, size_t length)
{
	struct fxr_ring_control *ring;
	struct fxr_log *event;
	bool interrupt;
	u64 size;
	u32 cpu;

	if (!current_selected())
		return 0;
	ring = this_ring(&cpu);
	if (!ring) /* impossible: every possible CPU has a control */
		return 0;
	interrupt = in_interrupt_context(ring, cpu);
	event = side_reserve(sizeof(*event), FXR_SIDE_LOG, FXR_CATEGORY_LOG);
	if (!event)
		return 0;
	event->tid = interrupt ? 0 : (u32)bpf_get_current_pid_tgid();
	event->length = length;
	size = CUT_SIZE(length, sizeof(event->text));
	if (bpf_probe_read_kernel(event->text, size, text))
		event->length = 0;
	side_submit(event);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
