// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Category `syscall`: entry and exit of system calls, all or those asked for. */
#include "common.h"
#include "filter.h"
#include "ring.h"

/* Bit n of word n / 64: call n is wanted. Calls from 1024 up and negative ones never are filtered in. */
#define SYSCALL_WORDS 16
const volatile fxr_u64 syscalls_wanted[SYSCALL_WORDS] = {};
const volatile fxr_u8 filter_syscalls = 0;

#define TS_COMPAT 0x0002 /* arch/x86/include/asm/thread_info.h */

static __always_inline bool is_compat(void)
{
#if defined(__TARGET_ARCH_x86)
	struct task_struct *task = (struct task_struct *)bpf_get_current_task();

	return (BPF_CORE_READ(task, thread_info.status) & TS_COMPAT) != 0;
#else
	return false;
#endif
}

static __always_inline bool syscall_selected(long number)
{
	if (filter_syscalls) {
		u32 word = (u64)number / 64;

		if (word >= SYSCALL_WORDS)
			return false;
		if (!(syscalls_wanted[word] & 1ULL << ((u64)number & 63)))
			return false;
	}
	return current_selected();
}

static __always_inline long syscall_number(struct pt_regs *regs)
{
#if defined(__TARGET_ARCH_x86)
	return regs->orig_ax;
#elif defined(__TARGET_ARCH_arm64)
	struct pt_regs___syscallno *arm = (void *)regs;

	return BPF_CORE_READ(arm, syscallno);
#else
#error "this architecture's system call number is not known"
#endif
}

static __always_inline int on_entry(enum claim claim, long number)
{
	if (!syscall_selected(number))
		return 0;
	emit_slot(claim, FXR_CATEGORY_SYSCALL, FXR_SLOT_SYSCALL_ENTRY, is_compat(),
		  (u64)(u32)bpf_get_current_pid_tgid() | (u64)(u32)number << 22);
	return 0;
}

static __always_inline int on_exit(enum claim claim, struct pt_regs *regs, long result)
{
	if (!syscall_selected(syscall_number(regs)))
		return 0;
	emit_slot(claim, FXR_CATEGORY_SYSCALL, FXR_SLOT_SYSCALL_EXIT, ((u64)result >> 42) & 0xff,
		  (u64)(u32)bpf_get_current_pid_tgid() | (u64)result << 22);
	return 0;
}

SEC("tp_btf/sys_enter")
int BPF_PROG(sys_enter, struct pt_regs *regs, long number)
{
	return on_entry(CLAIM_FETCH, number);
}

SEC("tp_btf/sys_enter")
int BPF_PROG(sys_enter_flag, struct pt_regs *regs, long number)
{
	return on_entry(CLAIM_FLAG, number);
}

SEC("tp_btf/sys_exit")
int BPF_PROG(sys_exit, struct pt_regs *regs, long result)
{
	return on_exit(CLAIM_FETCH, regs, result);
}

SEC("tp_btf/sys_exit")
int BPF_PROG(sys_exit_flag, struct pt_regs *regs, long result)
{
	return on_exit(CLAIM_FLAG, regs, result);
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
