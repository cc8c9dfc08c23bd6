// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Category `syscall`: entry and exit of system calls, all or the selected ones. */
#include "common.h"
#include "filter.h"
#include "ring.h"

/*
 * Bit n % 64 of word n / 64 selects call n. Calls from 1024 up and negative ones are never
 * selected.
 */
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
	return BPF_CORE_READ(regs, syscallno);
#else
#error "this architecture's system call number is not known"
#endif
}

static __always_inline int on_entry(enum claim claim, long number)
{
	struct fxr_syscall_entry_body body = {.number = number};

	if (!syscall_selected(number))
		return 0;
	body.tid = bpf_get_current_pid_tgid();
	body.is_compat = is_compat();
	emit_slot(claim, FXR_CATEGORY_SYSCALL, FXR_SLOT_SYSCALL_ENTRY,
		  fxr_pack_syscall_entry(body));
	return 0;
}

static __always_inline int on_exit(enum claim claim, struct pt_regs *regs, long result)
{
	struct fxr_syscall_exit_body body = {.result = result};

	if (!syscall_selected(syscall_number(regs)))
		return 0;
	body.tid = bpf_get_current_pid_tgid();
	emit_slot(claim, FXR_CATEGORY_SYSCALL, FXR_SLOT_SYSCALL_EXIT, fxr_pack_syscall_exit(body));
	return 0;
}

SLOT_PROGRAM(sys_enter, on_entry(claim, number), struct pt_regs *regs, long number)

SLOT_PROGRAM(sys_exit, on_exit(claim, regs, result), struct pt_regs *regs, long result)

char LICENSE[] SEC("license") = "Dual BSD/GPL";
