// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Category `fault`: page faults, as they begin; and those that wait for data, through
 * their waits.
 */
#include "common.h"
#include "filter.h"
#include "ring.h"
#include "task_state.h"

#include "fxt_record/long_event.h"

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

/* include/uapi/linux/bpf.h */
#define BPF_NOEXIST 1

/* include/linux/mm_types.h */
#define VM_FAULT_MAJOR 0x4
#define VM_FAULT_RETRY 0x400
#define VM_FAULT_ERROR (0x1 | 0x2 | 0x10 | 0x20 | 0x40 | 0x800)
#define FAULT_FLAG_TRIED 0x20

struct fault_inside {
	u64 address;
	u64 waited;
};

/* By thread id: the fault that it is inside of. max_entries is set by the loader. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct fault_inside);
} faults_inside SEC(".maps");

/*
 * By the side ring: a function's programs may be preempted, and a slot that is half
 * written would not stand that.
 */
static __always_inline void send_major(enum fxr_major_kind kind, u32 tid, u64 address, bool minor)
{
	struct fxr_major_long fields = {
		.kind = kind, .tid = tid, .address = address, .minor = minor};
	struct fxr_long *event = long_reserve(FXR_LONG_SIZE(major, 0), FXR_CATEGORY_FAULT);

	if (!event)
		return;
	fxr_pack_major(event, fields, 0);
	side_submit(event);
}

SEC("fentry/handle_mm_fault")
int BPF_PROG(fault_begins, void *area, u64 address)
{
	struct fault_inside inside = {.address = address};
	u32 tid = bpf_get_current_pid_tgid();

	if (READ_ONCE(phase) != FXR_PHASE_ALL || !current_selected())
		return 0;
	/* After a wait it is tried again, and goes on. */
	bpf_map_update_elem(&faults_inside, &tid, &inside, BPF_NOEXIST);
	return 0;
}

SEC("fexit/handle_mm_fault")
int BPF_PROG(fault_ends, void *area, u64 address, u32 flags, void *regs, u32 result)
{
	u32 tid = bpf_get_current_pid_tgid();
	struct fault_inside *inside;
	bool major, waited;

	if (READ_ONCE(phase) != FXR_PHASE_ALL)
		return 0;
	inside = bpf_map_lookup_elem(&faults_inside, &tid);
	if (!inside || (result & VM_FAULT_RETRY))
		return 0;
	/* As mm_account_fault() has it. */
	major = !(result & VM_FAULT_ERROR) &&
		((result & VM_FAULT_MAJOR) || (flags & FAULT_FLAG_TRIED));
	waited = inside->waited;
	bpf_map_delete_elem(&faults_inside, &tid);
	if (waited)
		send_major(FXR_MAJOR_END, tid, address, !major);
	else if (major)
		send_major(FXR_MAJOR_AT_ONCE, tid, address, false);
	return 0;
}

SEC("tp_btf/sched_switch")
int BPF_PROG(fault_sched_switch, bool preempt, struct task_struct *prev, struct task_struct *next)
{
	u32 state = SWITCH_STATE();
	struct fault_inside *inside;
	u32 tid = prev->pid;

	if (preempt || !state || READ_ONCE(phase) != FXR_PHASE_ALL)
		return 0;
	if (state & TASK_DEAD) {
		bpf_map_delete_elem(&faults_inside, &tid);
		return 0;
	}
	if (!(state & TASK_UNINTERRUPTIBLE))
		return 0;
	inside = bpf_map_lookup_elem(&faults_inside, &tid);
	if (!inside || inside->waited)
		return 0;
	inside->waited = 1;
	send_major(FXR_MAJOR_BEGIN, tid, inside->address, false);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
