// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What the recorder asks the kernel, with BPF_PROG_RUN; attached to nothing. */
#include "common.h"
#include "context.h"

/* Run on each CPU before events are recorded. */
SEC("raw_tp")
int find_context(void *ctx)
{
#if defined(__TARGET_ARCH_x86)
	struct fxr_ring_control *ring;
	u32 cpu;

	ring = this_ring(&cpu);
	if (ring)
		locate_preempt_count(ring, cpu);
#endif
	return 0;
}

/*
 * A recorder in a time namespace has other clocks than the kernel. Events bear the
 * kernel's, and what is to be compared with them has to be read here.
 */
struct fxr_clocks clocks = {};

SEC("raw_tp")
int read_clocks(void *ctx)
{
	clocks.before = bpf_ktime_get_ns();
	clocks.boottime = bpf_ktime_get_boot_ns();
	clocks.after = bpf_ktime_get_ns();
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
