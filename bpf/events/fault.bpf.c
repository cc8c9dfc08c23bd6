// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Category `fault`: page faults, as they begin. */
#include "common.h"
#include "filter.h"
#include "ring.h"

/* arch/x86/include/asm/trap_pf.h */
#define FAULT_PRESENT 1
#define FAULT_WRITE 2

static __always_inline struct fxr_payload describe(u64 address, u64 code)
{
	struct fxr_fault_user_body body = {
		.tid = bpf_get_current_pid_tgid(),
		.address = address,
		.write = (code & FAULT_WRITE) != 0,
		.present = (code & FAULT_PRESENT) != 0,
	};

	return fxr_pack_fault_user(body);
}

static __always_inline int on_fault(enum claim claim, enum fxr_slot_type type, u64 address,
				    u64 code)
{
	if (!current_selected())
		return 0;
	emit_slot(claim, FXR_CATEGORY_FAULT, type, describe(address, code));
	return 0;
}

SLOT_PROGRAM(page_fault_user, on_fault(claim, FXR_SLOT_FAULT_USER, address, code), u64 address,
	     struct pt_regs *regs, u64 code)

SLOT_PROGRAM(page_fault_kernel, on_fault(claim, FXR_SLOT_FAULT_KERNEL, address, code), u64 address,
	     struct pt_regs *regs, u64 code)

char LICENSE[] SEC("license") = "Dual BSD/GPL";
