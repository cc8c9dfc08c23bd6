// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Queries of the kernel, run with BPF_PROG_RUN and attached to nothing. */
#include "common.h"
#include "context.h"

struct fxr_context_sample context_sample = {};

/* Runs on each CPU before events are recorded. */
SEC("raw_tp")
int find_context(void *ctx)
{
#if defined(__TARGET_ARCH_x86)
	struct fxr_ring_control *ring;
	u64 address;
	u32 cpu;

	ring = this_ring(&cpu);
	if (!ring)
		return 0;
	address = locate_preempt_count(ring, cpu);
	if (address == FXR_PREEMPT_COUNT_HIDDEN)
		return 0;
	bpf_probe_read_kernel(&context_sample.preempt_count,
			      sizeof(context_sample.preempt_count), (void *)address);
	context_sample.tid = (u32)bpf_get_current_pid_tgid();
#endif
	return 0;
}

/*
 * In a time namespace the recorder's clocks differ from the kernel's. Events carry the
 * kernel's time, so the kernel's clocks are read here.
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

/*
 * Resolves a kernel symbol. To read /proc/kallsyms takes 40 ms. For Linux 5.16 and later.
 */
struct fxr_symbol_query symbol_query = {};

SEC("syscall")
int find_symbol(void *ctx)
{
	u64 address = symbol_query.address;

	symbol_query.text[0] = 0;
	if (!address &&
	    bpf_kallsyms_lookup_name(symbol_query.name, sizeof(symbol_query.name), 0, &address))
		return 0;
	symbol_query.address = address;
	BPF_SNPRINTF(symbol_query.text, sizeof(symbol_query.text), "%pS", address);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
