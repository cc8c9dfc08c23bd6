// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Category `signal`: signals that are generated and delivered. */
#include "execution_context.h"

/* The head of siginfo_t on 64-bit kernels (asm-generic/siginfo.h). */
struct siginfo_head {
	s32 signo;
	s32 error;
	s32 code;
	s32 pad;
	u32 pid; /* for the codes that have a sender */
};

/* In place of a siginfo pointer: sent by the kernel (include/linux/sched/signal.h). */
#define SEND_SIG_PRIV 1
#define SI_KERNEL 0x80

static __always_inline int on_generate(enum claim claim, int signal, u64 info,
				       struct task_struct *task, int group, int result)
{
	struct siginfo_head head = {};
	struct fxr_signal_generate_body body = {
		.signal = signal & 0x7f,
		.group = group != 0,
		.result = result & 7,
	};
	struct execution_context here;

	if (filter_is_on && !task_selected(task) && !current_selected())
		return 0;
	here.ring = this_ring(&here.cpu);
	if (!here.ring)
		return 0;
	body.in_interrupt = in_interrupt_context(here.ring, here.cpu);
	body.tid = body.in_interrupt ? 0 : (u32)bpf_get_current_pid_tgid();
	body.target = task->pid;
	/* 0 and SEND_SIG_PRIV are not addresses. */
	if (bpf_probe_read_kernel(&head, sizeof(head), (void *)info))
		head.code = info == SEND_SIG_PRIV ? SI_KERNEL : 0;
	body.code = head.code;
	emit_here(claim, &here, FXR_CATEGORY_SIGNAL, FXR_SLOT_SIGNAL_GENERATE,
		  fxr_pack_signal_generate(body));
	return 0;
}

SLOT_PROGRAM(signal_generate, on_generate(claim, signal, info, task, group, result), int signal,
	     u64 info, struct task_struct *task, int group, int result)

static __always_inline int on_deliver(enum claim claim, int signal, u64 info)
{
	struct siginfo_head head = {};
	struct fxr_signal_deliver_body body = {.signal = signal & 0x7f};

	if (!current_selected())
		return 0;
	body.tid = bpf_get_current_pid_tgid();
	if (bpf_probe_read_kernel(&head, sizeof(head), (void *)info) == 0) {
		body.code = head.code;
		/* kill, sigqueue, tgkill: SI_USER, SI_QUEUE, SI_TKILL */
		if (head.code == 0 || head.code == -1 || head.code == -6)
			body.sender_pid = head.pid & FXR_TID_MASK;
	}
	emit_slot(claim, FXR_CATEGORY_SIGNAL, FXR_SLOT_SIGNAL_DELIVER,
		  fxr_pack_signal_deliver(body));
	return 0;
}

SLOT_PROGRAM(signal_deliver, on_deliver(claim, signal, info), int signal, u64 info)

char LICENSE[] SEC("license") = "Dual BSD/GPL";
