// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Category `probe`: entry and return of kernel functions (--kprobe). The programs are attached by
 * multi-links where the kernel has them, and to perf's kprobes elsewhere.
 */
#define __VMLINUX_H__ /* registers have their kernel names in bpf_tracing.h */
#include "probe_call.h"

#if defined(__TARGET_ARCH_x86)
/*
 * Where the stack pointer was at the entry. Since Linux 6.14 fprobe passes the registers of
 * return_to_handler, which saves its own stack pointer: below the registers that it saved and a
 * room of 8 bytes. Others restore the registers of the function's caller, which has popped the
 * return address.
 */
static __always_inline u64 kernel_frame_of_return(struct pt_regs *ctx)
{
	u64 sp = ctx->sp;

	return sp == (u64)ctx ? sp + sizeof(struct pt_regs) : sp - 8;
}
#else
static __always_inline u64 kernel_frame_of_return(struct pt_regs *ctx)
{
	return stack_pointer(ctx);
}
#endif

static __always_inline int read_kernel_operand(struct pt_regs *ctx, const struct fxr_probe_operand *operand,
					       u64 *value)
{
	*value = 0;
	bpf_probe_read_kernel(value, sizeof(*value), (void *)ctx + operand->source);
	return probe_follow(operand, value, PROBE_KERNEL, 0);
}

DEFINE_PROBE_CALLS(kernel, PROBE_KERNEL, read_kernel_operand)

SEC("kprobe")
int kernel_probe_entry(struct pt_regs *ctx)
{
	return plain_entry(ctx);
}

SEC("kretprobe")
int kernel_probe_return(struct pt_regs *ctx)
{
	return plain_return(ctx, kernel_frame_of_return(ctx));
}

SEC("kprobe")
int kernel_probe_entry_values(struct pt_regs *ctx)
{
	return kernel_entry(ctx);
}

SEC("kretprobe")
int kernel_probe_return_values(struct pt_regs *ctx)
{
	return kernel_return(ctx, kernel_frame_of_return(ctx));
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
